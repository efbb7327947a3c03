#include "openapi/collection_schemas.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "document/schema.h"

namespace mb::openapi {
namespace {

doc::Document parsed(std::string_view json) {
  auto document = doc::parseJson(json, {.extended = doc::ExtendedJson::refuse});
  EXPECT_TRUE(document) << json;
  return document ? *std::move(document) : doc::Document();
}

constexpr std::string_view kDocs = R"({
  "type": "object", "title": "Note", "additionalProperties": false, "required": ["title", "stars", "secret"],
  "properties": {
    "title": {"type": "string", "minLength": 1},
    "stars": {"type": "integer", "minimum": 2, "default": 3},
    "secret": {"type": "string"},
    "authorId": {"type": "string", "x-ref": "people"},
    "readers": {"type": "array", "items": {"type": "string", "x-ref": {"collection": "people", "check": "exists"}}}
  }
})";

Components componentsOf(CollectionFacts facts) {
  Components components;
  addGeneralDocuments(components);
  addDocumentsOf(facts, components);
  return components;
}

std::string at(const doc::Document& schema, std::string_view path) {
  const auto found = schema.view().findPath(path);
  if (!found) return "none";
  std::string text;
  doc::writeJsonValue(text, *found);
  return text;
}

TEST(CollectionSchemas, TheGeneralOnesHaveWordsAndExamples) {
  Components components;
  addGeneralDocuments(components);
  ASSERT_EQ(components.size(), 3u);
  for (const auto& [name, schema] : components) {
    EXPECT_FALSE(schema.view().stringOr("description").empty()) << name;
    EXPECT_TRUE(exampleOf(schema, components)) << name;
  }
  EXPECT_TRUE(components.at("Document").view().findPath("properties.id"));
}

TEST(CollectionSchemas, AResponseHasTheServersFieldsAndHidesWhatReadersMayNotSee) {
  const Components components = componentsOf({"notes", parsed(kDocs), {"secret"}});
  const doc::Document& response = components.at("Document.notes");
  EXPECT_EQ(at(response, "required"), R"(["id","createdAt","updatedAt","title","stars"])");
  EXPECT_EQ(at(response, "title"), R"("Note")");
  EXPECT_EQ(at(response, "properties.secret"), "none");
  EXPECT_EQ(at(response, "properties.stars.minimum"), "2");
  EXPECT_EQ(at(response, "additionalProperties"), "none");
}

TEST(CollectionSchemas, AReferenceMayStandInlined) {
  const Components components = componentsOf({"notes", parsed(kDocs), {}});
  const doc::Document& response = components.at("Document.notes");
  const auto choices = response.view().findPath("properties.authorId.anyOf");
  ASSERT_TRUE(choices);
  EXPECT_EQ(choices->asDocument().count(), 2u);
  EXPECT_TRUE(response.view().findPath("properties.readers.items.anyOf"));
  EXPECT_EQ(at(components.at("NewDocument.notes"), "properties.authorId.x-ref"), R"("people")");
}

TEST(CollectionSchemas, ABodyMayLeaveOutWhatHasADefaultAndBringAnId) {
  const Components components = componentsOf({"notes", parsed(kDocs), {"secret"}});
  const doc::Document& body = components.at("NewDocument.notes");
  EXPECT_EQ(at(body, "required"), R"(["title","secret"])");
  EXPECT_EQ(at(body, "additionalProperties"), "false");
  EXPECT_EQ(at(body, "properties.id.type"), R"("string")");
  EXPECT_TRUE(body.view().findPath("properties.secret")) << "a hidden field may be written";
}

TEST(CollectionSchemas, ExamplesAreTaken) {
  const doc::Document source = parsed(kDocs);
  const Components components = componentsOf({"notes", source, {}});
  const auto schema = doc::Schema::compile(source);
  ASSERT_TRUE(schema);
  const auto example = exampleOf(components.at("NewDocument.notes"), components);
  ASSERT_TRUE(example);
  EXPECT_TRUE((*schema)->validate(example->view().asDocument()).empty());
  EXPECT_TRUE(exampleOf(components.at("DocumentPatch.notes"), components));
}

TEST(CollectionSchemas, ACollectionWithoutASchemaTakesAnything) {
  const Components components = componentsOf({"things", {}, {}});
  EXPECT_EQ(at(components.at("Document.things"), "required"), R"(["id","createdAt","updatedAt"])");
  EXPECT_EQ(at(components.at("NewDocument.things"), "required"), "[]");
}

}  // namespace
}  // namespace mb::openapi
