#include "document/json.h"

#include <cmath>

#include "document/testing.h"
#include "document/value_order.h"

namespace mb::doc {
namespace {

using namespace std::string_literals;

struct RoundTrip {
  std::string in;
  std::string out;
};

class JsonRoundTrip : public testing::TestWithParam<RoundTrip> {};

TEST_P(JsonRoundTrip, GivesTheText) {
  const auto document = parseJson(GetParam().in);
  ASSERT_TRUE(document) << GetParam().in << ": " << document.error().message();
  EXPECT_TRUE(Document::fromUntrusted(document->bytes()));
  EXPECT_EQ(toJson(*document), GetParam().out);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, JsonRoundTrip,
    testing::Values(RoundTrip{"{}", "{}"}, RoundTrip{" \n{ } \t", "{}"}, RoundTrip{R"({"":1})", R"({"":1})"},
                    RoundTrip{R"({"a":[],"b":{},"c":[[],{}]})", R"({"a":[],"b":{},"c":[[],{}]})"},
                    RoundTrip{R"({"t":true,"f":false,"n":null})", R"({"t":true,"f":false,"n":null})"},
                    RoundTrip{R"({"a":0,"b":-1,"c":2147483648,"d":-9223372036854775808})",
                              R"({"a":0,"b":-1,"c":2147483648,"d":-9223372036854775808})"},
                    RoundTrip{R"({"a":9223372036854775807})", R"({"a":9223372036854775807})"},
                    RoundTrip{R"({"a":-0,"b":0.0,"c":1.0,"d":1e2,"e":0.1,"f":-1.5e-7})",
                              R"({"a":-0,"b":0,"c":1,"d":100,"e":0.1,"f":-1.5e-07})"},
                    RoundTrip{R"({"a":18446744073709551615})", R"({"a":18446744073709551616})"},
                    RoundTrip{R"({"s":"\"\\\/\b\f\n\r\t\u0001\u00e9\ud83d\ude00"})",
                              "{\"s\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\u00e9\U0001F600\"}"},
                    RoundTrip{"{\"s\":\"plain text of more than eight bytes \u00e9\"}",
                              "{\"s\":\"plain text of more than eight bytes \u00e9\"}"},
                    RoundTrip{R"({"a\u0062":{"\n":1}})", R"({"ab":{"\n":1}})"},
                    RoundTrip{R"({"$set":{"a.b":1},"x":{"$gt":5}})", R"({"$set":{"a.b":1},"x":{"$gt":5}})"},
                    // Extended JSON.
                    RoundTrip{R"({"d":{"$date":"2026-01-31T09:30:00Z"}})", R"({"d":"2026-01-31T09:30:00.000Z"})"},
                    RoundTrip{R"({"d":{"$date":{"$numberLong":"-1"}}})", R"({"d":"1969-12-31T23:59:59.999Z"})"},
                    RoundTrip{R"({"d":{"$date":0}})", R"({"d":"1970-01-01T00:00:00.000Z"})"},
                    RoundTrip{R"({"i":{"$oid":"0123456789abcdefABCDEF01"}})", R"({"i":"0123456789abcdefabcdef01"})"},
                    RoundTrip{R"({"a":[1,{"$oid":"0123456789abcdef01234567"},2]})",
                              R"({"a":[1,"0123456789abcdef01234567",2]})"},
                    RoundTrip{R"({"n":{"$numberDecimal":"1.10"}})", R"({"n":"1.10"})"},
                    RoundTrip{R"({"n":{"$numberLong":"5"},"m":{"$numberInt":"6"},"o":{"$numberDouble":"7"}})",
                              R"({"n":5,"m":6,"o":7})"},
                    RoundTrip{R"({"b":{"$binary":{"base64":"AQID","subType":"00"}}})", R"({"b":"AQID"})"},
                    RoundTrip{R"({"b":{"$binary":{"subType":"4","base64":"AQID"}},"c":{"$binary":"AQID"}})",
                              R"({"b":"AQID","c":"AQID"})"},
                    RoundTrip{R"({"b":{"$binary":"AQID","$type":"80"}})", R"({"b":"AQID"})"},
                    // Not extended: with another key, or a name that is not one of these.
                    RoundTrip{R"({"d":{"$date":"x","$gt":1}})", R"({"d":{"$date":"x","$gt":1}})"},
                    RoundTrip{R"({"d":{"$type":"string"}})", R"({"d":{"$type":"string"}})"},
                    RoundTrip{R"({"$oid":"x"})", R"({"$oid":"x"})"},
                    RoundTrip{R"({"d":{"$regularExpression":{"pattern":"a","options":""}}})",
                              R"({"d":{"$regularExpression":{"pattern":"a","options":""}}})"}));

