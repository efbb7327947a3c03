// The OpenAPI documentation compared with the server's routes: it covers all of them and nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "api/route_operations.h"
#include "app/application.h"
#include "base/crypto.h"
#include "configuration/sections.h"
#include "document/json.h"
#include "openapi/collection_schemas.h"
#include "openapi/docs.h"
#include "openapi/example.h"
#include "openapi/shape_schemas.h"

namespace mb::app {
namespace {

using openapi::Operation;
using openapi::Parameter;

std::string nameOf(http::Method method, std::string_view pattern) {
  return fmt::format("{} {}", http::methodName(method), pattern);
}

// The routes of a server, with and without files, and with billing, and their documentation. Created once: it starts
// servers.
struct Described {
  std::set<std::string> routes;
  std::set<std::string> unknown;  // routes without a note
  std::vector<Operation> operations;
  const std::vector<api::RouteDoc> docs = api::routeDocs();

  Described() {
    initCrypto();
    configureLog(LogLevel::error, LogFormat::text);
    take({});
    take({{"SERVICE_STORAGE", "off"}});
    take({{"SERVICE_BILLING", "on"}, {"SERVICE_BILLING_SECRET_KEY", "sk_test_1"}, {"SERVICE_OPERATORS", "on"}});
  }

  void take(Settings::Environment environment) {
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-described-XXXXXX").string();
    const std::filesystem::path directory = ::mkdtemp(pattern.data());
    environment.emplace("SERVICE_DATA_DIR", (directory / "data").string());
    environment.emplace("SERVICE_LISTEN", "127.0.0.1:0");
    Settings settings(std::move(environment));
    const AllSettings all(settings);
    EXPECT_EQ(settings.errors(), std::vector<std::string>{});
    {
      auto application = Application::start(all, {"1.2.3", "abc", "1.2.3"});
      EXPECT_TRUE(application);
      if (application) look((*application)->routes());
    }
    std::filesystem::remove_all(directory);
  }

  void look(const api::RouteTable& table) {
    for (const api::Route& route : table.all()) {
      routes.insert(nameOf(route.method, route.pattern));
      if (api::docOf(route, docs) == nullptr) unknown.insert(nameOf(route.method, route.pattern));
    }
    for (Operation& operation : api::operationsOf(table, docs)) {
      const bool known =
          std::ranges::any_of(operations, [&](const Operation& other) { return other.id == operation.id; });
      if (!known) operations.push_back(std::move(operation));
    }
  }

