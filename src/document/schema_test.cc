#include "document/schema.h"

#include <gmock/gmock.h>

#include "base/work_budget.h"
#include "document/testing.h"
#include "document/value_order.h"

namespace mb::doc {
namespace {

std::shared_ptr<const Schema> compiled(std::string_view text) {
  auto schema = Schema::compile(fromJson(text));
  if (!schema) {
    ADD_FAILURE() << text << ": " << schema.error().message();
    return *Schema::compile(Document());
  }
  return *std::move(schema);
}

class SchemaKeyword : public testing::TestWithParam<Sample> {};

TEST_P(SchemaKeyword, ValidatesValues) {
  expectSample(GetParam());
}

const std::string kDateText = R"({"$date":0})";
const std::string kDecimal = R"({"$numberDecimal":"2.50"})";

INSTANTIATE_TEST_SUITE_P(
    Types, SchemaKeyword,
    testing::Values(Sample{"{}", {"1", "null", "\"x\"", "[]", "{}", kDateText}, {}}, Sample{"true", {"1"}, {}},
                    Sample{"false", {}, {"1", "null"}},
                    Sample{R"({"type":"string"})", {"\"\""}, {"1", "null", "[]", "{}", "true", kDateText}},
                    Sample{R"({"type":"integer"})",
                           {"1", "-5", "1.0", "1e3", "5000000000", "1e300", R"({"$numberDecimal":"2.00"})"},
                           {"1.5", "\"1\"", "null", kDecimal}},
                    Sample{R"({"type":"number"})", {"1", "1.5", "5000000000", kDecimal}, {"\"1\"", "true"}},
                    Sample{R"({"type":"boolean"})", {"true", "false"}, {"1", "\"true\"", "null"}},
                    Sample{R"({"type":"null"})", {"null"}, {"0", "\"\""}},
                    Sample{R"({"type":"array"})", {"[]", "[1]"}, {"{}", "1"}},
                    Sample{R"({"type":"object"})", {"{}"}, {"[]", "1"}},
                    Sample{R"({"type":["string","null"]})", {"\"\"", "null"}, {"1"}}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, SchemaKeyword,
    testing::Values(
        Sample{R"({"minimum":5})", {"5", "5.0", "6", "\"1\"", kDateText}, {"4", "4.999", kDecimal}},
        Sample{R"({"maximum":9007199254740992})",
               {"9007199254740992", "9007199254740992.0"},
               {"9007199254740993", "1e300"}},
        Sample{R"({"exclusiveMinimum":5,"exclusiveMaximum":7})", {"6", "5.1"}, {"5", "7", "7.0"}},
        Sample{R"({"minimum":2.5,"maximum":2.5})", {"2.5", kDecimal}, {"2.4", "3"}},
        Sample{R"({"multipleOf":0.1})", {"0.3", "1", "0", "-0.7", "1e20", "1.1"}, {"0.35", "0.01"}},
        Sample{R"({"multipleOf":3})", {"9", "0", "-3", "3.0", "9007199254740993"}, {"4", "1.5", "9007199254740992"}},
        Sample{R"({"multipleOf":0.01})", {"19.99", "4.35", "1.13", "9999999.99"}, {"19.999"}},
        Sample{R"({"multipleOf":1e300})", {"0", "2e300"}, {"1", "1e299"}}));

INSTANTIATE_TEST_SUITE_P(
    Strings, SchemaKeyword,
    testing::Values(Sample{R"({"minLength":2,"maxLength":3})",
                           {"\"ab\"", "\"äöü\"", "\"\U0001F600\U0001F600\"", "5"},
                           {"\"a\"", "\"äöüx\""}},
                    Sample{R"({"pattern":"b+"})", {"\"abba\"", "1"}, {"\"ac\"", "\"\""}},
                    Sample{R"({"pattern":"^[a-z]+$"})", {"\"abc\""}, {"\"abC\"", "\"\""}},
                    Sample{R"({"format":"date-time"})",
                           {"\"2026-01-31T09:30:00Z\"", "\"2026-01-31T09:30:00.123+02:00\"", "5"},
                           {"\"2026-01-31\"", "\"2026-02-30T00:00:00Z\"", "\"2026-01-31T09:30:00\"", "\"\""}},
                    Sample{R"({"format":"date"})",
                           {"\"2024-02-29\""},
                           {"\"2026-02-29\"", "\"2026-1-1\"", "\"20260101\"", "\"2026-01-01T\""}},
                    Sample{R"({"format":"time"})",
                           {"\"09:30:00Z\"", "\"23:59:59.5-05:00\""},
                           {"\"25:00:00Z\"", "\"09:30\"", "\"09:30:00\""}},
                    Sample{R"({"format":"email"})",
                           {"\"a@b.c\"", "\"first.last+tag@sub.example.org\"", "\"a@localhost\""},
                           {"\"a\"", "\"@b.c\"", "\"a@\"", "\"a b@c.d\"", "\"a@b..c\"", "\"a@-b.c\"", "\".a@b.c\"",
                            "\"a..b@c.d\"", "\"a@b.c\\u0000\"", "\"a@b@c\""}},
                    Sample{R"({"format":"uri"})",
                           {"\"https://example.org/a?b=c#d\"", "\"urn:isbn:0451450523\"", "\"mailto:a@b.c\""},
                           {"\"/relative\"", "\"example.org\"", "\"http://a b\"", "\"http://[::1\"", "\"\""}},
                    Sample{R"({"format":"uuid"})",
                           {"\"123e4567-e89b-12d3-a456-426614174000\"", "\"123E4567-E89B-12D3-A456-426614174000\""},
                           {"\"123e4567e89b12d3a456426614174000\"", "\"123e4567-e89b-12d3-a456-42661417400g\""}},
                    Sample{R"({"format":"ipv4"})",
                           {"\"127.0.0.1\""},
                           {"\"127.0.0\"", "\"256.0.0.1\"", "\"1.2.3.4\\u0000\"", "\"::1\""}},
                    Sample{R"({"format":"ipv6"})",
                           {"\"::1\"", "\"2001:db8::8a2e:370:7334\""},
                           {"\"127.0.0.1\"", "\"1::2::3\"", "\"\""}}));

INSTANTIATE_TEST_SUITE_P(
    Containers, SchemaKeyword,
    testing::Values(
        Sample{R"({"enum":[1,"x",null,{"a":1,"b":2},[1]]})",
               {"1.0", "\"x\"", "null", R"({"b":2,"a":1.0})", "[1]"},
               {"2", "\"y\"", R"({"a":1})", "[]", "true"}},
        Sample{R"({"const":{"a":[1,{"x":1,"y":2}]}})", {R"({"a":[1,{"y":2,"x":1}]})"}, {R"({"a":[{"x":1,"y":2},1]})"}},
        Sample{R"({"const":null})", {"null"}, {"0"}},
        Sample{R"({"items":{"type":"integer"},"minItems":1,"maxItems":3})",
               {"[1]", "[1,2,3]", "5"},
               {"[]", "[1,2,3,4]", "[1,\"x\"]"}},
        Sample{R"({"items":false})", {"[]"}, {"[1]"}},
        Sample{R"({"uniqueItems":true})",
               {"[]", "[1,2,\"1\",true,[1],[2]]", R"([{"a":1},{"a":2}])"},
               {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])", "[[1],[1]]", "[null,null]"}},
        Sample{R"({"uniqueItems":false})", {"[1,1]"}, {}},
        Sample{R"({"required":["a","b"]})", {R"({"a":1,"b":null})", "5"}, {R"({"a":1})", "{}"}},
        Sample{R"({"properties":{"a":{"type":"string"}},"additionalProperties":false})",
               {"{}", R"({"a":"x"})"},
               {R"({"a":1})", R"({"b":1})", R"({"id":1})"}},
        Sample{R"({"properties":{"a":true},"additionalProperties":{"type":"integer"}})",
               {R"({"a":"x","b":1})"},
               {R"({"b":"x"})"}},
        Sample{R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})",
               {R"({"x-a":"1"})"},
               {R"({"x-a":1})", R"({"y":"1"})"}},
        Sample{
            R"({"properties":{"x-a":{"minLength":3}},"patternProperties":{"^x-":{"type":"string"},"a$":{"maxLength":4}}})",
            {R"({"x-a":"123"})"},
            {R"({"x-a":"12"})", R"({"x-a":"12345"})"}},
        Sample{R"({"allOf":[{"minimum":1},{"maximum":5}]})", {"1", "5", "\"x\""}, {"0", "6"}},
        Sample{R"({"anyOf":[{"type":"string"},{"minimum":5}]})", {"\"x\"", "6"}, {"4"}},
        Sample{R"({"oneOf":[{"multipleOf":3},{"multipleOf":5}]})", {"3", "5"}, {"15", "4"}},
        Sample{R"({"not":{"type":"string"}})", {"1"}, {"\"x\""}},
        Sample{R"({"not":{"not":{"type":"string"}}})", {"\"x\""}, {"1"}},
        Sample{R"({"title":"t","description":"d"})", {"1"}, {}},
        Sample{R"({"items":{"items":{"required":["a"]}}})", {R"([[{"a":1}],[]])"}, {R"([[{"b":1}]])"}}));

// Schemas that are refused, with the pointer of the invalid keyword.
struct Refused {
  std::string schema;
  std::string pointer;
};

class SchemaRefused : public testing::TestWithParam<Refused> {};

TEST_P(SchemaRefused, NamesTheKeyword) {
  const auto schema = Schema::compile(fromJson(GetParam().schema));
  ASSERT_FALSE(schema) << GetParam().schema;
  EXPECT_EQ(schema.error().code(), ErrorCode::validation);
  ASSERT_FALSE(schema.error().details().empty());
  EXPECT_EQ(schema.error().details().front().path, GetParam().pointer) << schema.error().message();
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, SchemaRefused,
    testing::Values(
        Refused{R"({"tpye":"object"})", "/tpye"}, Refused{R"({"$ref":"#"})", "/$ref"},
        Refused{R"({"properties":{"a/b":{"minimun":1}}})", "/properties/a~1b/minimun"},
        Refused{R"({"type":"text"})", "/type"}, Refused{R"({"type":[]})", "/type"}, Refused{R"({"type":5})", "/type"},
        Refused{R"({"type":"string"})", "/type"}, Refused{R"({"properties":[]})", "/properties"},
        Refused{R"({"properties":{"a":5}})", "/properties/a"},
        Refused{R"({"properties":{"a.b":{}}})", "/properties/a.b"},
        Refused{R"({"properties":{"$a":{}}})", "/properties/$a"}, Refused{R"({"required":"a"})", "/required"},
        Refused{R"({"required":[1]})", "/required"}, Refused{R"({"additionalProperties":5})", "/additionalProperties"},
        Refused{R"({"patternProperties":{"(":{}}})", "/patternProperties/("}, Refused{R"({"items":[{}]})", "/items"},
        Refused{R"({"minItems":-1})", "/minItems"}, Refused{R"({"maxItems":1.5})", "/maxItems"},
        Refused{R"({"minLength":"1"})", "/minLength"}, Refused{R"({"maxLength":null})", "/maxLength"},
        Refused{R"({"uniqueItems":1})", "/uniqueItems"}, Refused{R"({"pattern":"(?=x)x"})", "/pattern"},
        Refused{R"({"pattern":5})", "/pattern"}, Refused{R"({"format":"phone"})", "/format"},
        Refused{R"({"minimum":"1"})", "/minimum"}, Refused{R"({"multipleOf":0})", "/multipleOf"},
        Refused{R"({"multipleOf":-1})", "/multipleOf"}, Refused{R"({"multipleOf":"1"})", "/multipleOf"},
        Refused{R"({"enum":[]})", "/enum"}, Refused{R"({"enum":5})", "/enum"}, Refused{R"({"allOf":[]})", "/allOf"},
        Refused{R"({"anyOf":{}})", "/anyOf"}, Refused{R"({"oneOf":[5]})", "/oneOf/0"}, Refused{R"({"not":[]})", "/not"},
        Refused{R"({"title":5})", "/title"}, Refused{R"({"description":[]})", "/description"},
        Refused{R"({"x-ref":"c"})", "/x-ref"}, Refused{R"({"properties":{"a":{"x-ref":"c"}}})", "/properties/a/x-ref"},
        Refused{R"({"properties":{"a":{"type":"integer","x-ref":"c"}}})", "/properties/a/x-ref"},
        Refused{R"({"properties":{"a":{"type":"string","x-ref":5}}})", "/properties/a/x-ref"},
        Refused{R"({"allOf":[{"properties":{"a":{"type":"string","x-ref":"c"}}}]})", "/allOf/0/properties/a/x-ref"},
        Refused{R"({"additionalProperties":{"type":"string","x-ref":"c"}})", "/additionalProperties/x-ref"},
        Refused{R"({"properties":{"a":{"type":"string","x-ref":{"check":"exists"}}}})", "/properties/a/x-ref"},
        Refused{R"({"properties":{"a":{"type":"string","x-ref":{"collection":"c","check":"no"}}}})",
                "/properties/a/x-ref/check"},
        Refused{R"({"properties":{"a":{"type":"string","x-ref":{"collection":"c","onDelete":5}}}})",
                "/properties/a/x-ref/onDelete"},
        Refused{R"({"properties":{"a":{"type":"string","x-ref":{"collection":"c","ondelete":"unset"}}}})",
                "/properties/a/x-ref/ondelete"},
        Refused{
            R"({"required":["a"],"properties":{"a":{"type":"string","x-ref":{"collection":"c","onDelete":"unset"}}}})",
            "/properties/a/x-ref/onDelete"},
        Refused{
            R"({"properties":{"a":{"items":{"items":{"type":"string","x-ref":{"collection":"c","onDelete":"unset"}}}}}})",
            "/properties/a/items/items/x-ref"},
        Refused{R"({"properties":{"a":{"x-bson":"time"}}})", "/properties/a/x-bson"},
        Refused{R"({"properties":{"a":{"type":"object","x-bson":"date"}}})", "/properties/a/x-bson"},
        Refused{R"({"not":{"properties":{"a":{"x-bson":"date"}}}})", "/not/properties/a/x-bson"},
        Refused{R"({"anyOf":[{"properties":{"a":{"default":1}}}]})", "/anyOf/0/properties/a/default"},
        Refused{R"({"properties":{"a":{"type":"string","default":1}}})", "/properties/a/default"},
        Refused{R"({"properties":{"a":{"enum":[1,2],"default":3}}})", "/properties/a/default"},
        Refused{R"({"properties":{"a":{"default":{"$b":1}}}})", "/properties/a/default"},
        Refused{R"({"properties":{"a":{"x-bson":"date","default":"soon"}}})", "/properties/a/default"},
        Refused{R"({"properties":{"a":{"x-bson":"date","enum":["soon"]}}})", "/properties/a/enum"}));

TEST(SchemaCompile, TellsAllProblemsAtOnce) {
  const auto schema = Schema::compile(fromJson(R"({"foo":1,"properties":{"a":{"bar":1},"b":{"type":"x"}}})"));
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().details().size(), 3u);
}

TEST(SchemaCompile, IsBounded) {
  const auto nested = [](int depth) {
    std::string text = "{}";
    for (int i = 1; i < depth; ++i) text = R"({"not":)" + text + "}";
    return Schema::compile(fromJson(text)).has_value();
  };
  EXPECT_TRUE(nested(20));
  EXPECT_FALSE(nested(21));
  const auto wide = [](int count) {
    std::string text = R"({"properties":{)";
    for (int i = 0; i < count; ++i) text += fmt::format("{}\"p{}\":{{}}", i ? "," : "", i);
    return Schema::compile(fromJson(text + "}}")).has_value();
  };
  EXPECT_TRUE(wide(1999));
  EXPECT_FALSE(wide(2000));
}

// Patterns past the bound are not compiled, so their problems are not reported.
TEST(SchemaCompile, LeavesPatternsPastTheBoundAlone) {
  std::string text = R"({"properties":{"bad":{"pattern":"("})";
  for (int i = 0; i < 60; ++i) text += fmt::format(R"(,"p{}":{{"pattern":"[ab]{{1000}}c"}})", i);
  const auto schema = Schema::compile(fromJson(text + R"(,"late":{"pattern":"("}}})"));
  ASSERT_FALSE(schema);
  EXPECT_THAT(schema.error().details().front().message, testing::HasSubstr("cannot be used"));
  EXPECT_THAT(schema.error().details().back().message, testing::HasSubstr("too large together"));
}

// Refused patterns are charged too.
TEST(SchemaCompile, LeavesPatternsPastTheBudgetAlone) {
  const WorkBudget work(10'000'000);
  std::string text = R"({"patternProperties":{"[a":true)";
  for (int i = 0; i < 60; ++i) text += fmt::format(R"(,"[ab]{{999}}[ab]{{999}}[ab]{{999}}{}":true)", i);
  const auto schema = Schema::compile(fromJson(text + R"(,"[b":true}})"));
  ASSERT_FALSE(schema);
  EXPECT_THAT(schema.error().details().front().message, testing::HasSubstr("cannot be used"));
  EXPECT_THAT(schema.error().details().back().message, testing::HasSubstr("too large together"));
}

TEST(SchemaValidate, PointsAtEachBreach) {
  const auto schema = compiled(
      R"({"type":"object","required":["title","x"],"properties":{"title":{"type":"string"},"tags":{"items":{"type":"string"}},
          "deep":{"properties":{"a/b":{"maximum":1}}}},"additionalProperties":false})");
  const auto details = schema->validate(fromJson(R"({"title":5,"tags":["a",1,2],"deep":{"a/b":7},"extra":1})"));
  std::vector<std::string> paths;
  for (const ErrorDetail& detail : details) paths.push_back(detail.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/title", "/tags/1", "/tags/2", "/deep/a~1b", "/extra", "/x"}));
}

TEST(SchemaValidate, StopsAtAHundred) {
  const auto schema = compiled(R"({"properties":{"a":{"items":{"type":"string"}}}})");
  std::string items = "1";
  for (int i = 0; i < 500; ++i) items += ",1";
  EXPECT_EQ(schema->validate(fromJson("{\"a\":[" + items + "]}")).size(), 100u);
}

TEST(SchemaValidate, LeavesServerFieldsAlone) {
  const auto schema = compiled(
      R"({"properties":{"createdAt":{"type":"string"},"a":{}},"required":["id","createdAt"],"additionalProperties":false})");
  const Document document =
      fromJson(R"({"id":"x","ownerId":"y","createdAt":{"$date":0},"updatedAt":{"$date":0},"a":1})");
  EXPECT_TRUE(schema->validate(document).empty());
  EXPECT_TRUE(schema->validate(fromJson("{}")).empty());
  EXPECT_FALSE(schema->validate(fromJson(R"({"a":{},"b":1})")).empty());
}

TEST(SchemaValidate, TakesLargeArraysInGoodTime) {
  const auto schema = compiled(R"({"properties":{"a":{"uniqueItems":true}}})");
  std::string items = "{\"n\":-1}";
  for (int i = 0; i < 40000; ++i) items += fmt::format(",{{\"n\":{}}}", i);
  EXPECT_TRUE(schema->validate(fromJson("{\"a\":[" + items + "]}")).empty());
  EXPECT_FALSE(schema->validate(fromJson("{\"a\":[" + items + ",{\"n\":7}]}")).empty());
}

TEST(SchemaValidate, FindsPropertiesAmongMany) {
  std::string properties;
  for (int i = 0; i < 100; ++i) properties += fmt::format("{}\"p{}\":{{\"maximum\":{}}}", i ? "," : "", i, i);
  const auto schema = compiled("{\"properties\":{" + properties + "},\"additionalProperties\":false}");
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(schema->validate(fromJson(fmt::format("{{\"p{}\":{}}}", i, i))).empty());
    EXPECT_FALSE(schema->validate(fromJson(fmt::format("{{\"p{}\":{}}}", i, i + 1))).empty());
  }
  EXPECT_FALSE(schema->validate(fromJson("{\"p\":1}")).empty());
}

// Preparation: the stored form of a given document.
struct Prepared {
  std::string schema;
  std::string given;
  std::string stored;  // "" if it is refused
};

class SchemaPrepare : public testing::TestWithParam<Prepared> {};

TEST_P(SchemaPrepare, ConvertsAndFills) {
  const auto schema = compiled(GetParam().schema);
  const auto document = schema->prepare(fromJson(GetParam().given), true);
  if (GetParam().stored.empty()) {
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code(), ErrorCode::validation);
    EXPECT_FALSE(document.error().details().front().path.empty());
    return;
  }
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(compareDocuments(*document, fromJson(GetParam().stored)), 0) << toJson(*document);
  EXPECT_TRUE(Document::fromUntrusted(document->bytes()));
}

const std::string kForms =
    R"({"properties":{"d":{"type":["string","null"],"x-bson":"date"},"o":{"x-bson":"objectId"},
        "n":{"type":"number","x-bson":"decimal"},"b":{"x-bson":"binary"},"l":{"items":{"x-bson":"date"}},
        "deep":{"properties":{"d":{"x-bson":"date"}}}},"patternProperties":{"^at":{"x-bson":"date"}}})";

