// The fields that the indexes of a collection hold for its policy, so that documents that it hides are not read.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"

namespace mb::data {

// `ownerId` if the filter of the list or read rule names it. `policy`: as saved.
std::vector<std::string> fieldsForPolicy(doc::DocumentView policy);

}  // namespace mb::data
