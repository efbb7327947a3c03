// JSON for people: two blanks a level, one member a line.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// Values as writeJsonValue (json.h) has them; empty objects and arrays on one line; no newline at the end.
std::string toPrettyJson(ValueView value);

}  // namespace mb::doc
