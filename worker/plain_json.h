// Converts values to JSON text. The engine creates objects from JSON several times faster than property by property
// through its API, and most values for a run can be represented in JSON.
#pragma once

#include <optional>
#include <string>

#include "clone/format.h"

namespace mb::worker {

// The value at `in` as JSON (RFC 8259); moves `in` past it. nullopt, with `in` unchanged, if the value is malformed,
// longer than 64 KiB, or contains anything that JSON cannot represent (a date, bytes, undefined, NaN …).
std::optional<std::string> plainJson(clone::Reader& in);

}  // namespace mb::worker
