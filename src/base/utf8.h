// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mb {

// Length of the well-formed sequence that begins at text[at] (at < text.size()), or 0.
size_t utf8SequenceLength(std::string_view text, size_t at);
bool isUtf8(std::string_view text);

// Whether UTF-8 has a form for `codePoint` (a Unicode scalar value).
constexpr bool isScalarValue(uint64_t codePoint) {
  return codePoint < 0xD800 || (codePoint > 0xDFFF && codePoint <= 0x10FFFF);
}
// Appends the UTF-8 form of `codePoint`. REQUIRES: isScalarValue(codePoint).
void appendUtf8(std::string& out, uint32_t codePoint);

}  // namespace mb