class JsonRefused : public testing::TestWithParam<std::string> {};

TEST_P(JsonRefused, IsInvalidJson) {
  const auto document = parseJson(GetParam());
  ASSERT_FALSE(document) << GetParam() << " became " << toJson(*document);
  EXPECT_EQ(document.error().code(), ErrorCode::invalidJson);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, JsonRefused,
    testing::Values(
        "", " ", "null", "1", "[]", "\"a\"", "{", "}", "{]", "[}", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,})",
        R"({,"a":1})", R"({"a" 1})", R"({a:1})", R"({'a':1})", R"({"a":1}})", R"({"a":1}{"b":2})", R"({"a":1} x)",
        R"({"a":1} ,)", R"({"a":01})", R"({"a":1.})", R"({"a":.5})", R"({"a":+1})", R"({"a":-})", R"({"a":1e})",
        R"({"a":1e400})", R"({"a":-1e400})", R"({"a":0x10})", R"({"a":NaN})", R"({"a":Infinity})", R"({"a":1_000})",
        R"({"a":tru})", R"({"a":truex})", R"({"a":nul})", R"({"a":nulll})", R"({"a":falsE})", R"({"a":True})",
        R"({"a":[1,]})", R"({"a":[1 2]})", R"({"a":[,1]})", R"({"a":[1})", R"({"a":{"b":[1,2}})", R"({"a":"x)",
        R"({"a":"\x"})", R"({"a":"\u12"})", R"({"a":"\u12G4"})", "{\"a\":\"\n\"}", "{\"a\":\"\t\"}", "{\"a\":\"\x01\"}",
        "{\"a\":\"\xff\"}", "{\"\xc3\":1}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xc0\x80\"}", "{\"a\":1}\xff",
        "{\"a\":1\0}"s, "{\"a\":1}\0"s, "\xef\xbb\xbf{}", R"({"a":"\ud800"})", R"({"a":"\udc00"})",
        R"({"a":"\ud800x"})", R"({"a":"\ud800\u0041"})", R"({"a":"\udc00\ud800"})", R"({"a":"\ud800\ud800"})",
        R"({"a":"\ud800\ue000"})", R"({"\ud800":1})", R"({"a\u0000b":1})",
        // Duplicate keys, at any level, also when written differently.
        R"({"a":1,"a":1})", R"({"a":1,"b":2,"a":3})", R"({"x":{"a":1,"a":2}})", R"({"x":[{"a":1,"a":2}]})",
        R"({"a":1,"\u0061":2})", R"({"":1,"":2})",
        // Malformed extended JSON.
        R"({"a":{"$date":"yesterday"}})", R"({"a":{"$date":1.5}})", R"({"a":{"$date":null}})", R"({"a":{"$oid":"12"}})",
        R"({"a":{"$oid":"0123456789abcdef0123456x"}})", R"({"a":{"$oid":5}})", R"({"a":{"$numberDecimal":"NaN"}})",
        R"({"a":{"$numberDecimal":"Infinity"}})", R"({"a":{"$numberDecimal":"1.x"}})", R"({"a":{"$numberDecimal":1}})",
        R"({"a":{"$numberLong":"1.5"}})", R"({"a":{"$numberLong":"9223372036854775808"}})",
        R"({"a":{"$numberLong":""}})", R"({"a":{"$numberInt":"2147483648"}})", R"({"a":{"$numberDouble":"NaN"}})",
        R"({"a":{"$numberDouble":"Infinity"}})", R"({"a":{"$numberDouble":"inf"}})", R"({"a":{"$numberDouble":"1 "}})",
        R"({"a":{"$binary":"***"}})", R"({"a":{"$binary":{"base64":"AQID"}}})",
        R"({"a":{"$binary":{"base64":"AQID","subType":"zz"}}})", R"({"a":{"$binary":{"base64":1,"subType":"00"}}})",
        R"({"a":{"$binary":{"base64":"AQID","subType":"00","x":1}}})"));

