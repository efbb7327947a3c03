#include "http/utf8_stream.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace mb::http {
namespace {

using namespace std::string_literals;

// How many bytes are accepted, one by one, before an error; the whole length without one.
size_t takenOf(std::string_view text) {
  Utf8Stream stream;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!stream.feed(text.substr(i, 1))) return i;
  }
  return text.size();
}

TEST(Utf8Stream, TakesWhatIsWellFormedHoweverItIsCut) {
  const std::string text =
      "plain text, longer than eight, \u00e9\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\0end"s;
  for (size_t first = 0; first <= text.size(); ++first) {
    for (size_t second = first; second <= text.size(); ++second) {
      Utf8Stream stream;
      const std::string_view all = text;
      ASSERT_TRUE(stream.feed(all.substr(0, first)));
      ASSERT_TRUE(stream.feed(all.substr(first, second - first)));
      ASSERT_TRUE(stream.feed(all.substr(second)));
      ASSERT_TRUE(stream.whole());
    }
  }
}

TEST(Utf8Stream, RefusesTheFirstByteThatCannotBe) {
  const struct {
    std::string text;
    size_t taken;
  } cases[] = {
      {"\x80", 0},              // a continuation without a first byte
      {"a\xBF", 1},             // the same, after a character
      {"\xC0\x80", 0},          // never used
      {"\xC1\xBF", 0},          // never used
      {"\xF5\x80", 0},          // above U+10FFFF
      {"\xFF", 0},              // never used
      {"\xC3(", 1},             // two bytes, the second missing
      {"\xE0\x9F\x80", 1},      // overlong
      {"\xED\xA0\x80", 1},      // a surrogate
      {"\xE2\x82(", 2},         // three bytes, the third missing
      {"\xF0\x8F\x80\x80", 1},  // overlong
      {"\xF4\x90\x80\x80", 1},  // above U+10FFFF
      {"\xF1\x80\x80\xC0", 3},  // four bytes, the fourth missing
      {"12345678\xFF", 8},      // after a run of ASCII
  };
  for (const auto& [text, taken] : cases) EXPECT_EQ(takenOf(text), taken) << testing::PrintToString(text);
}

TEST(Utf8Stream, AgreesWithTheCheckOfWholeTextsOnAllOfThreeBytes) {
  for (int a = 0x70; a <= 0xFF; ++a) {
    for (int b = 0x70; b <= 0xFF; ++b) {
      for (int c = 0x70; c <= 0xFF; ++c) {
        const std::string text = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        Utf8Stream stream;
        ASSERT_EQ(stream.feed(text) && stream.whole(), isUtf8(text)) << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Utf8Stream, KnowsWhenACharacterIsCutOff) {
  for (const std::string_view text : {"\xC3", "\xE2\x82", "\xF0\x9F\x92", "abc\xF0"}) {
    Utf8Stream stream;
    EXPECT_TRUE(stream.feed(text));
    EXPECT_FALSE(stream.whole());
    stream.reset();
    EXPECT_TRUE(stream.whole());
    EXPECT_TRUE(stream.feed("a"));
  }
}

}  // namespace
}  // namespace mb::http