INSTANTIATE_TEST_SUITE_P(
    Documents, SchemaPrepare,
    testing::Values(
        Prepared{R"({"properties":{"a":{"default":1},"b":{"default":[1]},"c":{}}})", R"({"b":2,"x":1})",
                 R"({"b":2,"x":1,"a":1})"},
        Prepared{R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", "{}", "{}"},
        Prepared{R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", R"({"a":{}})", R"({"a":{"b":1}})"},
        Prepared{R"({"properties":{"a":{"items":{"properties":{"b":{"default":null}}}}}})", R"({"a":[{},{"b":1},5]})",
                 R"({"a":[{"b":null},{"b":1},5]})"},
        Prepared{R"({"properties":{"a":{"x-bson":"date","default":"2026-01-31T09:30:00Z"}}})", "{}",
                 R"({"a":{"$date":"2026-01-31T09:30:00Z"}})"},
        Prepared{kForms, R"({"d":"2026-01-31T09:30:00Z","o":"0123456789abcdef01234567","n":1.5,"b":"AQID"})",
                 R"({"d":{"$date":"2026-01-31T09:30:00Z"},"o":{"$oid":"0123456789abcdef01234567"},
                     "n":{"$numberDecimal":"1.5"},"b":{"$binary":"AQID"}})"},
        Prepared{kForms, R"({"n":"1.10","d":null,"x":"2026-01-31T09:30:00Z"})",
                 R"({"n":{"$numberDecimal":"1.10"},"d":null,"x":"2026-01-31T09:30:00Z"})"},
        Prepared{kForms, R"({"n":7,"d":{"$date":5}})", R"({"n":{"$numberDecimal":"7"},"d":{"$date":5}})"},
        Prepared{
            kForms,
            R"({"l":["1970-01-01T00:00:00Z",null],"deep":{"d":"1970-01-01T00:00:00Z"},"at":"1970-01-01T00:00:00Z"})",
            R"({"l":[{"$date":0},null],"deep":{"d":{"$date":0}},"at":{"$date":0}})"},
        Prepared{kForms, R"({"d":"yesterday"})", ""}, Prepared{kForms, R"({"o":"xyz"})", ""},
        Prepared{kForms, R"({"n":"x"})", ""}, Prepared{kForms, R"({"b":"*"})", ""}, Prepared{kForms, R"({"d":5})", ""},
        Prepared{kForms, R"({"deep":{"d":{}}})", ""}, Prepared{kForms, R"({"l":["soon"]})", ""}));

TEST(SchemaPrepare, LeavesDefaultsOutOfUpdates) {
  const auto schema = compiled(R"({"properties":{"a":{"default":1},"d":{"x-bson":"date"}}})");
  EXPECT_EQ(toJson(*schema->prepare(fromJson(R"({"d":"1970-01-01T00:00:00Z"})"), false)),
            R"({"d":"1970-01-01T00:00:00.000Z"})");
}

TEST(SchemaValidate, ValidatesConvertedValues) {
  const auto schema = compiled(
      R"({"properties":{"d":{"type":["string","null"],"x-bson":"date"},"n":{"x-bson":"decimal","minimum":2},
          "e":{"x-bson":"date","enum":["1970-01-01T00:00:00Z"]},"s":{"type":"string","x-bson":"objectId"}}})");
  EXPECT_TRUE(schema->validate(fromJson(R"({"d":{"$date":0},"n":{"$numberDecimal":"2"},"e":{"$date":0}})")).empty());
  EXPECT_TRUE(schema->validate(fromJson(R"({"d":null})")).empty());
  EXPECT_FALSE(schema->validate(fromJson(R"({"d":"1970-01-01T00:00:00Z"})")).empty());
  EXPECT_FALSE(schema->validate(fromJson(R"({"n":{"$numberDecimal":"1.9"}})")).empty());
  EXPECT_FALSE(schema->validate(fromJson(R"({"e":{"$date":1}})")).empty());
  EXPECT_FALSE(schema->validate(fromJson(R"({"s":null})")).empty());
}

