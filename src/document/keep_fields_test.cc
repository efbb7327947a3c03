#include "document/keep_fields.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::doc {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> fields;
  const char* document;
  const char* kept;
};

class KeepFieldsTest : public ::testing::TestWithParam<Case> {};

TEST_P(KeepFieldsTest, Keeps) {
  const Case& each = GetParam();
  const Document document = *parseJson(each.document);
  EXPECT_EQ(toJson(keepFields(document, FieldSet(each.fields))), each.kept);
}

INSTANTIATE_TEST_SUITE_P(
    All, KeepFieldsTest,
    ::testing::Values(Case{"OneField", {"a"}, R"({"a":1,"b":2})", R"({"a":1})"},
                      Case{"AWholeObject", {"a"}, R"({"a":{"x":1,"y":[2]},"b":2})", R"({"a":{"x":1,"y":[2]}})"},
                      Case{"InsideAnObject", {"a.x"}, R"({"a":{"x":1,"y":2},"b":2})", R"({"a":{"x":1}})"},
                      Case{"TheObjectAroundNothing", {"a.z"}, R"({"a":{"x":1}})", R"({"a":{}})"},
                      Case{"NothingWhereItIsNoObject", {"a.x"}, R"({"a":5})", R"({})"},
                      Case{"NothingOfAnother", {"c"}, R"({"a":1,"ab":2})", R"({})"},
                      Case{"ThroughArrays", {"a.x"}, R"({"a":[{"x":1,"y":2},{"y":3},4]})", R"({"a":[{"x":1},{}]})"},
                      Case{"ThroughArraysOfArrays", {"a.x"}, R"({"a":[[{"x":1}],[5]]})", R"({"a":[[{"x":1}],[]]})"},
                      Case{"APosition", {"a.1"}, R"({"a":[1,2,3]})", R"({"a":[2]})"},
                      Case{"TheOrderOfTheDocument", {"c", "a"}, R"({"a":1,"b":2,"c":3})", R"({"a":1,"c":3})"},
                      Case{"AParentCoversItsFields", {"a", "a.x"}, R"({"a":{"x":1,"y":2}})", R"({"a":{"x":1,"y":2}})"},
                      Case{"NoFields", {}, R"({"a":1})", R"({})"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace mb::doc
