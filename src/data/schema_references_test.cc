#include "data/schema_references.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::data {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "author":{"type":"string","x-ref":"people"},
  "tags":{"type":"array","items":{"type":"string","x-ref":"tags"}},
  "x-ref":{"type":"string","default":"people"},
  "meta":{"type":"object","default":{"x-ref":"people"},"properties":{"by":{"anyOf":[{"x-ref":"people"},{"type":"null"}]}}},
  "any":{"enum":[{"x-ref":"people"}]}},
  "additionalProperties":{"x-ref":"others"},"patternProperties":{"^y":{"not":{"x-ref":"nots"}}}})";

TEST(SchemaReferencesTest, FoundWhereverASchemaStands) {
  EXPECT_EQ((Names{"nots", "others", "people", "tags"}), referencedCollections(*doc::parseJson(kSchema)));
  EXPECT_EQ(Names{}, referencedCollections(doc::Document()));
}

TEST(SchemaReferencesTest, RenamedThereAndNowhereElse) {
  const auto renamed = renameReferences(*doc::parseJson(kSchema), [](std::string_view name) {
    return name == "people" ? std::string("authors") : std::string(name);
  });
  const std::string text = doc::toJson(renamed);
  EXPECT_NE(std::string::npos, text.find(R"("author":{"type":"string","x-ref":"authors"})")) << text;
  EXPECT_NE(std::string::npos, text.find(R"("anyOf":[{"x-ref":"authors"})")) << text;
  EXPECT_NE(std::string::npos, text.find(R"("enum":[{"x-ref":"people"}])")) << text;
  EXPECT_NE(std::string::npos, text.find(R"("default":{"x-ref":"people"})")) << text;
  EXPECT_NE(std::string::npos, text.find(R"("x-ref":{"type":"string","default":"people"})")) << text;
}

TEST(SchemaReferencesTest, LeftOutWhereTheNewNameIsEmpty) {
  const auto without = renameReferences(*doc::parseJson(kSchema), [](std::string_view name) {
    return name == "people" ? std::string() : std::string(name);
  });
  EXPECT_EQ((Names{"nots", "others", "tags"}), referencedCollections(without));
  const std::string text = doc::toJson(without);
  EXPECT_NE(std::string::npos, text.find(R"("author":{"type":"string"})")) << text;
  EXPECT_NE(std::string::npos, text.find(R"("default":{"x-ref":"people"})")) << text;
}

TEST(SchemaReferencesTest, AnObjectIsAReferenceToo) {
  const doc::Document schema = *doc::parseJson(
      R"({"properties":{"a":{"x-ref":{"check":"exists","collection":"people"}},"b":{"x-ref":{"check":"exists"}}}})");
  EXPECT_EQ(Names{"people"}, referencedCollections(schema));
  const auto renamed = renameReferences(schema, [](std::string_view) { return std::string("authors"); });
  EXPECT_EQ(
      R"({"properties":{"a":{"x-ref":{"check":"exists","collection":"authors"}},"b":{"x-ref":{"check":"exists"}}}})",
      doc::toJson(renamed));
  const auto without = renameReferences(schema, [](std::string_view) { return std::string(); });
  EXPECT_EQ(R"({"properties":{"a":{},"b":{"x-ref":{"check":"exists"}}}})", doc::toJson(without));
}

TEST(SchemaReferencesTest, PointersAreEscaped) {
  const auto refused =
      checkReferences(*doc::parseJson(R"({"properties":{"a/b":{"properties":{"c~d":{"x-ref":"x"}}}}})"),
                      [](const std::string&) { return false; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details().front().path, "/properties/a~1b/properties/c~0d/x-ref");
}

}  // namespace
}  // namespace mb::data