TEST(Schema, KnowsWhatItsReferencesHold) {
  const auto schema = compiled(R"({"properties":{
      "plain":{"type":"string","x-ref":{"collection":"a"}},
      "checked":{"type":"string","x-ref":{"collection":"b","check":"readable"}},
      "held":{"type":"array","items":{"type":"string","x-ref":{"collection":"c","onDelete":"cascade"}}},
      "both":{"type":"string","x-ref":{"collection":"d","check":"readable","onDelete":"restrict"}}}})");
  const std::vector<Relation>& relations = schema->relations();
  ASSERT_EQ(relations.size(), 4u);
  EXPECT_EQ(relations[0].collection, "a");
  EXPECT_EQ(relations[0].check, ReferenceCheck::none);
  EXPECT_EQ(relations[1].check, ReferenceCheck::readable);
  EXPECT_EQ(relations[1].onDelete, OnDelete::none);
  EXPECT_EQ(relations[2].path, "held");
  EXPECT_EQ(relations[2].check, ReferenceCheck::exists);
  EXPECT_EQ(relations[2].onDelete, OnDelete::cascade);
  EXPECT_EQ(relations[2].pointer, "/properties/held/items/x-ref");
  EXPECT_EQ(relations[3].check, ReferenceCheck::readable);
  EXPECT_EQ(relations[3].onDelete, OnDelete::restrict);
}

