// The rules of MongoDB's manual for comparing values in filters, over values of every type, also those that JSON cannot
// express: numbers across types with NaN and infinities, values of different kinds, null and missing values.
#include <cmath>

#include "document/decimal.h"
#include "document/filter.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

Value realValue(double value) {
  BsonWriter out;
  out.appendReal("", value);
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

Value int32Value(int32_t value) {
  BsonWriter out;
  out.appendInt32("", value);
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

Value int64Value(int64_t value) {
  BsonWriter out;
  out.appendInt64("", value);
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

Value decimalValue(const char* text) {
  BsonWriter out;
  out.appendDecimal("", Decimal::parse(text)->toBytes());
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

Value specialDecimal(Decimal::Kind kind, bool negative = false) {
  Decimal decimal;
  decimal.kind = kind;
  decimal.negative = negative;
  BsonWriter out;
  out.appendDecimal("", decimal.toBytes());
  const Document document = out.finish();
  return Value(document.view().begin()->value);
}

Document field(ValueView value) {
  BsonWriter out;
  out.append("a", value);
  return out.finish();
}

bool matches(std::string_view op, ValueView operand, DocumentView document) {
  BsonWriter out;
  out.beginDocument("a");
  out.append(op, operand);
  out.end();
  const Document source = out.finish();
  const auto filter = Filter::parse(source);
  EXPECT_TRUE(filter) << (filter ? "" : filter.error().message());
  return filter && filter->matches(document);
}

// The result of each comparison of two values if the first is less, equal or greater.
void expectOrder(ValueView value, ValueView operand, int order, const std::string& what) {
  const Document document = field(value);
  EXPECT_EQ(matches("$eq", operand, document), order == 0) << what;
  EXPECT_EQ(matches("$ne", operand, document), order != 0) << what;
  EXPECT_EQ(matches("$gt", operand, document), order > 0) << what;
  EXPECT_EQ(matches("$gte", operand, document), order >= 0) << what;
  EXPECT_EQ(matches("$lt", operand, document), order < 0) << what;
  EXPECT_EQ(matches("$lte", operand, document), order <= 0) << what;
}

// Numbers compare by value, whatever their type. The numbers of a row are equal and less than those of the next.
std::vector<std::vector<Value>> numbersAscending() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {{realValue(-infinity), specialDecimal(Decimal::Kind::infinite, true)},
          {decimalValue("-1E+400")},
          {realValue(-1e300)},
          {int64Value(INT64_MIN), realValue(-0x1p63), decimalValue("-9223372036854775808")},
          {int32Value(-5), int64Value(-5), realValue(-5), decimalValue("-5.000")},
          {int32Value(0), int64Value(0), realValue(0), realValue(-0.0), decimalValue("0E+10"), decimalValue("-0")},
          {decimalValue("1E-400")},
          {decimalValue("0.1")},
          {decimalValue("0.1000000000000000055511151231257827")},
          {realValue(0.1)},
          {decimalValue("0.1000000000000000055511151231257828")},
          {realValue(0.5), decimalValue("0.50")},
          {int32Value(1), int64Value(1), realValue(1), decimalValue("1.0")},
          {int64Value(9007199254740992), realValue(9007199254740992.0), decimalValue("9007199254740992")},
          {int64Value(9007199254740993), decimalValue("9007199254740993")},
          {int64Value(INT64_MAX), decimalValue("9223372036854775807")},
          {realValue(0x1p63), decimalValue("9223372036854775808")},
          {decimalValue("1E+400")},
          {realValue(infinity), specialDecimal(Decimal::Kind::infinite)}};
}

TEST(FilterNumbers, CompareByValueAcrossTypes) {
  const auto rows = numbersAscending();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < rows.size(); ++j) {
      for (const Value& value : rows[i]) {
        for (const Value& operand : rows[j]) {
          expectOrder(value, operand, i < j ? -1 : i > j ? 1 : 0, fmt::format("row {} with row {}", i, j));
        }
      }
    }
  }
}

// NaN equals NaN and compares with nothing else.
TEST(FilterNumbers, NanKeepsToItself) {
  const std::vector<Value> nans{realValue(std::nan("")), specialDecimal(Decimal::Kind::notANumber)};
  for (const Value& value : nans) {
    for (const Value& operand : nans) {
      const Document document = field(value);
      for (const char* op : {"$eq", "$gte", "$lte"}) EXPECT_TRUE(matches(op, operand, document)) << op;
      for (const char* op : {"$ne", "$gt", "$lt"}) EXPECT_FALSE(matches(op, operand, document)) << op;
    }
    for (const Value& number : {int32Value(0), realValue(-1e300), decimalValue("5")}) {
      for (const char* op : {"$eq", "$gt", "$gte", "$lt", "$lte"}) {
        EXPECT_FALSE(matches(op, number, field(value))) << op;
        EXPECT_FALSE(matches(op, value, field(number))) << op;
      }
      EXPECT_TRUE(matches("$ne", number, field(value)));
    }
  }
}

// $gt, $gte, $lt and $lte compare values of the operand's kind only; $eq and $ne compare all.
TEST(FilterKinds, CompareWithTheirOwnOnly) {
  const std::vector<std::string> kinds{"null",
                                       "1",
                                       "\"x\"",
                                       R"({"k":1})",
                                       "[1]",
                                       "true",
                                       R"({"$date":1})",
                                       R"({"$oid":"0123456789abcdef01234567"})",
                                       R"({"$binary":"AQ=="})"};
  for (const std::string& one : kinds) {
    for (const std::string& other : kinds) {
      // The number in the array matches as an element.
      if (one == other || (one == "[1]" && other == "1")) continue;
      const Document document = fromJson("{\"a\":" + one + "}");
      const Value operand = valueFromJson(other);
      for (const char* op : {"$eq", "$gt", "$gte", "$lt", "$lte"}) {
        EXPECT_FALSE(matches(op, operand, document)) << one << op << other;
      }
      EXPECT_TRUE(matches("$ne", operand, document)) << one << other;
    }
  }
}

// Rows in ascending order, within one kind.
TEST(FilterKinds, HaveAnOrderOfTheirOwn) {
  const std::vector<std::vector<std::string>> kinds{
      {"\"\"", "\"A\"", "\"B\"", "\"a\"", "\"ab\"", "\"b\"", "\"é\"", "\"\U0001F600\""},
      {"false", "true"},
      {R"({"$date":-1})", R"({"$date":0})", R"({"$date":"2026-01-31T09:30:00Z"})"},
      {R"({"$oid":"000000000000000000000001"})", R"({"$oid":"7f0000000000000000000000"})",
       R"({"$oid":"ff0000000000000000000000"})"},
      {R"({"$binary":""})", R"({"$binary":"/w=="})", R"({"$binary":"AAA="})", R"({"$binary":"AAE="})"},
      // Field by field: first the kind, then the name, then the value; the shorter document is less.
      {"{}", R"({"b":1})", R"({"b":1,"a":0})", R"({"b":2})", R"({"c":0})", R"({"a":"x"})", R"({"a":{}})"}};
  for (const auto& rows : kinds) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < rows.size(); ++j) {
        expectOrder(valueFromJson(rows[i]), valueFromJson(rows[j]), i < j ? -1 : i > j ? 1 : 0, rows[i] + rows[j]);
      }
    }
  }
}

