// A value as BSON.
#pragma once

#include "document/bson.h"
#include "policy/cel/run.h"

namespace mb::cel {

// Appends `value` (no error): uint as int64 where it fits and else as double, timestamps as dates (milliseconds),
// durations as "1.5s", types by name, keys of maps as text. Stops early, and leaves the run exhausted, when that passes
// the cost limit.
void writeResult(Run& run, doc::BsonWriter& out, std::string_view key, const Value& value);

}  // namespace mb::cel