TEST(Schema, KnowsItsRelations) {
  const auto schema = compiled(
      R"({"properties":{"author":{"type":"string","x-ref":"users"},"tags":{"type":"array","items":{"type":["string","null"],"x-ref":"tags"}},
          "deep":{"properties":{"list":{"items":{"properties":{"id":{"type":"string","x-ref":"things"}}}}}}}})");
  std::vector<std::string> relations;
  for (const Relation& relation : schema->relations()) relations.push_back(relation.path + " " + relation.collection);
  EXPECT_EQ(relations, (std::vector<std::string>{"author users", "tags tags", "deep.list.id things"}));
}

TEST(Schema, CoercesFilters) {
  const auto schema = compiled(kForms);
  const auto matches = [&](const char* filter, const char* document) {
    return Filter::parse(fromJson(filter), &schema->coercion())->matches(fromJson(document));
  };
  EXPECT_TRUE(matches(R"({"d":{"$gte":"1970-01-01T00:00:00Z"}})", R"({"d":{"$date":5}})"));
  EXPECT_TRUE(matches(R"({"d":{"$in":["x","1970-01-01T00:00:00Z"]}})", R"({"d":{"$date":0}})"));
  EXPECT_TRUE(matches(R"({"l":"1970-01-01T00:00:00Z"})", R"({"l":[{"$date":0}]})"));
  EXPECT_TRUE(matches(R"({"l.0":"1970-01-01T00:00:00Z"})", R"({"l":[{"$date":0}]})"));
  EXPECT_TRUE(matches(R"({"l":{"$elemMatch":{"$lt":"1980-01-01T00:00:00Z"}}})", R"({"l":[{"$date":0}]})"));
  EXPECT_TRUE(matches(R"({"deep":{"d":"1970-01-01T00:00:00Z"}})", R"({"deep":{"d":{"$date":0}}})"));
  EXPECT_TRUE(matches(R"({"deep":{"$elemMatch":{"d":"1970-01-01T00:00:00Z"}}})", R"({"deep":[{"d":{"$date":0}}]})"));
  EXPECT_TRUE(matches(R"({"o":"0123456789abcdef01234567"})", R"({"o":{"$oid":"0123456789abcdef01234567"}})"));
  EXPECT_TRUE(matches(R"({"n":"1.5"})", R"({"n":{"$numberDecimal":"1.5"}})"));
  EXPECT_TRUE(matches(R"({"createdAt":"1970-01-01T00:00:00Z"})", R"({"createdAt":{"$date":0}})"));
  EXPECT_TRUE(matches(R"({"d":"not a date"})", R"({"d":"not a date"})"));
  EXPECT_TRUE(matches(R"({"x":"1970-01-01T00:00:00Z"})", R"({"x":"1970-01-01T00:00:00Z"})"));
}

