// Escape sequences and UTF-8.
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>

#include "base/text.h"
#include "policy/cel/lexer.h"

namespace mb::cel {
namespace {

// `count` digits of `base` at `offset`.
std::optional<uint32_t> readDigits(std::string_view text, size_t offset, size_t count, int base) {
  if (offset + count > text.size()) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    const int digit = hexDigit(text[offset + i]);
    if (digit < 0 || digit >= base) return std::nullopt;
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
  }
  return value;
}

std::optional<char> plainEscape(char c) {
  switch (c) {
    case '\\':
    case '?':
    case '"':
    case '\'':
    case '`':
      return c;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return std::nullopt;
  }
}

struct NumericEscape {
  uint32_t value;
  size_t length;  // after the backslash
  bool octet;     // \x or octal: an octet in bytes
};

std::optional<NumericEscape> numericEscape(std::string_view text, size_t offset) {
  const char c = text[offset];
  std::optional<uint32_t> value;
  size_t length = 0;
  if (c == 'x' || c == 'X') {
    value = readDigits(text, offset + 1, 2, 16);
    length = 3;
  } else if (c == 'u') {
    value = readDigits(text, offset + 1, 4, 16);
    length = 5;
  } else if (c == 'U') {
    value = readDigits(text, offset + 1, 8, 16);
    length = 9;
  } else if (c >= '0' && c <= '3') {
    value = readDigits(text, offset, 3, 8);
    length = 3;
  }
  if (!value || *value > 0x10FFFF || (*value >= 0xD800 && *value <= 0xDFFF)) return std::nullopt;
  return NumericEscape{*value, length, length == 3};
}

}  // namespace

std::optional<double> parseReal(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.ends_with(')')) return std::nullopt;  // "nan(…)" is the C library's own
  if (failure == std::errc{}) return value;
  if (failure != std::errc::result_out_of_range) return std::nullopt;
  // A number that is too small becomes zero or a subnormal; one that is too large is an error.
  value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

void appendUtf8(std::string& out, uint32_t codePoint) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (codePoint < 0x80) {
    put(codePoint);
  } else if (codePoint < 0x800) {
    put(0xC0 | codePoint >> 6);
    put(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    put(0xE0 | codePoint >> 12);
    put(0x80 | (codePoint >> 6 & 0x3F));
    put(0x80 | (codePoint & 0x3F));
  } else {
    put(0xF0 | codePoint >> 18);
    put(0x80 | (codePoint >> 12 & 0x3F));
    put(0x80 | (codePoint >> 6 & 0x3F));
    put(0x80 | (codePoint & 0x3F));
  }
}

std::optional<std::string> decodeEscapes(std::string_view content, bool bytes, size_t& badOffset) {
  std::string out;
  out.reserve(content.size());
  for (size_t i = 0; i < content.size();) {
    if (content[i] != '\\') {
      out.push_back(content[i++]);
      continue;
    }
    badOffset = i++;
    if (i >= content.size()) return std::nullopt;
    if (const auto plain = plainEscape(content[i])) {
      out.push_back(*plain);
      ++i;
      continue;
    }
    const auto numeric = numericEscape(content, i);
    if (!numeric || (bytes && content[i] == 'U')) return std::nullopt;
    if (bytes && numeric->octet) {
      out.push_back(static_cast<char>(numeric->value));
    } else {
      appendUtf8(out, numeric->value);
    }
    i += numeric->length;
  }
  return out;
}

bool isValidUtf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

size_t countCodePoints(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

}  // namespace mb::cel
