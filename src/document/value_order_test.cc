#include "document/value_order.h"

#include "document/decimal.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

// Values in ascending order; those on one line are equal.
const std::vector<std::vector<std::string>> kAscending{
    {"null"},
    {R"({"$numberDecimal": "-1E+6111"})"},
    {"-1e300"},
    {R"({"$numberLong": "-9223372036854775808"})", "-9223372036854775808.0"},
    {"-1"},
    {"0", "-0.0", R"({"$numberLong": "0"})", R"({"$numberDecimal": "0E+3"})", R"({"$numberDecimal": "-0"})"},
    {R"({"$numberDecimal": "1E-6176"})"},
    {"5e-324"},
    {R"({"$numberDecimal": "0.1"})"},
    {"0.1"},  // the double lies above one tenth
    {"1", "1.0", R"({"$numberLong": "1"})", R"({"$numberDecimal": "1.000"})"},
    {"1.5", R"({"$numberDecimal": "1.5"})"},
    {"9007199254740992", "9007199254740992.0"},
    {"9007199254740993"},
    {"9007199254740994.0", R"({"$numberDecimal": "9007199254740994"})"},
    {"9223372036854775807"},
    {"9223372036854775808", R"({"$numberDecimal": "9223372036854775808"})"},
    {"1e300"},
    {R"({"$numberDecimal": "9.999999999999999999999999999999999E+6144"})"},
    {R"("")"},
    {R"("A")"},
    {R"("a")"},
    {R"("a\u0000")"},
    {R"("ab")"},
    {R"("ä")"},
    {"{}"},
    {R"({"a": 1})", R"({"a": 1.0})"},
    {R"({"a": 1, "b": 1})"},
    {R"({"b": 1})"},
    {R"({"a": "x"})"},  // a field's class counts before its name
    {"[]"},
    {"[1]"},
    {"[1, 2]"},
    {"[2]"},
    {R"({"$binary": "AAA="})"},
    {R"({"$binary": {"base64": "AAA=", "subType": "05"}})"},
    {R"({"$binary": "AAAA"})"},
    {R"({"$oid": "000000000000000000000001"})"},
    {R"({"$oid": "ff0000000000000000000000"})"},
    {"false"},
    {"true"},
    {R"({"$date": "1969-12-31T23:59:59.999Z"})"},
    {R"({"$date": "2026-01-31T09:30:00Z"})", R"({"$date": {"$numberLong": "1769851800000"}})"},
};

TEST(CompareValues, OrdersEveryPair) {
  std::vector<std::pair<Value, size_t>> values;
  for (size_t i = 0; i < kAscending.size(); ++i) {
    for (const std::string& text : kAscending[i]) values.emplace_back(valueFromJson(text), i);
  }
  for (const auto& [a, aRank] : values) {
    for (const auto& [b, bRank] : values) {
      const int expected = aRank == bRank ? 0 : aRank < bRank ? -1 : 1;
      EXPECT_EQ(compareValues(a, b), expected) << aRank << " " << bRank;
    }
  }
}

TEST(CompareValues, PutsNanBelowAllNumbers) {
  BsonWriter out;
  out.appendReal("nan", std::numeric_limits<double>::quiet_NaN());
  out.appendReal("lowest", -std::numeric_limits<double>::infinity());
  out.appendNull("null");
  const Document document = out.finish();
  const ValueView nan = *document.view().find("nan");
  EXPECT_EQ(compareValues(nan, nan), 0);
  EXPECT_EQ(compareValues(nan, *document.view().find("lowest")), -1);
  EXPECT_EQ(compareValues(nan, *document.view().find("null")), 1);
}

Decimal decimal(std::string_view text) {
  return Decimal::parse(text).value();
}

TEST(Decimal, AddsAndMultipliesRoundedToTheEven) {
  EXPECT_EQ(add(decimal("0.1"), decimal("0.2"))->toText(), "0.3");
  EXPECT_EQ(add(decimal("1E+40"), decimal("1"))->toReal(), 1e40);
  EXPECT_EQ(add(decimal("1E+400"), decimal("-1"))->toText(), add(decimal("1E+400"), decimal("0"))->toText());
  EXPECT_EQ(add(decimal("9999999999999999999999999999999999"), decimal("1"))->toText(),
            "1.000000000000000000000000000000000E+34");
  // Exactly half a unit beyond the last digit: to the even neighbour.
  EXPECT_EQ(add(decimal("1000000000000000000000000000000000"), decimal("0.5"))->toText(),
            "1000000000000000000000000000000000");
  EXPECT_EQ(add(decimal("1000000000000000000000000000000001"), decimal("0.5"))->toText(),
            "1000000000000000000000000000000002");
  EXPECT_EQ(multiply(decimal("1.5"), decimal("-2"))->toText(), "-3.0");
  EXPECT_FALSE(multiply(decimal("1E+6000"), decimal("1E+6000")));
  EXPECT_EQ(multiply(decimal("1E-6000"), decimal("1E-6000"))->coefficient, 0u);
}

TEST(Decimal, KnowsMultiples) {
  EXPECT_TRUE(isMultipleOf(decimal("0.3"), decimal("0.1")));
  EXPECT_TRUE(isMultipleOf(decimal("1E+300"), decimal("7")) == false);
  EXPECT_TRUE(isMultipleOf(decimal("7E+300"), decimal("7")));
  EXPECT_TRUE(isMultipleOf(decimal("-4.50"), decimal("1.5")));
  EXPECT_FALSE(isMultipleOf(decimal("4.6"), decimal("1.5")));
  EXPECT_FALSE(isMultipleOf(decimal("1"), decimal("1E+100")));
  EXPECT_TRUE(isMultipleOf(decimal("0"), decimal("1E+100")));
}

TEST(Decimal, CutsToIntegers) {
  EXPECT_EQ(decimal("-4.9").truncated(), -4);
  EXPECT_EQ(decimal("9223372036854775807.9").truncated(), INT64_MAX);
  EXPECT_EQ(decimal("-9223372036854775808").truncated(), INT64_MIN);
  EXPECT_FALSE(decimal("9223372036854775808").truncated());
  EXPECT_FALSE(decimal("1E+30").truncated());
  EXPECT_EQ(decimal("1E+18").truncated(), 1000000000000000000);
  EXPECT_EQ(decimal("1E-100").truncated(), 0);
}

TEST(Decimal, KeepsItsBytes) {
  for (const char* text : {"0", "-0", "1.50", "-1E-6176", "9.999999999999999999999999999999999E+6144", "Infinity"}) {
    const Decimal value = decimal(text);
    EXPECT_EQ(Decimal::fromBytes(value.toBytes()).toBytes(), value.toBytes()) << text;
    EXPECT_EQ(value.toText(), text);
  }
}

}  // namespace
}  // namespace mb::doc