TEST(Schema, TellsWhatItDeclares) {
  const auto closed = compiled(
      R"({"additionalProperties":false,"properties":{"a":{"type":"string"},"o":{"type":"object"},
          "c":{"type":"object","properties":{"d":{}},"additionalProperties":false},
          "l":{"type":"array","items":{"type":"object","properties":{"m":{}},"additionalProperties":false}}}})");
  for (const char* path :
       {"a", "o", "o.any.thing", "c", "c.d", "l", "l.0", "l.m", "l.3.m", "id", "ownerId", "createdAt"}) {
    EXPECT_TRUE(closed->declares(path)) << path;
  }
  for (const char* path : {"b", "a.b", "c.e", "l.n", "l.0.n"}) EXPECT_FALSE(closed->declares(path)) << path;
  EXPECT_TRUE(compiled("{}")->declares("anything.at.all"));
}

TEST(Schema, TellsTypesToExpressions) {
  const auto schema = compiled(
      R"({"properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
          "l":{"type":"array"},"o":{"type":"object","properties":{"s":{"type":"string"}}},"m":{"type":["string","null"]},
          "d":{"type":"string","x-bson":"date"},"x":{"x-bson":"decimal"},"y":{"x-bson":"objectId"},
          "z":{"type":"string","x-bson":"binary"},"w":{"type":["string","null"],"x-bson":"date"},
          "t":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"q":{"type":"integer"}}}}},
          "e":{"anyOf":[{"type":"string"},{"type":"integer"}]}}})");
  const std::vector<std::pair<const char*, std::string_view>> kTypes{
      {"s", "string"},    {"i", "int"},    {"n", "double"},   {"b", "bool"},
      {"l", "list"},      {"o", "map"},    {"o.s", "string"}, {"m", "dyn"},
      {"d", "timestamp"}, {"x", "double"}, {"none", "dyn"},   {"createdAt", "timestamp"},
      {"id", "string"},   {"y", "string"}, {"z", "bytes"},    {"w", "dyn"},
      {"l.0", "dyn"},     {"t", "list"},   {"t.0", "list"},   {"t.0.0", "map"},
      {"t.0.0.q", "int"}, {"e", "dyn"}};
  for (const auto& [path, type] : kTypes) EXPECT_EQ(schema->celType(path), type) << path;
}