TEST(ParseJson, GivesNumbersTheirTypes) {
  const Document document = fromJson(
      R"({"i":5,"l":5000000000,"d":5.0,"z":-0,"e":5e0,"u":9223372036854775808,"big":123456789012345678901234567890})");
  const auto type = [&](const char* key) { return document.view().find(key)->type(); };
  EXPECT_EQ(type("i"), BsonType::int32);
  EXPECT_EQ(type("l"), BsonType::int64);
  EXPECT_EQ(type("d"), BsonType::real);
  EXPECT_EQ(type("e"), BsonType::real);
  EXPECT_EQ(type("u"), BsonType::real);
  EXPECT_EQ(document.view().find("big")->asReal(), 123456789012345678901234567890.0);
  EXPECT_EQ(type("z"), BsonType::real);
  EXPECT_TRUE(std::signbit(document.view().find("z")->asReal()));
}

std::string arrays(int depth) {
  return "{\"a\":" + std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']') + "}";
}

TEST(ParseJson, CountsNesting) {
  EXPECT_TRUE(parseJson(arrays(99)));
  EXPECT_FALSE(parseJson(arrays(100)));
  EXPECT_FALSE(parseJson(arrays(100000)));
  EXPECT_FALSE(parseJson("{\"a\":" + std::string(500000, '[')));
  EXPECT_TRUE(parseJson(arrays(1), {.maxDepth = 2}));
  EXPECT_FALSE(parseJson(arrays(2), {.maxDepth = 2}));
}

TEST(ParseJson, LeavesExtendedObjectsAloneWhereTold) {
  const auto document = parseJson(R"({"a":{"$date":"never"}})", {.extended = ExtendedJson::refuse});
  ASSERT_TRUE(document);
  EXPECT_EQ(toJson(*document), R"({"a":{"$date":"never"}})");
}

std::string manyKeys(int count, bool repeatLast) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("\"key{}\":{},", i, i);
  return text + fmt::format("\"{}\":0}}", repeatLast ? fmt::format("key{}", count / 2) : "last");
}

TEST(ParseJson, FindsDuplicatesAmongManyKeys) {
  for (const int count : {1, 15, 16, 17, 50000}) {
    EXPECT_TRUE(parseJson(manyKeys(count, false))) << count;
    EXPECT_FALSE(parseJson(manyKeys(count, true))) << count;
  }
}

TEST(ParseJson, ReadsTextsOfAnySizeOneAfterTheOther) {
  for (const size_t size : {10u, 100000u, 300000u, 20u, 260000u, 5u}) {
    const std::string text = "{\"a\":\"" + std::string(size, 'x') + "\\n\",\"b\":\"" + std::string(size, 'y') + "\"}";
    const Document document = fromJson(text);
    EXPECT_EQ(document.view().stringOr("a").size(), size + 1);
    EXPECT_EQ(document.view().stringOr("b"), std::string(size, 'y'));
  }
}

TEST(ParseJson, KeepsArrayPositionsBeyondThoseItPrepared) {
  std::string text = "{\"a\":[";
  for (int i = 0; i < 1200; ++i) text += R"({"$numberLong":"1"},[[1],{"a":[1]}],)";
  const Document document = fromJson(text + "0]}");
  EXPECT_TRUE(Document::fromUntrusted(document.bytes()));
  EXPECT_EQ(document.view().find("a")->asDocument().count(), 2401u);
}

TEST(ParseJsonValue, TakesOneValueOnly) {
  for (const char* text : {"1", " null ", "\"x\"", "[1,2]", "{\"a\":1}", "true", "-0.5"}) {
    EXPECT_TRUE(parseJsonValue(text)) << text;
  }
  EXPECT_EQ(valueFromJson(R"({"$oid":"0123456789abcdef01234567"})").type(), BsonType::objectId);
  for (const char* text : {"", " ", "1,2", "1]", "1],[2", "]", "[", "1]]", "\"a", "{\"a\":1", "1 2", ",", "1,"}) {
    const auto value = parseJsonValue(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code(), ErrorCode::invalidJson);
  }
}

