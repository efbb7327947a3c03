#pragma once

#include "document/bson.h"

namespace mb::doc {

// The value with the fields of every object in it sorted by name, so that compareValues implements JSON's equality,
// which ignores their order.
Value canonical(ValueView value);

}  // namespace mb::doc
