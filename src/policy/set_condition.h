// A SetCondition is a part of a rule's filter: the value at a path, or one of its elements, is in a set of the caller.
#pragma once

#include <string>

#include "document/path.h"

namespace mb::policy {

struct SetCondition {
  std::string set;
  doc::FieldPath path;
};

}  // namespace mb::policy
