// JSON Schema 2020-12: "Core" 10.2 and 10.3 (subschemas in place, of arrays and of objects), "Validation" 6.4 and 6.5.
#include "document/testing.h"

namespace mb::doc {
namespace {

class SchemaContainerRules : public testing::TestWithParam<Judged> {};

TEST_P(SchemaContainerRules, JudgesContainers) {
  expectJudged(GetParam());
}

// Core 4.3.2: true and false, wherever a schema stands.
INSTANTIATE_TEST_SUITE_P(
    Booleans, SchemaContainerRules,
    testing::Values(
        Judged{"true", {"1", "null", "{}", "[]"}, {}}, Judged{"false", {}, {"1", "null", "{}", "[]"}},
        Judged{R"({"properties":{"p":true,"q":false}})", {"{}", R"({"p":1})"}, {R"({"q":1})", R"({"p":1,"q":2})"}},
        Judged{R"({"items":true})", {"[1,\"x\"]"}, {}}, Judged{R"({"items":false})", {"[]", "{}"}, {"[1]"}},
        Judged{R"({"patternProperties":{"f.*":true,"b.*":false}})",
               {"{}", R"({"foo":1})"},
               {R"({"bar":1})", R"({"foobar":1})"}},
        Judged{R"({"allOf":[true,true]})", {"1"}, {}}, Judged{R"({"allOf":[true,false]})", {}, {"1"}},
        Judged{R"({"anyOf":[true,false]})", {"1"}, {}}, Judged{R"({"anyOf":[false,false]})", {}, {"1"}},
        Judged{R"({"oneOf":[true,false]})", {"1"}, {}}, Judged{R"({"oneOf":[true,true]})", {}, {"1"}},
        Judged{R"({"not":true})", {}, {"1"}}, Judged{R"({"not":false})", {"1"}, {}},
        Judged{R"({"not":{}})", {}, {"1", "null"}}));

// Core 10.2.1: what several schemas say together. None of them sees what another describes.
INSTANTIATE_TEST_SUITE_P(
    InPlace, SchemaContainerRules,
    testing::Values(Judged{R"({"allOf":[{"properties":{"p":{"type":"integer"}},"required":["p"]},{"required":["q"]}]})",
                           {R"({"p":1,"q":2})"},
                           {R"({"p":1})", R"({"q":1})", R"({"p":"x","q":2})"}},
                    Judged{R"({"properties":{"p":{"type":"integer"}},"required":["p"],"allOf":[{"required":["q"]}]})",
                           {R"({"p":1,"q":2})"},
                           {R"({"q":2})", R"({"p":1})"}},
                    Judged{R"({"allOf":[{}]})", {"1"}, {}},
                    Judged{R"({"allOf":[{"allOf":[{"type":"null"}]}]})", {"null"}, {"123"}},
                    Judged{R"({"allOf":[{"multipleOf":2}],"anyOf":[{"multipleOf":3}],"oneOf":[{"multipleOf":5}]})",
                           {"30", "0"},
                           {"1", "2", "3", "5", "6", "10", "15"}},
                    Judged{R"({"anyOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", "3", "\"x\""}, {"1.5"}},
                    Judged{R"({"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]})",
                           {"\"ab\"", "\"abcd\""},
                           {"3", "\"abc\""}},
                    Judged{R"({"anyOf":[{"properties":{"p":{"type":"integer"}},"required":["p"]},
                            {"properties":{"q":{"type":"string"}},"required":["q"]}]})",
                           {R"({"p":1})", R"({"q":"x"})", R"({"p":1,"q":"x"})", R"({"p":"x","q":"x"})"},
                           {R"({"p":"x","q":1})", "{}"}},
                    Judged{R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5"}, {"3", "1.5"}},
                    Judged{R"({"type":"object","oneOf":[{"required":["p","q"]},{"required":["p","r"]}]})",
                           {R"({"p":1,"q":1})", R"({"p":1,"r":1})"},
                           {R"({"q":1})", R"({"p":1,"q":1,"r":1})", "{}"}},
                    Judged{R"({"oneOf":[{"oneOf":[{"type":"null"}]}]})", {"null"}, {"1"}},
                    Judged{R"({"not":{"type":["integer","boolean"]}})", {"\"x\"", "1.5"}, {"1", "true"}},
                    Judged{R"({"not":{"type":"object","properties":{"p":{"type":"string"}}}})",
                           {"1", R"({"p":1})"},
                           {R"({"p":"x"})", "{}"}},
                    Judged{R"({"properties":{"p":{"not":{}}}})", {R"({"q":1})", "{}"}, {R"({"p":1})"}},
                    Judged{R"({"not":{"not":{}}})", {"1", "{}"}, {}}));

