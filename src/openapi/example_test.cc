#include "openapi/example.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "document/schema.h"

namespace mb::openapi {
namespace {

doc::Document parsedExample(std::string_view json) {
  auto document = doc::parseJson(json, {.extended = doc::ExtendedJson::refuse});
  EXPECT_TRUE(document) << json;
  return document ? *std::move(document) : doc::Document();
}

std::string exampleText(std::string_view schema, const Components& components = {}) {
  const auto example = exampleOf(parsedExample(schema), components);
  if (!example) return "none";
  std::string text;
  doc::writeJsonValue(text, *example);
  return text;
}

TEST(Example, TakesWhatTheSchemaGives) {
  EXPECT_EQ(exampleText(R"({"type": "string", "examples": ["a"], "default": "b"})"), R"("a")");
  EXPECT_EQ(exampleText(R"({"type": "string", "default": "b", "enum": ["c"]})"), R"("b")");
  EXPECT_EQ(exampleText(R"({"const": 5})"), "5");
  EXPECT_EQ(exampleText(R"({"enum": ["c", "d"]})"), R"("c")");
  EXPECT_EQ(exampleText(R"({"anyOf": [{"type": "null"}, {"type": "string"}]})"), "null");
}

TEST(Example, KeepsToTypesAndBounds) {
  EXPECT_EQ(exampleText(R"({"type": "integer", "minimum": 7})"), "7");
  EXPECT_EQ(exampleText(R"({"type": "integer", "maximum": 0})"), "0");
  EXPECT_EQ(exampleText(R"({"type": "integer", "exclusiveMinimum": 7, "multipleOf": 5})"), "10");
  EXPECT_EQ(exampleText(R"({"type": "string", "maxLength": 2})"), R"("te")");
  EXPECT_EQ(exampleText(R"({"type": "string", "minLength": 6})"), R"("texttt")");
  EXPECT_EQ(exampleText(R"({"type": ["boolean", "null"]})"), "true");
  EXPECT_EQ(exampleText(R"({"type": "array", "items": {"type": "integer"}, "minItems": 2})"), "[1,1]");
  EXPECT_EQ(exampleText(R"({"type": "string", "format": "date"})"), R"("2026-01-31")");
}

TEST(Example, SaysWhereItKnowsNone) {
  EXPECT_EQ(exampleText(R"({"type": "string", "pattern": "^x+$"})"), "none");
  EXPECT_EQ(exampleText(R"({"type": "object", "properties": {"a": {"pattern": "x", "type": "string"}}})"), "{}");
  EXPECT_EQ(
      exampleText(R"({"type": "object", "required": ["a"], "properties": {"a": {"pattern": "x", "type": "string"}}})"),
      "none");
  EXPECT_EQ(exampleText(R"({"$ref": "#/components/schemas/Nobody"})"), "none");
}

TEST(Example, FollowsReferencesAndEndsInThemselves) {
  Components components;
  components.emplace("Name", parsedExample(R"({"type": "string", "examples": ["Ada"]})"));
  components.emplace("Loop", parsedExample(R"({"type": "object", "required": ["next"],
                                        "properties": {"next": {"$ref": "#/components/schemas/Loop"}}})"));
  EXPECT_EQ(
      exampleText(R"({"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}})", components),
      R"({"name":"Ada"})");
  EXPECT_EQ(exampleText(R"({"$ref": "#/components/schemas/Loop"})", components), "none");
}

TEST(Example, JoinsTheFieldsOfAllParts) {
  EXPECT_EQ(exampleText(R"({"allOf": [{"type": "object", "properties": {"a": {"const": 1}}},
                                      {"type": "object", "properties": {"b": {"const": 2}}}]})"),
            R"({"a":1,"b":2})");
}

}  // namespace
}  // namespace mb::openapi
