// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
#pragma once

#include <cstddef>
#include <string_view>

namespace mb {

// Length of the well-formed sequence that begins at text[at] (at < text.size()), or 0.
size_t utf8SequenceLength(std::string_view text, size_t at);
bool isUtf8(std::string_view text);

}  // namespace mb
