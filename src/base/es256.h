// The one form of an ES256 signature. Of each signature s there is a second that verifies, the group's order minus s:
// the lower of the two ("low-S") is written, and what must have one spelling takes no other.
#pragma once

#include <string_view>

namespace mb {

// `signature` is r||s, 64 bytes (RFC 7518, 3.4).
bool isLowS(std::string_view signature);

}  // namespace mb
