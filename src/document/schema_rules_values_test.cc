// JSON Schema 2020-12, "A Vocabulary for Structural Validation" 6.1 to 6.3, rule by rule: any type, numbers, strings.
#include "document/testing.h"

namespace mb::doc {
namespace {

class SchemaValueRules : public testing::TestWithParam<Sample> {};

TEST_P(SchemaValueRules, ValidatesValues) {
  expectSample(GetParam());
}

// One value of each kind that a document can hold.
const std::string kObject = R"({"k":1})";
const std::string kLong = "5000000000";
const std::string kDecimalHalf = R"({"$numberDecimal":"0.5"})";
const std::string kDecimalWhole = R"({"$numberDecimal":"7.00"})";
const std::string kDate = R"({"$date":0})";
const std::string kObjectId = R"({"$oid":"0123456789abcdef01234567"})";
const std::string kBinary = R"({"$binary":"AQID"})";

// 6.1.1 type: each of the seven names against each kind of value; dates, object ids and binary match none of them.
INSTANTIATE_TEST_SUITE_P(
    Type, SchemaValueRules,
    testing::Values(
        Sample{R"({"type":"null"})",
               {"null"},
               {"false", "0", "0.5", "\"\"", "[]", kObject, kLong, kDecimalHalf, kDate, kObjectId, kBinary}},
        Sample{R"({"type":"boolean"})",
               {"true", "false"},
               {"null", "0", "1", "\"true\"", "[]", kObject, kLong, kDecimalHalf, kDate, kObjectId, kBinary}},
        Sample{R"({"type":"integer"})",
               {"0", "-7", "7.0", "1e2", kLong, kDecimalWhole, "-9223372036854775808", "1e30"},
               {"null", "false", "0.5", "\"1\"", "[]", kObject, kDecimalHalf, kDate, kObjectId, kBinary}},
        Sample{R"({"type":"number"})",
               {"0", "-7", "7.0", "0.5", "1e-300", kLong, kDecimalHalf, kDecimalWhole},
               {"null", "false", "\"1\"", "[]", kObject, kDate, kObjectId, kBinary}},
        Sample{R"({"type":"string"})",
               {"\"\"", "\"1\"", "\"null\""},
               {"null", "false", "0", "0.5", "[]", kObject, kLong, kDecimalHalf, kDate, kObjectId, kBinary}},
        Sample{R"({"type":"array"})",
               {"[]", "[1]", "[[]]"},
               {"null", "false", "0", "\"\"", "{}", R"({"0":1,"length":1})", kLong, kDecimalHalf, kDate, kBinary}},
        Sample{R"({"type":"object"})",
               {"{}", kObject},
               {"null", "false", "0", "\"\"", "[]", kLong, kDecimalHalf, kDate, kObjectId, kBinary}},
        Sample{R"({"type":["integer"]})", {"1"}, {"1.5", "\"1\""}},
        Sample{R"({"type":["integer","string","null"]})", {"1", "\"x\"", "null"}, {"1.5", "true", "[]", "{}"}},
        Sample{R"({"type":["number","integer"]})", {"1", "1.5"}, {"\"1\""}}));

// 6.1.2 enum and 6.1.3 const: equality of the data model, in which 1 equals 1.0 and the order of names does not count.
INSTANTIATE_TEST_SUITE_P(
    Equality, SchemaValueRules,
    testing::Values(
        Sample{R"({"enum":[10,20]})", {"10", "20.0", R"({"$numberDecimal":"10"})"}, {"11", "\"10\"", "[10]", "null"}},
        Sample{R"({"enum":[0,""]})", {"0", "-0.0", "\"\""}, {"false", "null", "[]", "{}"}},
        Sample{R"({"enum":[false]})", {"false"}, {"0", "0.0", "null", "\"\""}},
        Sample{R"({"enum":[[false]]})", {"[false]"}, {"[0]", "[]", "false", "[[false]]"}},
        Sample{R"({"enum":[{"p":1,"q":[true]}]})",
               {R"({"q":[true],"p":1})", R"({"p":1.0,"q":[true]})"},
               {R"({"p":1})", R"({"p":1,"q":[1]})", R"({"p":1,"q":[true],"r":0})", R"({"p":true,"q":[true]})"}},
        Sample{R"({"enum":["ä","a\u0308"]})", {"\"ä\"", "\"a\\u0308\""}, {"\"a\"", "\"A\\u0308\""}},
        Sample{R"({"enum":["x\u0000y"]})", {"\"x\\u0000y\""}, {"\"xy\"", "\"x\""}},
        Sample{R"({"enum":[1,1]})", {"1"}, {"2"}},
        Sample{R"({"const":2})", {"2", "2.0", "2e0"}, {"3", "\"2\"", "[2]", "true"}},
        Sample{R"({"const":-2.0})", {"-2"}, {"2", "-2.1"}},
        Sample{R"({"const":0})", {"0.0"}, {"false", "{}", "[]", "\"\"", "null"}},
        Sample{R"({"const":true})", {"true"}, {"1", "1.0", "\"true\""}},
        Sample{R"({"const":null})", {"null"}, {"0", "false", "\"\""}},
        Sample{R"({"const":{}})", {"{}"}, {"[]", "null", kObject}},
        Sample{R"({"const":[]})", {"[]"}, {"{}", "[[]]", "null"}},
        Sample{R"({"const":[{"p":{"x":1,"y":2}}]})",
               {R"([{"p":{"y":2,"x":1}}])"},
               {R"([{"p":{"x":2,"y":1}}])", R"({"p":{"x":1,"y":2}})"}},
        Sample{R"({"const":9007199254740992})", {"9007199254740992", "9007199254740992.0"}, {"9007199254740993"}},
        // Adjacent keywords: both must hold.
        Sample{R"({"enum":[1,2,3],"const":2})", {"2"}, {"1", "3"}},
        Sample{R"({"enum":[1,2],"const":5})", {}, {"1", "2", "5"}},
        Sample{R"({"enum":[1,"x"],"type":"string"})", {"\"x\""}, {"1"}}));

// 6.2 numbers; these keywords do not apply to other values.
INSTANTIATE_TEST_SUITE_P(
    Numbers, SchemaValueRules,
    testing::Values(
        Sample{R"({"multipleOf":2})", {"0", "-4", "10", "10.0", kLong, "\"7\"", "null", "[1]"}, {"7", "-1", "0.5"}},
        Sample{R"({"multipleOf":2.5})", {"0", "2.5", "-7.5", "10"}, {"2", "4.9"}},
        Sample{R"({"multipleOf":0.01})",
               {"0.07", "1.13", "4.02", "19.99", "123456789.01", R"({"$numberDecimal":"0.10"})"},
               {"0.075", "0.001", R"({"$numberDecimal":"0.105"})"}},
        Sample{R"({"multipleOf":0.0001})", {"0.0075"}, {"0.00751"}},
        Sample{R"({"multipleOf":1e-8})", {"12391239123", "0.00000001"}, {"0.000000001"}},
        Sample{R"({"multipleOf":0.123456789})", {"0.246913578"}, {"1e308"}},
        Sample{R"({"multipleOf":{"$numberDecimal":"0.1"}})", {"0.3", "2"}, {"0.25"}},
        Sample{R"({"minimum":1.1})", {"1.1", "2", kDecimalWhole, "\"0\"", "null", "[]"}, {"1", "1.0999", kDecimalHalf}},
        Sample{R"({"minimum":-2})", {"-2", "-2.0", "-1", "0"}, {"-3", "-2.0001"}},
        Sample{R"({"maximum":3.0})", {"3", "3.0", "2.6", "-1e300", "true", "{}"}, {"3.0001", "4", kLong}},
        Sample{R"({"maximum":300})", {"300", "300.00"}, {"300.5"}},
        Sample{R"({"maximum":9223372036854775807})", {"9223372036854775807"}, {"9223372036854775808.0", "1e19"}},
        Sample{R"({"exclusiveMinimum":1.1})", {"1.2", "\"1\"", "false"}, {"1.1", "0.6"}},
        Sample{R"({"exclusiveMinimum":9007199254740992.0})", {"9007199254740993"}, {"9007199254740992"}},
        Sample{R"({"exclusiveMaximum":3})", {"2.999", "2", "null"}, {"3", "3.0", "3.5"}},
        Sample{R"({"minimum":5,"maximum":1})", {"\"x\""}, {"0", "3", "6"}},
        Sample{R"({"minimum":1,"exclusiveMinimum":1})", {"1.5"}, {"1"}}));

// 6.3 strings: lengths in Unicode code points, patterns that are not anchored.
INSTANTIATE_TEST_SUITE_P(
    Strings, SchemaValueRules,
    testing::Values(
        Sample{R"({"minLength":2})", {"\"ab\"", "\"äö\"", "5", "[]", "null"}, {"\"a\"", "\"\"", "\"\U0001F4A9\""}},
        Sample{R"({"maxLength":2})", {"\"ab\"", "\"\U0001F4A9\U0001F4A9\"", "\"\"", "100"}, {"\"abc\"", "\"äöü\""}},
        Sample{R"({"maxLength":2.0,"minLength":1.0})", {"\"ab\""}, {"\"\"", "\"abc\""}},
        // A letter with a combining mark counts twice, and an escape once.
        Sample{R"({"maxLength":1})", {"\"\\u0000\"", "\"\\n\""}, {"\"a\\u0308\""}},
        Sample{R"({"maxLength":0})", {"\"\""}, {"\" \""}}, Sample{R"({"minLength":0})", {"\"\""}, {}},
        Sample{R"({"pattern":"^a*$"})", {"\"aaa\"", "\"\"", "true", "1", "{}", "null"}, {"\"abc\"", "\"a\\n\""}},
        Sample{R"({"pattern":"a+"})", {"\"xxaayy\"", "\"a\""}, {"\"xxyy\"", "\"A\"", "\"\""}},
        Sample{R"({"pattern":"^\\S+$"})", {"\"x\""}, {"\"x y\"", "\"\""}},
        Sample{R"({"pattern":"^\\p{Lu}\\p{L}*$"})", {"\"Élan\""}, {"\"élan\"", "\"E1\""}},
        Sample{R"({"pattern":"^.{2}$"})", {"\"äö\"", "\"\U0001F4A9x\""}, {"\"ä\""}},
        Sample{R"({"pattern":"^\\d+$"})", {"\"42\""}, {"\"\\u09ea\\u09e8\""}},
        Sample{R"({"minLength":3,"pattern":"^a"})", {"\"abc\""}, {"\"ab\"", "\"bcd\""}}));

}  // namespace
}  // namespace mb::doc