// $type by name and by number, for every type that a document can hold.
TEST(FilterType, KnowsEachByNameAndNumber) {
  struct Named {
    const char* name;
    int number;
    Value value;
  };
  const std::vector<Named> types{{"double", 1, realValue(1)},
                                 {"string", 2, valueFromJson("\"1\"")},
                                 {"object", 3, valueFromJson("{}")},
                                 {"binData", 5, valueFromJson(R"({"$binary":""})")},
                                 {"objectId", 7, valueFromJson(R"({"$oid":"0123456789abcdef01234567"})")},
                                 {"bool", 8, valueFromJson("false")},
                                 {"date", 9, valueFromJson(R"({"$date":0})")},
                                 {"null", 10, Value()},
                                 {"int", 16, int32Value(1)},
                                 {"long", 18, int64Value(1)},
                                 {"decimal", 19, decimalValue("1")},
                                 {"array", 4, valueFromJson("[[]]")}};
  for (const Named& asked : types) {
    for (const Named& held : types) {
      const bool wanted = std::string_view(asked.name) == held.name;
      EXPECT_EQ(matches("$type", valueFromJson(fmt::format("\"{}\"", asked.name)), field(held.value)), wanted)
          << asked.name << held.name;
      EXPECT_EQ(matches("$type", int32Value(asked.number), field(held.value)), wanted) << asked.number << held.name;
      const bool isNumber = held.value.view().isNumber();
      EXPECT_EQ(matches("$type", valueFromJson("\"number\""), field(held.value)), isNumber) << held.name;
    }
    EXPECT_FALSE(matches("$type", int32Value(asked.number), Document())) << "missing is of no type";
  }
}

// $mod truncates dividend, divisor and remainder to integers, and does not match numbers beyond 64 bits or other
// values.
TEST(FilterMod, CutsToIntegers) {
  struct Divided {
    std::string mod;
    std::vector<Value> takes;
    std::vector<Value> leaves;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Divided> cases{
      {"[5,2]", {int32Value(7), int64Value(12), realValue(7.9), decimalValue("2.5")}, {int32Value(8), realValue(-7.0)}},
      {"[5,-2]", {int32Value(-7), realValue(-2.9)}, {int32Value(7), int32Value(3)}},
      {"[-5,2]", {int32Value(7)}, {int32Value(-7)}},
      {"[2.9,1.9]", {int32Value(3)}, {int32Value(2)}},
      {R"([{"$numberDecimal":"3.7"},{"$numberLong":"0"}])", {int32Value(9)}, {int32Value(10)}},
      {"[1,0]",
       {int64Value(INT64_MIN), realValue(-0x1p63)},
       {realValue(infinity), realValue(std::nan("")), realValue(0x1p63), decimalValue("1E+30"),
        specialDecimal(Decimal::Kind::notANumber), valueFromJson("\"1\""), Value()}},
      {"[3,0]", {decimalValue("9007199254740993")}, {decimalValue("9007199254740992")}}};
  for (const Divided& given : cases) {
    const Value operand = valueFromJson(given.mod);
    for (const Value& value : given.takes) EXPECT_TRUE(matches("$mod", operand, field(value))) << given.mod;
    for (const Value& value : given.leaves) EXPECT_FALSE(matches("$mod", operand, field(value))) << given.mod;
  }
}

}  // namespace
}  // namespace mb::doc
