// Escape sequences in string literals, as far as languages share them. Each language has its own letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace mb {

// The letters that a language takes after a backslash for a single character.
struct EscapeLetters {
  std::string_view literal;  // letters that mean themselves, such as the quotation mark
  std::string_view control;  // some of "abfnrtv": control characters, as in C
};

// The character that a backslash followed by `letter` means; nullopt if `letter` is not one of `letters`.
constexpr std::optional<char> escapedCharacter(char letter, const EscapeLetters& letters) {
  constexpr std::string_view kControlLetters = "abfnrtv";
  constexpr std::string_view kControlCharacters = "\a\b\f\n\r\t\v";
  if (letters.literal.find(letter) != std::string_view::npos) return letter;
  if (letters.control.find(letter) == std::string_view::npos) return std::nullopt;
  const size_t at = kControlLetters.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(kControlCharacters[at]);
}

// The number of a numeric escape.
struct EscapeNumber {
  uint64_t value = 0;
  size_t digits = 0;  // how many were read
};

// Reads the digits of `base` (at most 16) that `text` begins with, at most `maxDigits` of them (at most 16).
constexpr EscapeNumber leadingNumber(std::string_view text, size_t maxDigits, int base) {
  EscapeNumber number;
  for (const char c : text.substr(0, maxDigits)) {
    const int digit = hexDigit(c);
    if (digit < 0 || digit >= base) break;
    number.value = number.value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
    ++number.digits;
  }
  return number;
}

}  // namespace mb
