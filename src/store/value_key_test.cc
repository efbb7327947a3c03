#include "store/value_key.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/crypto.h"
#include "document/decimal.h"
#include "document/json.h"
#include "document/value_order.h"

namespace mb::store {

namespace {

doc::Value fromJson(std::string_view text) {
  auto parsed = doc::parseJsonValue(text);
  EXPECT_TRUE(parsed) << text;
  return doc::Value(parsed->view().begin()->value);
}

doc::Value real(double value) {
  doc::BsonWriter writer;
  writer.appendReal("", value);
  const doc::Document document = writer.finish();
  return doc::Value(document.view().begin()->value);
}

doc::Value decimal(std::string_view text) {
  doc::BsonWriter writer;
  writer.appendDecimal("", doc::Decimal::parse(text).value().toBytes());
  const doc::Document document = writer.finish();
  return doc::Value(document.view().begin()->value);
}

doc::Value int64(int64_t value) {
  doc::BsonWriter writer;
  writer.appendInt64("", value);
  const doc::Document document = writer.finish();
  return doc::Value(document.view().begin()->value);
}

std::string encoded(doc::ValueView value, bool descending = false) {
  std::string out;
  appendValueKey(out, value, descending);
  return out;
}

std::string hex(std::string_view bytes) {
  return toHex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

int sign(int n) {
  return n < 0 ? -1 : n > 0 ? 1 : 0;
}

// A few values of each type, and the numbers at the limits of the types.
std::vector<doc::Value> values() {
  std::vector<doc::Value> all;
  for (const char* text : {"null",
                           "true",
                           "false",
                           "0",
                           "1",
                           "-1",
                           "2147483647",
                           "-2147483648",
                           "1.5",
                           "-1.5",
                           "1e300",
                           "-1e300",
                           "5e-324",
                           "9007199254740991",
                           "9007199254740992",
                           "9007199254740993",
                           "9007199254740994",
                           "-9007199254740993",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "9223372036854775806",
                           "0.1",
                           "0.5",
                           R"("")",
                           R"("a")",
                           R"("ab")",
                           R"("a\u0000")",
                           R"("a\u0000b")",
                           R"("a\u0001")",
                           R"("b")",
                           R"("\u00ff")",
                           "{}",
                           R"({"a":1})",
                           R"({"a":1.0,"b":2})",
                           R"({"a":"1"})",
                           R"({"b":1})",
                           R"({"a":{"a":1}})",
                           R"({"a":1,"b":null})",
                           "[]",
                           "[1]",
                           "[1,2]",
                           "[[1],2]",
                           R"(["a"])",
                           R"({"$date":"1960-01-01T00:00:00Z"})",
                           R"({"$date":"2026-01-01T00:00:00Z"})",
                           R"({"$oid":"000000000000000000000001"})",
                           R"({"$oid":"ffffffffffffffffffffffff"})",
                           R"({"$binary":{"base64":"AA==","subType":"00"}})",
                           R"({"$binary":{"base64":"AAA=","subType":"00"}})",
                           R"({"$binary":{"base64":"/w==","subType":"05"}})"}) {
    all.push_back(fromJson(text));
  }
  for (const double value :
       {std::nan(""), -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), -0.0,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), 9007199254740992.0,
        9007199254740994.0, 9223372036854775808.0, -9223372036854775808.0, 0.1, std::nextafter(0.1, 1),
        std::nextafter(0.1, 0)}) {
    all.push_back(real(value));
  }
  for (const char* text : {"0",
                           "-0",
                           "0E+100",
                           "1",
                           "1.0",
                           "1.00",
                           "0.1",
                           "0.1000000000000000055511151231257827021181583404541015625",
                           "0.5",
                           "-0.1",
                           "1E+400",
                           "-1E+400",
                           "1E-400",
                           "-1E-400",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "9007199254740993",
                           "9007199254740992.5",
                           "9223372036854775807.5",
                           "9223372036854775807",
                           "1E+308",
                           "1.7976931348623157E+308",
                           "2E+308",
                           "4.9E-324",
                           "5E-324",
                           "9.999999999999999999999999999999999E+6144",
                           "1E-6176"}) {
    if (doc::Decimal::parse(text)) all.push_back(decimal(text));
  }
  all.push_back(int64(1));
  all.push_back(int64(std::numeric_limits<int64_t>::min()));
  return all;
}

}  // namespace

