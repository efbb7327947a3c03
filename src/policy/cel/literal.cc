// Escape sequences and UTF-8.
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>

#include "base/escape.h"
#include "base/utf8.h"
#include "policy/cel/lexer.h"

namespace mb::cel {
namespace {

constexpr EscapeLetters kEscapes{.literal = "\\?\"'`", .control = "abfnrtv"};

struct NumericEscape {
  uint32_t value;
  size_t length;  // after the backslash
  bool octet;     // \x or octal: an octet in bytes
};

// The escape whose part after the backslash begins `text`, which is not empty.
std::optional<NumericEscape> numericEscape(std::string_view text) {
  const char c = text.front();
  const bool octal = c >= '0' && c <= '3';
  size_t digits = 3;
  if (c == 'x' || c == 'X') {
    digits = 2;
  } else if (c == 'u') {
    digits = 4;
  } else if (c == 'U') {
    digits = 8;
  } else if (!octal) {
    return std::nullopt;
  }
  const size_t letters = octal ? 0 : 1;
  const EscapeNumber number = leadingNumber(text.substr(letters), digits, octal ? 8 : 16);
  if (number.digits < digits || !isScalarValue(number.value)) return std::nullopt;
  return NumericEscape{static_cast<uint32_t>(number.value), letters + digits, digits <= 3};
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
    if (const auto character = escapedCharacter(content[i], kEscapes)) {
      out.push_back(*character);
      ++i;
      continue;
    }
    const auto numeric = numericEscape(content.substr(i));
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

}  // namespace mb::cel
