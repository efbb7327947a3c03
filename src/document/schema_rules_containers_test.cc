// JSON Schema 2020-12: "Core" 10.2 and 10.3 (subschemas in place, of arrays and of objects), "Validation" 6.4 and 6.5.
#include "document/testing.h"

namespace mb::doc {
namespace {

class SchemaContainerRules : public testing::TestWithParam<Sample> {};

TEST_P(SchemaContainerRules, ValidatesContainers) {
  expectSample(GetParam());
}

// Core 4.3.2: true and false in the position of a schema.
INSTANTIATE_TEST_SUITE_P(
    Booleans, SchemaContainerRules,
    testing::Values(
        Sample{"true", {"1", "null", "{}", "[]"}, {}}, Sample{"false", {}, {"1", "null", "{}", "[]"}},
        Sample{R"({"properties":{"p":true,"q":false}})", {"{}", R"({"p":1})"}, {R"({"q":1})", R"({"p":1,"q":2})"}},
        Sample{R"({"items":true})", {"[1,\"x\"]"}, {}}, Sample{R"({"items":false})", {"[]", "{}"}, {"[1]"}},
        Sample{R"({"patternProperties":{"f.*":true,"b.*":false}})",
               {"{}", R"({"foo":1})"},
               {R"({"bar":1})", R"({"foobar":1})"}},
        Sample{R"({"allOf":[true,true]})", {"1"}, {}}, Sample{R"({"allOf":[true,false]})", {}, {"1"}},
        Sample{R"({"anyOf":[true,false]})", {"1"}, {}}, Sample{R"({"anyOf":[false,false]})", {}, {"1"}},
        Sample{R"({"oneOf":[true,false]})", {"1"}, {}}, Sample{R"({"oneOf":[true,true]})", {}, {"1"}},
        Sample{R"({"not":true})", {}, {"1"}}, Sample{R"({"not":false})", {"1"}, {}},
        Sample{R"({"not":{}})", {}, {"1", "null"}}));

// Core 10.2.1: combinations of schemas. None of them knows the properties of another.
INSTANTIATE_TEST_SUITE_P(
    InPlace, SchemaContainerRules,
    testing::Values(Sample{R"({"allOf":[{"properties":{"p":{"type":"integer"}},"required":["p"]},{"required":["q"]}]})",
                           {R"({"p":1,"q":2})"},
                           {R"({"p":1})", R"({"q":1})", R"({"p":"x","q":2})"}},
                    Sample{R"({"properties":{"p":{"type":"integer"}},"required":["p"],"allOf":[{"required":["q"]}]})",
                           {R"({"p":1,"q":2})"},
                           {R"({"q":2})", R"({"p":1})"}},
                    Sample{R"({"allOf":[{}]})", {"1"}, {}},
                    Sample{R"({"allOf":[{"allOf":[{"type":"null"}]}]})", {"null"}, {"123"}},
                    Sample{R"({"allOf":[{"multipleOf":2}],"anyOf":[{"multipleOf":3}],"oneOf":[{"multipleOf":5}]})",
                           {"30", "0"},
                           {"1", "2", "3", "5", "6", "10", "15"}},
                    Sample{R"({"anyOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", "3", "\"x\""}, {"1.5"}},
                    Sample{R"({"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]})",
                           {"\"ab\"", "\"abcd\""},
                           {"3", "\"abc\""}},
                    Sample{R"({"anyOf":[{"properties":{"p":{"type":"integer"}},"required":["p"]},
                            {"properties":{"q":{"type":"string"}},"required":["q"]}]})",
                           {R"({"p":1})", R"({"q":"x"})", R"({"p":1,"q":"x"})", R"({"p":"x","q":"x"})"},
                           {R"({"p":"x","q":1})", "{}"}},
                    Sample{R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5"}, {"3", "1.5"}},
                    Sample{R"({"type":"object","oneOf":[{"required":["p","q"]},{"required":["p","r"]}]})",
                           {R"({"p":1,"q":1})", R"({"p":1,"r":1})"},
                           {R"({"q":1})", R"({"p":1,"q":1,"r":1})", "{}"}},
                    Sample{R"({"oneOf":[{"oneOf":[{"type":"null"}]}]})", {"null"}, {"1"}},
                    Sample{R"({"not":{"type":["integer","boolean"]}})", {"\"x\"", "1.5"}, {"1", "true"}},
                    Sample{R"({"not":{"type":"object","properties":{"p":{"type":"string"}}}})",
                           {"1", R"({"p":1})"},
                           {R"({"p":"x"})", "{}"}},
                    Sample{R"({"properties":{"p":{"not":{}}}})", {R"({"q":1})", "{}"}, {R"({"p":1})"}},
                    Sample{R"({"not":{"not":{}}})", {"1", "{}"}, {}}));

