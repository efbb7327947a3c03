#include "clone/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace mb::clone {

namespace {

using namespace std::string_literals;

std::string written(const std::function<void(Writer&)>& fill) {
  std::string bytes;
  Writer out(bytes);
  fill(out);
  EXPECT_EQ(out.size(), bytes.size());
  return bytes;
}

// The encoding that both sides implement: a change of any of these is a change of the protocol.
TEST(CloneFormatTest, GoldenBytes) {
  const std::pair<std::string, std::string> cases[] = {
      {written([](Writer& out) { out.tag(Tag::undefined); }), "\x00"s},
      {written([](Writer& out) { out.tag(Tag::yes); }), "\x03"s},
      {written([](Writer& out) { out.integer(0); }), "\x04\x00"s},
      {written([](Writer& out) { out.integer(-1); }), "\x04\x01"s},
      {written([](Writer& out) { out.integer(64); }), "\x04\x80\x01"s},
      {written([](Writer& out) { out.integer(INT32_MAX); }), "\x04\xfe\xff\xff\xff\x0f"s},
      {written([](Writer& out) { out.integer(INT32_MIN); }), "\x04\xff\xff\xff\xff\x0f"s},
      {written([](Writer& out) { out.real(1.5); }), "\x05\x00\x00\x00\x00\x00\x00\xf8\x3f"s},
      {written([](Writer& out) { out.string("ä"); }), "\x07\x02\xc3\xa4"s},
      {written([](Writer& out) { out.date(1); }), "\x08\x00\x00\x00\x00\x00\x00\xf0\x3f"s},
      {written([](Writer& out) { out.bytes("\xff\x00"s); }), "\x09\x02\xff\x00"s},
      {written([](Writer& out) {
         out.tag(Tag::object);
         out.count(1);
         out.text("a");
         out.tag(Tag::null);
       }),
       "\x0b\x01\x01"
       "a\x01"s},
      {written([](Writer& out) { out.u32(0x01020304); }), "\x04\x03\x02\x01"s},
      {written([](Writer& out) { out.u64(0x0102030405060708); }), "\x08\x07\x06\x05\x04\x03\x02\x01"s},
      {written([](Writer& out) { out.count(300); }), "\xac\x02"s},
      {written([](Writer& out) { out.count(UINT32_MAX); }), "\xff\xff\xff\xff\x0f"s},
      {written([](Writer& out) { out.text(std::string(200, 'x')); }), "\xc8\x01" + std::string(200, 'x')},
  };
  for (const auto& [bytes, golden] : cases) EXPECT_EQ(bytes, golden);
}

TEST(CloneFormatTest, ReadsWhatWasWritten) {
  for (const int32_t value : {0, 1, -1, 63, 64, -64, -65, 8191, 1 << 20, INT32_MAX, INT32_MIN}) {
    const std::string bytes = written([&](Writer& out) { out.integer(value); });
    Reader in(bytes);
    EXPECT_EQ(in.tag(), Tag::integer);
    EXPECT_EQ(in.integer(), value);
    EXPECT_TRUE(in.atEnd() && !in.failed());
  }
  for (const double value : {0.0, -0.0, 1e300, -1.25, HUGE_VAL}) {
    const std::string bytes = written([&](Writer& out) { out.real(value); });
    Reader in(bytes);
    EXPECT_EQ(in.tag(), Tag::real);
    const double read = in.real();
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
}

TEST(CloneFormatTest, AFailureStays) {
  Reader in(
      "\x07\x05"
      "abc");
  EXPECT_EQ(in.tag(), Tag::string);
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.failed());
  EXPECT_TRUE(in.atEnd());
  EXPECT_EQ(in.byte(), 0);
  EXPECT_EQ(in.u32(), 0U);
  EXPECT_EQ(in.u64(), 0U);
  EXPECT_EQ(in.count(), 0U);
  EXPECT_EQ(in.tag(), Tag::undefined);
  EXPECT_EQ(in.raw(), "");
  EXPECT_TRUE(in.failed());
}

// Values nested `depth` times in arrays.
std::string nested(int depth) {
  std::string bytes;
  for (int i = 0; i < depth; ++i) bytes += "\x0a\x01"s;
  return bytes + "\x01";
}

TEST(CloneFormatTest, WholeValues) {
  const std::string cases[] = {
      "\x00"s,
      "\x01",
      "\x04\x80\x80\x80\x80\x08"s,
      "\x05\x00\x00\x00\x00\x00\x00\xf8\x7f"s,  // not a number
      "\x06\x01"
      "0",
      "\x06\x02-7",
      "\x06\x90\x03" + std::string(400, '9'),
      "\x07\x00"s,
      "\x07\x04\xf0\x9f\x98\x80",
      "\x09\x03\xff\xfe\xfd",
      "\x0a\x00"s,
      "\x0a\x02\x01\x0a\x01\x02"s,
      "\x0b\x02\x01"
      "a\x01\x00\x02"s,
      "\x0c\x01\x07\x01k\x04\x02"s,
      "\x0d\x02\x01\x01"s,
      "\x0e\x02"
      "a+\x01i",
      "\x0f\x05"
      "Error\x01x",
      nested(kMaxDepth),
  };
  for (const std::string& bytes : cases) {
    const auto whole = wholeValue(bytes);
    ASSERT_TRUE(whole) << testing::PrintToString(bytes);
    EXPECT_EQ(*whole, bytes);
    EXPECT_EQ(wholeValue(bytes + "more"), bytes);
    // No prefix of a value is a value.
    for (size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_FALSE(wholeValue(bytes.substr(0, cut))) << cut;
  }
}

TEST(CloneFormatTest, HostileBytes) {
  const std::string cases[] = {
      ""s,
      "\x10"s,  // unknown tag
      "\xff"s,
      "\x04\x80\x00"s,              // longer than necessary
      "\x04\xff\xff\xff\xff\x1f"s,  // more than 32 bits
      "\x04\x80\x80\x80\x80\x80\x01"s,
      "\x06\x00"s,  // no digits
      "\x06\x01-"s,
      "\x06\x02-0"s,
      "\x06\x02"
      "07"s,
      "\x06\x03+12"s,
      "\x06\x03"
      "1e5"s,
      "\x06\x91\x03" + std::string(401, '9'),
      "\x07\xff\xff\xff\xff\x0f"s,  // a length beyond the input
      "\x07\x01\xff"s,              // not UTF-8
      "\x07\x02\xc0\x80"s,
      "\x07\x03\xed\xa0\x80"s,  // a surrogate
      "\x07\x04\xf4\x90\x80\x80"s,
      "\x07\x09"
      "abcdefgh\x80"s,
      "\x0a\xff\xff\xff\xff\x0f"s,  // four thousand million entries
      "\x0a\x05\x01\x01"s,
      "\x0b\x02\x01"
      "a\x01"s,
      "\x0b\x01\x01\xff\x01"s,  // a key that is not UTF-8
      "\x0c\x01\x01"s,          // a key without a value
      "\x0e\x01"
      "a"s,
      nested(kMaxDepth + 1),
      nested(100'000),
  };
  for (const std::string& bytes : cases) EXPECT_FALSE(wholeValue(bytes)) << testing::PrintToString(bytes.substr(0, 20));
}

TEST(CloneFormatTest, CountsAreHeldToWhatIsThere) {
  Reader in("\x04\x01\x01\x01\x01");
  EXPECT_EQ(in.count(1), 4U);
  Reader pairs("\x02\x01\x01\x01");
  EXPECT_EQ(pairs.count(2), 0U);
  EXPECT_TRUE(pairs.failed());
}

TEST(CloneFormatTest, WellFormed) {
  const std::pair<std::string, bool> cases[] = {
      {"", true},
      {"plain text, longer than a word of the machine", true},
      {"aä€😀 and so on", true},
      {"\xf4\x8f\xbf\xbf", true},
      {"\xef\xbf\xbf", true},
      {"\x80", false},
      {"\xc2", false},
      {"\xe0\x9f\xbf", false},
      {"\xe2\x82", false},
      {"\xed\xbf\xbf", false},
      {"\xf0\x8f\xbf\xbf", false},
      {"\xf0\x9f\x98", false},
      {"\xf5\x80\x80\x80", false},
      {"12345678\xc3", false},
      {"1234567\xc3\xa4", true},
  };
  for (const auto& [text, well] : cases) EXPECT_EQ(wellFormed(text), well) << testing::PrintToString(text);
}

}  // namespace

}  // namespace mb::clone
