// Values that JSON can tell. The engine makes objects out of such a text several times faster than one property after
// the other through its interface, and most of what a run is given is of this kind.
#pragma once

#include <optional>
#include <string>

#include "clone/format.h"

namespace mb::worker {

// The value that `in` stands at as JSON (RFC 8259), and `in` behind it. Nothing, and `in` where it was, for a value
// that holds anything else (a date, bytes, undefined, NaN …), is longer than 64 KiB or is none.
std::optional<std::string> plainJson(clone::Reader& in);

}  // namespace mb::worker