// Core 10.3.1.2 and Validation 6.4: arrays.
INSTANTIATE_TEST_SUITE_P(
    Arrays, SchemaContainerRules,
    testing::Values(
        Sample{R"({"items":{"type":"integer"}})",
               {"[]", "[1,2.0]", R"({"p":"bar"})", R"({"0":"x","length":1})", "\"x\""},
               {"[1,\"x\"]", "[[1]]", "[null]"}},
        Sample{R"({"items":{"type":"null"}})", {"[null]"}, {"[0]"}},
        Sample{R"({"items":{"items":{"items":{"type":"number"}}}})",
               {"[[[1],[2,3]],[[4]]]", "[[[]]]", "[1]"},
               {"[[[\"1\"]]]", "[[[1],[null]]]"}},
        Sample{R"({"items":{"properties":{"p":{"maximum":3}},"required":["p"]}})",
               {R"([{"p":1},{"p":3,"q":9}])"},
               {R"([{"p":4}])", R"([{"p":1},{}])"}},
        Sample{R"({"minItems":1})", {"[1]", "[1,2]", "\"\"", "{}"}, {"[]"}},
        Sample{R"({"minItems":1.0})", {"[null]"}, {"[]"}},
        Sample{R"({"maxItems":2})", {"[]", "[1,2]", "\"abc\""}, {"[1,2,3]"}},
        Sample{R"({"maxItems":0})", {"[]"}, {"[[]]"}},
        Sample{R"({"uniqueItems":true})",
               {"[]", "[1]", "[1,2]", "[1,true]", "[0,false]", "[[1],[true]]", "[[0],[false]]", "[\"1\",1]",
                R"([{"p":1},{"p":2}])", R"([{"p":false},{"p":0}])", R"([{},[1],true,null,1,"{}"])",
                "[[[1],\"x\"],[[2],\"x\"]]", R"([{"a":1,"b":2},{"a":2,"b":1}])", "\"xx\"", R"({"a":1,"b":1})"},
               {"[1,1]", "[1.0,1.00,1]", "[1,2,1]", "[\"x\",\"y\",\"x\"]", R"([{"p":1},{"p":1.0}])",
                R"([{"a":1,"b":2},{"b":2,"a":1}])", R"([{"p":{"q":{"r":true}}},{"p":{"q":{"r":true}}}])", "[[1],[1]]",
                "[[1],[2],[1.0]]", "[{},[1],true,null,{},1]", "[null,null]", R"([{"$numberDecimal":"2.0"},2])"}},
        Sample{R"({"uniqueItems":false})", {"[1,1]"}, {}},
        Sample{R"({"uniqueItems":true,"items":{"type":"integer"},"minItems":2})",
               {"[1,2]"},
               {"[1]", "[1,1]", "[1,\"x\"]"}}));

