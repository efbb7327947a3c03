// Formats JSON for reading: two spaces per level, one member per line.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// Values as in writeJsonValue (json.h); empty objects and arrays on one line; no newline at the end.
std::string toPrettyJson(ValueView value);

}  // namespace mb::doc
