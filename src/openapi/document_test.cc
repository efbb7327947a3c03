#include "openapi/document.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::openapi {
namespace {

struct Colour {
  std::string name;
  std::optional<std::string> role;
  static constexpr auto shape() {
    return doc::shape<Colour>("Colour", doc::field("name", &Colour::name), doc::field("role", &Colour::role));
  }
};

Operation colours(std::string method) {
  Operation operation;
  operation.method = std::move(method);
  operation.path = "/api/v1/colours/{name}";
  operation.id = operation.method + "Colour";
  operation.tag = "Pages";
  operation.summary = "A colour";
  operation.parameters = {{Parameter::In::path, "name", "Which.", R"({"type": "string", "examples": ["red"]})"}};
  operation.responses = {{.status = 200, .content = {.key = "colour", .shape = &doc::shapeInfo<Colour>}}};
  operation.errors = {ErrorCode::notFound, ErrorCode::invalidJson, ErrorCode::validation, ErrorCode::validation};
  operation.security = {{"member", "colours:read"}};
  return operation;
}

Operation documents() {
  Operation operation;
  operation.method = "post";
  operation.path = "/api/v1/{collection}";
  operation.id = "createDocument";
  operation.tag = "Documents";
  operation.summary = "Create a document";
  operation.ofCollection = true;
  operation.parameters = {
      {Parameter::In::path, "collection", "Which.", R"({"type": "string", "examples": ["notes"]})"}};
  operation.body = {.schema = R"({"$ref": "#/components/schemas/NewDocument"})"};
  operation.responses = {
      {.status = 201, .content = {.key = "document", .schema = R"({"$ref": "#/components/schemas/Document"})"}}};
  return operation;
}

doc::Document read(const Text& text) {
  auto document = doc::parseJson(text.json, {.extended = doc::ExtendedJson::refuse});
  EXPECT_TRUE(document);
  return document ? *std::move(document) : doc::Document();
}

std::string atSteps(doc::DocumentView view, std::initializer_list<std::string_view> steps) {
  doc::ValueView value;
  for (const std::string_view step : steps) {
    const auto found = view.find(step);
    if (!found) return "none";
    value = *found;
    if (value.isContainer()) view = value.asDocument();
  }
  std::string text;
  doc::writeJsonValue(text, value);
  return text;
}

TEST(OpenApiDocument, WritesAnOperation) {
  const OpenApiDocument description({"1.2.3", "https://example.com"}, {colours("get")});
  const doc::Document spec = read(description.general());
  EXPECT_EQ(atSteps(spec, {"openapi"}), R"("3.1.0")");
  EXPECT_EQ(atSteps(spec, {"info", "version"}), R"("1.2.3")");
  const auto operation =
      spec.view().find("paths")->asDocument().find("/api/v1/colours/{name}")->asDocument().find("get");
  ASSERT_TRUE(operation);
  const doc::DocumentView get = operation->asDocument();
  EXPECT_EQ(atSteps(get, {"operationId"}), R"("getColour")");
  EXPECT_EQ(atSteps(get, {"security"}), R"([{"member":["colours:read"]}])");
  EXPECT_EQ(atSteps(get, {"parameters", "0", "required"}), "true");
  EXPECT_EQ(atSteps(get, {"responses", "400"}), R"({"$ref":"#/components/responses/400.VALIDATION.INVALID_JSON"})");
  EXPECT_EQ(atSteps(get, {"responses", "200", "content", "application/json", "schema", "properties", "colour", "$ref"}),
            R"("#/components/schemas/Colour")");
  EXPECT_EQ(
      atSteps(spec, {"components", "responses", "404.NOT_FOUND", "content", "application/json", "schema", "$ref"}),
      R"("#/components/schemas/Error")");
}

TEST(OpenApiDocument, AShapeOfBothBodiesAndResponsesHasTwoSchemasWhereTheyDiffer) {
  Operation put = colours("put");
  put.body = {.shape = &doc::shapeInfo<Colour>};
  const OpenApiDocument description({"1", ""}, {put});
  const doc::Document spec = read(description.general());
  EXPECT_EQ(atSteps(spec, {"components", "schemas", "ColourInput", "additionalProperties"}), "false");
  EXPECT_EQ(atSteps(spec, {"components", "schemas", "ColourInput", "required"}), R"(["name"])");
  EXPECT_EQ(atSteps(spec, {"components", "schemas", "Colour", "additionalProperties"}), "none");
}

TEST(OpenApiDocument, ABodyOfTwoTypesHasBoth) {
  Operation put = colours("put");
  put.body = {.type = "text/plain", .schema = R"({"type": "string"})"};
  put.otherBody = {.shape = &doc::shapeInfo<Colour>};
  const OpenApiDocument description({"1", ""}, {put});
  const doc::Document spec = read(description.general());
  const auto path = spec.view().find("paths")->asDocument().begin()->value.asDocument();
  EXPECT_EQ(atSteps(path, {"put", "requestBody", "content", "text/plain", "schema", "type"}), R"("string")");
  EXPECT_EQ(atSteps(path, {"put", "requestBody", "content", "application/json", "schema", "$ref"}),
            R"("#/components/schemas/ColourInput")");
}

TEST(OpenApiDocument, AResponseOfTwoKindsTakesEither) {
  Operation get = colours("get");
  get.responses.push_back({.status = 200, .content = {.schema = R"({"type": "object"})"}});
  const OpenApiDocument description({"1", ""}, {get});
  const doc::Document spec = read(description.general());
  const auto path = spec.view().find("paths")->asDocument().begin()->value.asDocument();
  const std::string choices =
      atSteps(path, {"get", "responses", "200", "content", "application/json", "schema", "anyOf", "1"});
  EXPECT_EQ(choices, R"({"type":"object"})");
}

TEST(OpenApiDocument, AProjectHasItsCollectionsInPlaceOfAny) {
  const OpenApiDocument description({"1", ""}, {colours("get"), documents()});
  const auto schema =
      doc::parseJson(R"({"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}})");
  ASSERT_TRUE(schema);
  const Text typed = description.ofProject({"proj_1", "Shop", {{"notes", *schema, {}}, {"a-b", {}, {}}}});
  EXPECT_NE(typed.etag, description.general().etag);
  const doc::Document spec = read(typed);
  EXPECT_EQ(atSteps(spec, {"info", "title"}), R"("Shop")");
  const doc::DocumentView paths = spec.view().find("paths")->asDocument();
  EXPECT_FALSE(paths.find("/api/v1/{collection}"));
  EXPECT_TRUE(paths.find("/api/v1/colours/{name}"));
  ASSERT_TRUE(paths.find("/api/v1/notes"));
  ASSERT_TRUE(paths.find("/api/v1/a-b"));
  const doc::DocumentView post = paths.find("/api/v1/notes")->asDocument().find("post")->asDocument();
  EXPECT_EQ(atSteps(post, {"operationId"}), R"("create_notes")");
  EXPECT_EQ(atSteps(post, {"parameters"}), "[]");
  const auto body = post.find("requestBody")->asDocument().find("content")->asDocument().begin()->value.asDocument();
  EXPECT_EQ(atSteps(body, {"schema", "$ref"}), R"("#/components/schemas/NewDocument.notes")");
  EXPECT_EQ(atSteps(body, {"example", "title"}), R"("text")");
  EXPECT_EQ(
      atSteps(post, {"responses", "201", "content", "application/json", "schema", "properties", "document", "$ref"}),
      R"("#/components/schemas/Document.notes")");
}

TEST(OpenApiDocument, IsTheSameForTheSameShape) {
  const OpenApiDocument description({"1", ""}, {documents()});
  const ProjectFacts facts{"proj_1", "Shop", {{"notes", {}, {}}}};
  EXPECT_EQ(description.ofProject(facts).etag, description.ofProject(facts).etag);
  EXPECT_NE(description.ofProject(facts).etag, description.ofProject({"proj_1", "Shop", {}}).etag);
}

}  // namespace
}  // namespace mb::openapi