// Core 10.3.2 and Validation 6.5: objects.
INSTANTIATE_TEST_SUITE_P(
    Objects, SchemaContainerRules,
    testing::Values(
        Sample{R"({"properties":{"p":{"type":"integer"},"q":{"type":"string"}}})",
               {R"({"p":1,"q":"x"})", "{}", R"({"r":[]})", "[]", "12"},
               {R"({"p":1,"q":{}})", R"({"p":[],"q":{}})"}},
        Sample{R"({"properties":{"p":{"type":"null"}}})", {R"({"p":null})"}, {R"({"p":0})"}},
        Sample{R"({"properties":{"a\nb":{"type":"number"},"c\"d":{"type":"number"},"e\\f":{"type":"number"}}})",
               {R"({"a\nb":1,"c\"d":1,"e\\f":1})"},
               {R"({"a\nb":"1"})", R"({"c\"d":"1"})", R"({"e\\f":"1"})"}},
        Sample{
            R"({"properties":{"constructor":{"type":"number"},"toString":{"properties":{"length":{"type":"string"}}}}})",
            {"{}", R"({"constructor":1,"toString":{"length":"x"}})"},
            {R"({"constructor":"x"})", R"({"toString":{"length":5}})"}},
        Sample{R"({"patternProperties":{"f.*o":{"type":"integer"}}})",
               {R"({"foo":1})", R"({"foo":1,"foooooo":2})", "{}", "[\"foo\"]", "12", R"({"bar":"x"})"},
               {R"({"foo":"x","fooooo":2})", R"({"foo":"x","foooooo":"y"})"}},
        Sample{R"({"patternProperties":{"a*":{"type":"integer"},"aaa*":{"maximum":20}}})",
               {R"({"a":21})", R"({"aaaa":18})", R"({"a":21,"aaaa":18})"},
               {R"({"a":"x"})", R"({"aaaa":31})", R"({"aaa":"foo","aaaa":31})"}},
        Sample{R"({"patternProperties":{"[0-9]{2,}":{"type":"boolean"},"X_":{"type":"string"}}})",
               {R"({"answer 1":"42"})", R"({"a_x_3":3})", R"({"a31b":true})"},
               {R"({"a31b":null})", R"({"a_X_3":3})"}},
        Sample{R"({"patternProperties":{"^ä":{"type":"null"}}})", {R"({"äö":null,"ö":1})"}, {R"({"ä":1})"}},
        Sample{R"({"properties":{"p":{},"q":{}},"patternProperties":{"^v":{}},"additionalProperties":false})",
               {R"({"p":1})", R"({"p":1,"vroom":2})", "[1,2,3]", "\"foobar\""},
               {R"({"p":1,"quux":"boom"})", R"({"x":1})"}},
        Sample{R"({"additionalProperties":{"type":"boolean"}})", {"{}", R"({"a":true})"}, {R"({"a":1})"}},
        Sample{R"({"properties":{"p":{}},"additionalProperties":{"type":"boolean"}})",
               {R"({"p":1})", R"({"p":1,"q":true})"},
               {R"({"p":1,"q":12})"}},
        Sample{R"({"additionalProperties":true})", {R"({"a":1})"}, {}},
        Sample{R"({"additionalProperties":{"type":"null"}})", {R"({"a":null})"}, {R"({"a":0})"}},
        // additionalProperties regards its adjacent keywords, not those in allOf.
        Sample{R"({"allOf":[{"properties":{"p":{}}}],"additionalProperties":{"type":"boolean"}})",
               {R"({"p":true,"q":true})"},
               {R"({"p":1,"q":true})"}},
        // A property is validated by its own schema and by every pattern that matches its name.
        Sample{R"({"properties":{"foo":{"type":"array","maxItems":3},"bar":{"type":"array"}},
                   "patternProperties":{"f.o":{"minItems":2}},"additionalProperties":{"type":"integer"}})",
               {R"({"foo":[1,2]})", R"({"fxo":[1,2]})", R"({"bar":[]})", R"({"quux":3})"},
               {R"({"foo":[1,2,3,4]})", R"({"foo":[]})", R"({"fxo":[]})", R"({"quux":"foo"})"}},
        Sample{R"({"required":["p"]})", {R"({"p":1})", R"({"p":null})", "[]", "\"\"", "12"}, {R"({"q":1})", "{}"}},
        Sample{R"({"properties":{"p":{}}})", {"{}"}, {}}, Sample{R"({"required":[]})", {"{}"}, {}},
        Sample{R"({"required":["a\nb","c\"d","toString"]})",
               {R"({"a\nb":1,"c\"d":1,"toString":1})"},
               {R"({"a\nb":1,"c\"d":1})"}},
        Sample{R"({"required":["p"],"properties":{"q":{}},"additionalProperties":false})",
               {},
               {R"({"p":1})", R"({"q":1})"}}));

// Every breach is reported with its path, also several of one value.
TEST(SchemaBreaches, AreAllTold) {
  const auto schema = Schema::compile(fromJson(
      R"({"properties":{"n":{"minimum":5,"multipleOf":2},"s":{"minLength":3,"pattern":"^x","format":"uuid"},
          "l":{"minItems":3,"uniqueItems":true,"items":{"type":"integer"}},"e":{"enum":[1],"const":2},
          "all":{"allOf":[{"required":["p"]},{"properties":{"q":{"type":"string"}}}]}}})"));
  ASSERT_TRUE(schema);
  const auto details = (*schema)->validate(fromJson(R"({"n":3,"s":"y","l":["a","a"],"e":3,"all":{"q":1}})"));
  std::vector<std::string> paths;
  for (const ErrorDetail& detail : details) paths.push_back(detail.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/n", "/n", "/s", "/s", "/s", "/l", "/l", "/l/0", "/l/1", "/e", "/e",
                                             "/all/p", "/all/q"}));
}

}  // namespace
}  // namespace mb::doc
