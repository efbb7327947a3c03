#include "base/utf8.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

std::string encoded(uint32_t codePoint) {
  std::string out = "x";
  appendUtf8(out, codePoint);
  return out.substr(1);
}

TEST(Utf8, AppendsCodePointsOfEachLength) {
  EXPECT_EQ(encoded(0), std::string(1, '\0'));
  EXPECT_EQ(encoded(0x7F), "\x7F");
  EXPECT_EQ(encoded(0x80), "\xC2\x80");
  EXPECT_EQ(encoded(0x7FF), "\xDF\xBF");
  EXPECT_EQ(encoded(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(encoded(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(encoded(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(encoded(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

// Every scalar value is encoded as one well-formed sequence, and the others would not be well-formed.
TEST(Utf8, ScalarValuesAreWellFormed) {
  for (uint32_t codePoint = 0; codePoint <= 0x110000; ++codePoint) {
    const std::string bytes = encoded(codePoint);
    ASSERT_EQ(utf8SequenceLength(bytes, 0), isScalarValue(codePoint) ? bytes.size() : 0) << codePoint;
  }
  EXPECT_FALSE(isScalarValue(uint64_t{1} << 32));
}

}  // namespace
}  // namespace mb