TEST(ValueKeyTest, OrdersAsCompareValuesDoes) {
  const auto all = values();
  for (const doc::Value& a : all) {
    for (const doc::Value& b : all) {
      const int expected = doc::compareValues(a, b);
      EXPECT_EQ(sign(encoded(a).compare(encoded(b))), expected) << hex(encoded(a)) << " " << hex(encoded(b));
      EXPECT_EQ(sign(encoded(a, true).compare(encoded(b, true))), -expected)
          << hex(encoded(a)) << " " << hex(encoded(b));
    }
  }
}

TEST(ValueKeyTest, NoEncodingIsAPrefixOfAnother) {
  const auto all = values();
  for (const doc::Value& a : all) {
    for (const doc::Value& b : all) {
      if (encoded(a) == encoded(b)) continue;
      EXPECT_FALSE(encoded(a).starts_with(encoded(b))) << hex(encoded(a)) << " " << hex(encoded(b));
    }
  }
}

TEST(ValueKeyTest, GoldenBytes) {
  struct Case {
    doc::Value value;
    const char* bytes;
  };
  for (const Case& c : std::vector<Case>{
           {fromJson("null"), "10"},
           {fromJson("true"), "4801"},
           {fromJson("0"), "18800000000000000000"},
           {fromJson("1"), "18bff000000000000000"},
           {real(1), "18bff000000000000000"},
           {decimal("1.0"), "18bff000000000000000"},
           {fromJson("-1"), "18400fffffffffffffff"},
           {fromJson("9007199254740993"), "18c3400000000000000180100a010108020a0a0306050805010a0a0400"},
           {decimal("0.1"), "18bfb99999999999990180000200"},
           {real(std::nan("")), "18000000000000000000"},
           {fromJson(R"("a\u0000b")"), "206100ff620000"},
           {fromJson(R"({"a":1})"), "2818610000bff00000000000000000"},
           {fromJson(R"(["a"])"), "302061000000"},
           {fromJson(R"({"$date":"1970-01-01T00:00:00.001Z"})"), "508000000000000001"},
       }) {
    EXPECT_EQ(hex(encoded(c.value)), c.bytes);
  }
  EXPECT_EQ(hex(encoded(fromJson("true"), true)), "b7fe");
}

TEST(ValueKeyTest, LongValuesAreCutButStayApart) {
  const auto text = [](size_t size, char last) { return fromJson('"' + std::string(size - 1, 'x') + last + '"'); };
  EXPECT_EQ(encoded(text(509, 'a')).size(), 512u);
  for (const size_t size : {510u, 600u, 100000u}) {
    const std::string a = encoded(text(size, 'a'));
    EXPECT_EQ(a.size(), kFieldCap + 32);
    EXPECT_NE(a, encoded(text(size, 'b')));
    EXPECT_EQ(a, encoded(text(size, 'a')));
    EXPECT_LT(a, encoded(fromJson(R"("y")")));
    EXPECT_GT(a, encoded(fromJson(R"("x")")));
    EXPECT_EQ(encoded(text(size, 'a'), true).size(), kFieldCap + 32);
  }
  std::string whole;
  EXPECT_FALSE(appendValueKey(whole, text(2000, 'a'), false, kNoCap));
  EXPECT_EQ(whole.size(), 2003u);
}

TEST(ValueKeyTest, SizesAreReadFromTheBytes) {
  std::vector<doc::Value> all = values();
  for (const char* text :
       {R"([1,[],{"a":"b\u0000","c":[null,{}]}])", R"({"a":{"b":1.5},"c":"\u0000"})", R"("\u0000\u0000")",
        R"({"$date":"1969-01-01T00:00:00Z"})", R"({"$numberDecimal":"-0.1"})"}) {
    all.push_back(fromJson(text));
  }
  for (const doc::Value& value : all) {
    for (const bool descending : {false, true}) {
      std::string bytes;
      appendValueKey(bytes, value, descending, kNoCap);
      const size_t size = bytes.size();
      EXPECT_EQ(valueKeySize(bytes + std::string("id\0\xFF", 4), descending), size) << hex(bytes);
      EXPECT_EQ(valueKeySize(std::string_view(bytes).substr(0, size - 1), descending), 0u) << hex(bytes);
    }
  }
  std::string empty;
  appendEmptyArrayKey(empty, true);
  EXPECT_EQ(valueKeySize(empty + "x", true), 1u);
  EXPECT_EQ(valueKeySize("", false), 0u);
  EXPECT_EQ(valueKeySize("\x01", false), 0u);
}

}  // namespace mb::store