// Core 10.3.1.2 and Validation 6.4: arrays.
INSTANTIATE_TEST_SUITE_P(
    Arrays, SchemaContainerRules,
    testing::Values(
        Judged{R"({"items":{"type":"integer"}})",
               {"[]", "[1,2.0]", R"({"p":"bar"})", R"({"0":"x","length":1})", "\"x\""},
               {"[1,\"x\"]", "[[1]]", "[null]"}},
        Judged{R"({"items":{"type":"null"}})", {"[null]"}, {"[0]"}},
        Judged{R"({"items":{"items":{"items":{"type":"number"}}}})",
               {"[[[1],[2,3]],[[4]]]", "[[[]]]", "[1]"},
               {"[[[\"1\"]]]", "[[[1],[null]]]"}},
        Judged{R"({"items":{"properties":{"p":{"maximum":3}},"required":["p"]}})",
               {R"([{"p":1},{"p":3,"q":9}])"},
               {R"([{"p":4}])", R"([{"p":1},{}])"}},
        Judged{R"({"minItems":1})", {"[1]", "[1,2]", "\"\"", "{}"}, {"[]"}},
        Judged{R"({"minItems":1.0})", {"[null]"}, {"[]"}},
        Judged{R"({"maxItems":2})", {"[]", "[1,2]", "\"abc\""}, {"[1,2,3]"}},
        Judged{R"({"maxItems":0})", {"[]"}, {"[[]]"}},
        Judged{R"({"uniqueItems":true})",
               {"[]", "[1]", "[1,2]", "[1,true]", "[0,false]", "[[1],[true]]", "[[0],[false]]", "[\"1\",1]",
                R"([{"p":1},{"p":2}])", R"([{"p":false},{"p":0}])", R"([{},[1],true,null,1,"{}"])",
                "[[[1],\"x\"],[[2],\"x\"]]", R"([{"a":1,"b":2},{"a":2,"b":1}])", "\"xx\"", R"({"a":1,"b":1})"},
               {"[1,1]", "[1.0,1.00,1]", "[1,2,1]", "[\"x\",\"y\",\"x\"]", R"([{"p":1},{"p":1.0}])",
                R"([{"a":1,"b":2},{"b":2,"a":1}])", R"([{"p":{"q":{"r":true}}},{"p":{"q":{"r":true}}}])", "[[1],[1]]",
                "[[1],[2],[1.0]]", "[{},[1],true,null,{},1]", "[null,null]", R"([{"$numberDecimal":"2.0"},2])"}},
        Judged{R"({"uniqueItems":false})", {"[1,1]"}, {}},
        Judged{R"({"uniqueItems":true,"items":{"type":"integer"},"minItems":2})",
               {"[1,2]"},
               {"[1]", "[1,1]", "[1,\"x\"]"}}));

