// Regular expressions of matches(): RE2, with bounded memory and time (document/pattern.h).
#pragma once

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace mb::cel {

// Null if `source` is not a valid regular expression of RE2, or too large.
std::shared_ptr<const re2::RE2> compilePattern(std::string_view source);

}  // namespace mb::cel
