#include "base/escape.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

constexpr EscapeLetters kAll{.literal = "\"\\/", .control = "abfnrtv"};

TEST(Escape, LettersMeanThemselvesOrControlCharacters) {
  for (const char letter : kAll.literal) EXPECT_EQ(escapedCharacter(letter, kAll), letter);
  const std::string_view characters = "\a\b\f\n\r\t\v";
  for (size_t i = 0; i < characters.size(); ++i) {
    EXPECT_EQ(escapedCharacter(kAll.control[i], kAll), characters[i]) << kAll.control[i];
  }
}

TEST(Escape, OtherLettersAreRefused) {
  for (const char letter : std::string_view("'uxUAB0 \0", 9)) EXPECT_EQ(escapedCharacter(letter, kAll), std::nullopt);
  const EscapeLetters few{.literal = "'", .control = "n"};
  EXPECT_EQ(escapedCharacter('\'', few), '\'');
  EXPECT_EQ(escapedCharacter('n', few), '\n');
  for (const char letter : std::string_view("\"\\/abfrtv")) EXPECT_EQ(escapedCharacter(letter, few), std::nullopt);
}

TEST(Escape, NumbersEndAtTheFirstOtherCharacter) {
  const auto expect = [](EscapeNumber number, uint64_t value, size_t digits) {
    EXPECT_EQ(number.value, value);
    EXPECT_EQ(number.digits, digits);
  };
  expect(leadingNumber("00e9", 4, 16), 0xE9, 4);
  expect(leadingNumber("1F600}", 10, 16), 0x1F600, 5);
  expect(leadingNumber("10FFFFF", 6, 16), 0x10FFFF, 6);
  expect(leadingNumber("FFFFFFFFFFFFFFFF", 16, 16), ~uint64_t{0}, 16);
  expect(leadingNumber("17777", 3, 8), 0177, 3);
  expect(leadingNumber("189", 3, 8), 1, 1);
  expect(leadingNumber("12g4", 4, 16), 0x12, 2);
  expect(leadingNumber("", 4, 16), 0, 0);
  expect(leadingNumber("-1", 4, 16), 0, 0);
}

}  // namespace
}  // namespace mb