TEST(WriteJson, PrintsRealsThatReadBackTheSame) {
  for (const double real : {0.1, 1e-7, 123456.789, 1e20, 1e21, 1.7976931348623157e308, 5e-324, -2.5, 4503599627370497.5,
                            100000.0, 0.000001, 9007199254740993.0}) {
    BsonWriter out;
    out.appendReal("r", real);
    const std::string text = toJson(out.finish());
    EXPECT_EQ(fromJson(text).view().find("r")->toReal(), real) << text;
  }
  BsonWriter out;
  out.appendReal("a", 100000);
  out.appendReal("b", 1e20);
  out.appendReal("c", 1e21);
  out.appendReal("d", 0.00001);
  out.appendReal("e", std::numeric_limits<double>::infinity());
  EXPECT_EQ(toJson(out.finish()), R"({"a":100000,"b":100000000000000000000,"c":1e+21,"d":0.00001,"e":null})");
}

TEST(WriteJson, WritesTypesWithoutAJsonFormAsStrings) {
  BsonWriter out;
  out.append("r", ValueView(BsonType::regex, "a\"+\0i\0", 6));
  out.append("t", ValueView(BsonType::timestamp, "\1\0\0\0\2\0\0\0", 8));
  out.append("min", ValueView(BsonType::minKey, "", 0));
  out.append("max", ValueView(BsonType::maxKey, "", 0));
  EXPECT_EQ(toJson(out.finish()), R"x({"r":"/a\"+/i","t":"Timestamp(2, 1)","min":"MinKey","max":"MaxKey"})x");
}

TEST(WriteJson, EscapesAtEveryPlaceOfAWord) {
  for (size_t at = 0; at < 20; ++at) {
    for (const char special : {'"', '\\', '\n', '\x1f', '\0'}) {
      std::string text(20, 'x');
      text[at] = special;
      BsonWriter out;
      out.appendString("s", text);
      const std::string json = toJson(out.finish());
      EXPECT_EQ(fromJson(json).view().stringOr("s"), text);
    }
  }
  std::string high;
  writeJsonString(high, "\x7f\u0080\uffff\U0010ffff        ");
  EXPECT_EQ(high, "\"\x7f\u0080\uffff\U0010ffff        \"");
}

struct Hidden {
  std::vector<std::string> paths;
  std::string in;
  std::string out;
};

class WriteJsonHidden : public testing::TestWithParam<Hidden> {};

TEST_P(WriteJsonHidden, LeavesThemOutAsStripDoes) {
  const Document document = fromJson(GetParam().in);
  const FieldSet hidden(GetParam().paths);
  std::string text;
  writeJson(text, document, &hidden);
  EXPECT_EQ(text, GetParam().out);
  const Document stripped = hidden.strip(document);
  EXPECT_EQ(toJson(stripped), GetParam().out);
  EXPECT_TRUE(Document::fromUntrusted(stripped.bytes()));
}

INSTANTIATE_TEST_SUITE_P(
    Documents, WriteJsonHidden,
    testing::Values(
        Hidden{{}, R"({"a":1})", R"({"a":1})"}, Hidden{{"a"}, R"({"a":1})", "{}"},
        Hidden{{"a"}, R"({"b":1,"a":{"c":1},"d":[1]})", R"({"b":1,"d":[1]})"},
        Hidden{{"a.b"}, R"({"a":{"b":1,"c":2},"b":3})", R"({"a":{"c":2},"b":3})"},
        Hidden{{"a.b"}, R"({"a":[{"b":1,"c":2},5,{"b":1},[{"b":1,"d":1}]]})", R"({"a":[{"c":2},5,{},[{"d":1}]]})"},
        Hidden{{"a.b", "a.c", "x"}, R"({"a":{"b":1,"c":2},"x":3})", R"({"a":{}})"},
        Hidden{{"a", "a.b"}, R"({"a":{"b":1,"c":2}})", "{}"}, Hidden{{"a.0"}, R"({"a":[1,2,3]})", R"({"a":[2,3]})"},
        Hidden{{"a.0"}, R"({"a":{"0":1,"1":2}})", R"({"a":{"1":2}})"},
        Hidden{{"a.0.b"}, R"({"a":[{"b":1,"c":1},{"b":2}]})", R"({"a":[{"c":1},{"b":2}]})"},
        Hidden{{"a.b.c"}, R"({"a":{"b":[{"c":1,"d":[{"c":1}]}]}})", R"({"a":{"b":[{"d":[{"c":1}]}]}})"},
        Hidden{{"a.b"}, R"({"a":1,"a.b":2})", R"({"a":1,"a.b":2})"}));

}  // namespace
}  // namespace mb::doc
