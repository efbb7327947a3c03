#pragma once

#include "document/bson.h"

namespace mb::doc {

// The value with the fields of every object inside sorted by name, so that compareValues sees JSON's equality, in which
// their order does not count.
Value canonical(ValueView value);

}  // namespace mb::doc