// Core 10.3.2 and Validation 6.5: objects.
INSTANTIATE_TEST_SUITE_P(
    Objects, SchemaContainerRules,
    testing::Values(
        Judged{R"({"properties":{"p":{"type":"integer"},"q":{"type":"string"}}})",
               {R"({"p":1,"q":"x"})", "{}", R"({"r":[]})", "[]", "12"},
               {R"({"p":1,"q":{}})", R"({"p":[],"q":{}})"}},
        Judged{R"({"properties":{"p":{"type":"null"}}})", {R"({"p":null})"}, {R"({"p":0})"}},
        Judged{R"({"properties":{"a\nb":{"type":"number"},"c\"d":{"type":"number"},"e\\f":{"type":"number"}}})",
               {R"({"a\nb":1,"c\"d":1,"e\\f":1})"},
               {R"({"a\nb":"1"})", R"({"c\"d":"1"})", R"({"e\\f":"1"})"}},
        Judged{
            R"({"properties":{"constructor":{"type":"number"},"toString":{"properties":{"length":{"type":"string"}}}}})",
            {"{}", R"({"constructor":1,"toString":{"length":"x"}})"},
            {R"({"constructor":"x"})", R"({"toString":{"length":5}})"}},
        Judged{R"({"patternProperties":{"f.*o":{"type":"integer"}}})",
               {R"({"foo":1})", R"({"foo":1,"foooooo":2})", "{}", "[\"foo\"]", "12", R"({"bar":"x"})"},
               {R"({"foo":"x","fooooo":2})", R"({"foo":"x","foooooo":"y"})"}},
        Judged{R"({"patternProperties":{"a*":{"type":"integer"},"aaa*":{"maximum":20}}})",
               {R"({"a":21})", R"({"aaaa":18})", R"({"a":21,"aaaa":18})"},
               {R"({"a":"x"})", R"({"aaaa":31})", R"({"aaa":"foo","aaaa":31})"}},
        Judged{R"({"patternProperties":{"[0-9]{2,}":{"type":"boolean"},"X_":{"type":"string"}}})",
               {R"({"answer 1":"42"})", R"({"a_x_3":3})", R"({"a31b":true})"},
               {R"({"a31b":null})", R"({"a_X_3":3})"}},
        Judged{R"({"patternProperties":{"^ä":{"type":"null"}}})", {R"({"äö":null,"ö":1})"}, {R"({"ä":1})"}},
        Judged{R"({"properties":{"p":{},"q":{}},"patternProperties":{"^v":{}},"additionalProperties":false})",
               {R"({"p":1})", R"({"p":1,"vroom":2})", "[1,2,3]", "\"foobar\""},
               {R"({"p":1,"quux":"boom"})", R"({"x":1})"}},
        Judged{R"({"additionalProperties":{"type":"boolean"}})", {"{}", R"({"a":true})"}, {R"({"a":1})"}},
        Judged{R"({"properties":{"p":{}},"additionalProperties":{"type":"boolean"}})",
               {R"({"p":1})", R"({"p":1,"q":true})"},
               {R"({"p":1,"q":12})"}},
        Judged{R"({"additionalProperties":true})", {R"({"a":1})"}, {}},
        Judged{R"({"additionalProperties":{"type":"null"}})", {R"({"a":null})"}, {R"({"a":0})"}},
        // additionalProperties looks at its own neighbours, not into allOf.
        Judged{R"({"allOf":[{"properties":{"p":{}}}],"additionalProperties":{"type":"boolean"}})",
               {R"({"p":true,"q":true})"},
               {R"({"p":1,"q":true})"}},
        // A property is judged by its own schema and by every pattern that fits its name.
        Judged{R"({"properties":{"foo":{"type":"array","maxItems":3},"bar":{"type":"array"}},
                   "patternProperties":{"f.o":{"minItems":2}},"additionalProperties":{"type":"integer"}})",
               {R"({"foo":[1,2]})", R"({"fxo":[1,2]})", R"({"bar":[]})", R"({"quux":3})"},
               {R"({"foo":[1,2,3,4]})", R"({"foo":[]})", R"({"fxo":[]})", R"({"quux":"foo"})"}},
        Judged{R"({"required":["p"]})", {R"({"p":1})", R"({"p":null})", "[]", "\"\"", "12"}, {R"({"q":1})", "{}"}},
        Judged{R"({"properties":{"p":{}}})", {"{}"}, {}}, Judged{R"({"required":[]})", {"{}"}, {}},
        Judged{R"({"required":["a\nb","c\"d","toString"]})",
               {R"({"a\nb":1,"c\"d":1,"toString":1})"},
               {R"({"a\nb":1,"c\"d":1})"}},
        Judged{R"({"required":["p"],"properties":{"q":{}},"additionalProperties":false})",
               {},
               {R"({"p":1})", R"({"q":1})"}}));

// Every breach is told with its path, also those of one value.
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