// A document of a MiB can hold some 300,000 objects.
TEST(Schema, WhatIsFilledInIsCharged) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{
          "d":{"type":"string","default":")" +
      std::string(1000, 'x') + R"("}}}}}})");
  std::string text = R"({"l":[{})";
  for (int i = 0; i < 300'000; ++i) text += ",{}";
  const Document document = fromJson(text + "]}");
  {
    const WorkBudget work(kCoreWork);
    const auto prepared = schema->prepare(document, true);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code(), ErrorCode::queryTooCostly);
  }
  const WorkBudget work(kCoreWork);
  EXPECT_TRUE(schema->prepare(fromJson(R"({"l":[{},{}]})"), true));
}

// Each costs more than the check of a number.
TEST(Schema, DecimalsAndConversionsAreCharged) {
  std::string text = R"({"l":[1)";
  for (int i = 0; i < 100'000; ++i) text += ",1";
  const Document numbers = fromJson(text + "]}");
  for (const char* items : {R"({"multipleOf":0.5})", R"({"x-bson":"decimal"})"}) {
    const auto schema = compiled(fmt::format(R"({{"type":"object","properties":{{"l":{{"items":{}}}}}}})", items));
    const WorkBudget work(kCoreWork);
    const auto prepared = schema->prepare(numbers, false);
    if (prepared) schema->validate(*prepared);
    EXPECT_FALSE(work.check()) << items;
  }
}

}  // namespace
}  // namespace mb::doc
