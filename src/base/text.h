// Text of protocols and configuration: ASCII alone is looked at, other bytes are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace mb {

// ASCII white space, as isspace() has it in the C locale.
inline constexpr std::string_view kBlanks = " \t\n\v\f\r";

// `text` without the characters of `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

constexpr char lowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lowerAscii(c);
  return out;
}

// 0 to 15; -1 for what is not a hexadecimal digit.
constexpr int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Code points of well-formed UTF-8.
inline size_t codePoints(std::string_view utf8) {
  return static_cast<size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// "5,000,000".
inline std::string withSeparators(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3 && text[at - 4] != '-';) text.insert(at -= 3, ",");
  return text;
}

}  // namespace mb
