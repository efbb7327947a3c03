// Regular expressions of matches(): RE2, in bounded memory and time (document/pattern.h).
#pragma once

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace mb::cel {

// Null for what is no regular expression of RE2, or one too large.
std::shared_ptr<const re2::RE2> compilePattern(std::string_view source);

}  // namespace mb::cel