  static const Described& get() {
    static const Described described;
    return described;
  }
};

bool holds(const Operation& operation, Parameter::In in, std::string_view name) {
  return std::ranges::any_of(operation.parameters,
                             [&](const Parameter& parameter) { return parameter.in == in && parameter.name == name; });
}

TEST(OpenApiOfRoutes, EveryRouteHasItsDoc) {
  EXPECT_GT(Described::get().routes.size(), 140u);
  EXPECT_EQ(Described::get().unknown, std::set<std::string>{});
}

TEST(OpenApiOfRoutes, EveryNoteHasItsRoute) {
  for (const api::RouteDoc& doc : Described::get().docs) {
    const std::string name = nameOf(doc.method, doc.pattern);
    EXPECT_TRUE(Described::get().routes.contains(name)) << name;
  }
}

TEST(OpenApiOfRoutes, NothingIsNotedTwice) {
  std::set<std::string> ids;
  std::set<std::string> names;
  for (const api::RouteDoc& doc : Described::get().docs) {
    EXPECT_TRUE(ids.insert(doc.id).second) << doc.id;
    EXPECT_TRUE(names.insert(nameOf(doc.method, doc.pattern)).second) << doc.pattern;
  }
}

TEST(OpenApiOfRoutes, SaysWhatItDoesWhoMayAndWhatComesOfIt) {
  for (const Operation& operation : Described::get().operations) {
    EXPECT_FALSE(operation.summary.empty()) << operation.id;
    EXPECT_FALSE(operation.tag.empty()) << operation.id;
    EXPECT_FALSE(operation.responses.empty() && operation.errors.empty()) << operation.id;
    if (!operation.path.starts_with("/api/v1/")) continue;
    EXPECT_NE(operation.tag, "Pages") << operation.id;
    EXPECT_FALSE(operation.errors.empty()) << operation.id;
    const bool optional = std::ranges::any_of(operation.security, [](const auto& one) { return one.scheme.empty(); });
    const bool asks = std::ranges::find(operation.errors, ErrorCode::unauthenticated) != operation.errors.end();
    EXPECT_TRUE(asks || optional || operation.security.empty()) << operation.id;
  }
}

TEST(OpenApiOfRoutes, GatesAreToldAsTheyAre) {
  std::map<std::string, const Operation*> byId;
  for (const Operation& operation : Described::get().operations) byId[operation.id] = &operation;
  const auto security = [&](const std::string& id) {
    std::string text;
    for (const openapi::Security& one : byId.at(id)->security) text += fmt::format("{}:{} ", one.scheme, one.role);
    return text;
  };
  EXPECT_EQ(security("listRoles"), "member:roles:read apiKey:admin ");
  EXPECT_EQ(security("listDocuments"), ": endUser: member: apiKey:read ");
  EXPECT_EQ(security("updateDocument"), "endUser: member: apiKey:write ");
  EXPECT_EQ(security("adminListDocuments"), "member:data:{name}:list apiKey:admin ");
  EXPECT_EQ(security("invokeFunction"), "member:functions:invoke apiKey:functions ");
  EXPECT_EQ(security("listProjects"), "control: ");
  EXPECT_EQ(security("listOperators"), "operator: ");
  EXPECT_EQ(security("login"), "");
  EXPECT_TRUE(holds(*byId.at("login"), Parameter::In::header, "x-service-project"));
  EXPECT_TRUE(holds(*byId.at("login"), Parameter::In::query, "project"));
  EXPECT_FALSE(holds(*byId.at("platformLogin"), Parameter::In::header, "x-service-project"));
}

TEST(OpenApiOfRoutes, ConfigurationsHaveAllSections) {
  for (const Operation& operation : Described::get().operations) {
    const bool exported = operation.id == "exportConfiguration";
    if (!exported && operation.id != "importConfiguration") continue;
    const std::string_view schema = exported ? operation.responses.front().content.schema : operation.body.schema;
    const auto document = doc::parseJson(schema, {.extended = doc::ExtendedJson::refuse});
    ASSERT_TRUE(document);
    for (const configuration::Section& section : configuration::sections()) {
      EXPECT_TRUE(document->view().find("properties")->asDocument().find(section.name)) << section.name;
    }
  }
}

TEST(OpenApiOfRoutes, ARouteOfTwoBodiesHasBoth) {
  const auto& all = Described::get().operations;
  const auto upload = std::ranges::find(all, std::string("continueUpload"), &Operation::id);
  ASSERT_NE(upload, all.end());
  EXPECT_EQ(upload->body.type, "application/offset+octet-stream");
  EXPECT_EQ(upload->otherBody.shape().name, "FilePatch");
  EXPECT_NE(std::ranges::find(upload->errors, ErrorCode::invalidJson), upload->errors.end());
}

TEST(OpenApiOfRoutes, EveryParameterHasAMeaning) {
  for (const Operation& operation : Described::get().operations) {
    const auto inPath = std::ranges::count_if(
        operation.parameters, [](const Parameter& parameter) { return parameter.in == Parameter::In::path; });
    EXPECT_EQ(inPath, std::ranges::count(operation.path, '{')) << operation.path;
    for (const Parameter& parameter : operation.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << operation.id << " " << parameter.name;
      const auto schema = doc::parseJson(parameter.schema);
      EXPECT_TRUE(schema && schema->view().find("examples")) << operation.id << " " << parameter.name;
    }
  }
  for (const api::RouteDoc& doc : Described::get().docs) {
    for (const std::string_view name : doc.query) EXPECT_NE(openapi::queryDoc(name), nullptr) << name;
    for (const std::string_view name : doc.extra.headers) EXPECT_NE(openapi::headerDoc(name), nullptr) << name;
  }
}

TEST(OpenApiOfRoutes, EveryFieldHasAMeaningAndAnExample) {
  const openapi::ShapeSchemas shapes(Described::get().operations);
  EXPECT_GT(shapes.components().size(), 50u);
  std::map<std::string, const doc::ShapeInfo*> byName;
  std::set<std::string> used;
  std::function<void(doc::ShapeRef)> walk = [&](doc::ShapeRef shape) {
    const auto [known, fresh] = byName.emplace(std::string(shape().name), &shape());
    EXPECT_EQ(known->second, &shape()) << "two shapes are called " << shape().name;
    if (!fresh) return;
    for (const doc::FieldInfo& field : shape().fields) {
      const auto* doc = openapi::fieldDoc(shape().name, field.name);
      EXPECT_NE(doc, nullptr) << shape().name << "." << field.name;
      if (doc == nullptr) continue;
      used.insert(std::string(doc->field));
      EXPECT_FALSE(doc->meaning.empty()) << doc->field;
      EXPECT_TRUE(doc::parseJsonValue(doc->example)) << doc->field;
      if (!doc->schema.empty()) EXPECT_TRUE(doc::parseJson(doc->schema)) << doc->field;
      if (field.shape != nullptr) walk(field.shape);
    }
  };
  for (const Operation& operation : Described::get().operations) {
    for (const doc::ShapeRef shape : {operation.body.shape, operation.otherBody.shape}) {
      if (shape != nullptr) walk(shape);
    }
    for (const doc::ShapeRef shape : operation.mentions) walk(shape);
    for (const openapi::Response& response : operation.responses) {
      if (response.content.shape != nullptr) walk(response.content.shape);
    }
  }
  for (const openapi::FieldDoc& doc : openapi::fieldDocs()) {
    EXPECT_TRUE(used.contains(std::string(doc.field))) << "no shape has the field " << doc.field;
  }
}

TEST(OpenApiOfRoutes, EveryBodyAndAnswerHasAnExample) {
  const openapi::ShapeSchemas shapes(Described::get().operations);
  openapi::Components components = shapes.components();
  openapi::addGeneralDocuments(components);
  const auto check = [&](const Operation& operation, const openapi::Content& content) {
    if (content.none()) return;
    if (content.shape == nullptr) {
      const auto schema = doc::parseJson(content.schema);
      ASSERT_TRUE(schema) << operation.id;
      EXPECT_TRUE(openapi::exampleOf(*schema, components)) << operation.id;
      return;
    }
    for (const auto direction : {openapi::Direction::body, openapi::Direction::response}) {
      const auto found = components.find(shapes.nameOf(content.shape, direction));
      if (found != components.end()) EXPECT_TRUE(openapi::exampleOf(found->second, components)) << found->first;
    }
  };
  for (const Operation& operation : Described::get().operations) {
    check(operation, operation.body);
    check(operation, operation.otherBody);
    for (const openapi::Response& response : operation.responses) check(operation, response.content);
  }
}

TEST(OpenApiOfRoutes, EveryErrorHasAMeaningAndEveryWordIsUsed) {
  std::set<ErrorCode> errors;
  std::set<std::string> words;
  for (const Operation& operation : Described::get().operations) {
    for (const ErrorCode code : operation.errors) {
      EXPECT_FALSE(openapi::errorMeaning(code).empty()) << operation.id << " " << meaningOf(code).wire;
      errors.insert(code);
    }
  }
  for (const api::RouteDoc& doc : Described::get().docs) {
    errors.insert(doc.errors.begin(), doc.errors.end());
    for (const std::string_view name : doc.query) words.insert(std::string(name));
    for (const std::string_view name : doc.extra.headers) words.insert(std::string(name));
  }
  words.insert("x-service-project");
  std::set<const openapi::ParameterDoc*> inPaths;
  for (const api::RouteDoc& doc : Described::get().docs) {
    const std::string path = api::openApiPath(doc.pattern);
    std::string before;
    for (size_t at = 1; at < path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      std::string segment = path.substr(at, end - at);
      const bool parameter = segment.starts_with('{');
      if (parameter) segment = segment.substr(1, segment.size() - 2);
      if (parameter) inPaths.insert(openapi::pathDoc(before, segment));
      before = segment;
      at = end + 1;
    }
  }
  for (const auto& doc : openapi::pathDocs()) EXPECT_TRUE(inPaths.contains(&doc)) << doc.name;
  for (const openapi::ErrorDoc& doc : openapi::errorDocs()) {
    EXPECT_TRUE(errors.contains(doc.code)) << meaningOf(doc.code).wire;
  }
  for (const auto& doc : openapi::queryDocs()) EXPECT_TRUE(words.contains(std::string(doc.name))) << doc.name;
  for (const auto& doc : openapi::headerDocs()) EXPECT_TRUE(words.contains(std::string(doc.name))) << doc.name;
}

}  // namespace
}  // namespace mb::app
