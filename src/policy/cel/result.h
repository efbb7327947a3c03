// Converts a value to BSON.
#pragma once

#include "document/bson.h"
#include "policy/cel/run.h"

namespace mb::cel {

// Appends `value`: uint as int64 if it fits, else as double; timestamps as dates (milliseconds); durations as "1.5s";
// types by name; keys of maps as text. Stops early, and leaves the run exhausted, if it exceeds the cost limit.
// REQUIRES: `value` is not an error.
void writeResult(Run& run, doc::BsonWriter& out, std::string_view key, const Value& value);

}  // namespace mb::cel
