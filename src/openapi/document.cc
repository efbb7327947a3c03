#include "openapi/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crypto.h"
#include "document/json.h"
#include "openapi/docs.h"
#include "openapi/literal.h"
#include "openapi/operation_writer.h"

namespace mb::openapi {

namespace {

using doc::BsonWriter;

constexpr size_t kTagDigits = 32;
constexpr std::string_view kAnyCollection = "/api/v1/{collection}";

constexpr std::string_view kAbout =
    "The REST interface of a Manybase deployment.\n\n"
    "- Errors have one shape: `{\"error\": {\"code\", \"message\", \"details\"}}`. Each answer carries "
    "`x-request-id`.\n"
    "- Where GET is, HEAD is too; OPTIONS is answered everywhere. A method that a path does not take is 405 "
    "`METHOD_NOT_ALLOWED` with `allow`; a path that is not there 404 `NOT_FOUND`.\n"
    "- A body that comes too slowly is 408 `REQUEST_TIMEOUT`, headers that are too large are 431 "
    "`HEADERS_TOO_LARGE`; a fault of the server is 500 `INTERNAL`, and says no more.\n"
    "- Times are RFC 3339 in UTC with milliseconds. Bodies are strict: an unknown field is refused.";

constexpr std::string_view kError = R"({
  "type": "object",
  "description": "What went wrong.",
  "properties": {
    "error": {
      "type": "object",
      "properties": {
        "code": {"type": "string", "description": "What kind of failure it is; these are stable.",
                 "examples": ["VALIDATION"]},
        "message": {"type": "string", "description": "For people.", "examples": ["the body has 1 problem"]},
        "details": {
          "type": "array", "description": "Each problem by itself, where there are several.",
          "items": {
            "type": "object",
            "properties": {
              "path": {"type": "string", "description": "A JSON pointer into the body.", "examples": ["/title"]},
              "message": {"type": "string", "description": "What is wrong there.", "examples": ["is required"]}
            },
            "required": ["path", "message"]
          }
        }
      },
      "required": ["code", "message"]
    }
  },
  "required": ["error"]
})";

constexpr std::string_view kHeaders = R"({
  "RequestId": {"description": "Names this request in the server's log: the caller's own `x-request-id`, or a new one.",
                "schema": {"type": "string", "examples": ["06fVx3jmA1qK9bTzLw2C"]}},
  "RetryAfter": {"description": "Seconds to wait before trying again.",
                 "schema": {"type": "string", "examples": ["12"]}},
  "Authenticate": {"description": "That a bearer token is needed.",
                   "schema": {"type": "string", "examples": ["Bearer"]}}
})";

constexpr std::string_view kSecuritySchemes = R"({
  "endUser": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
              "description": "The access token of an end user, from `POST /api/v1/auth/login`. Policies decide what it reaches."},
  "member": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
             "description": "A project token of a member, from `POST /api/v1/control/projects/{id}/token`. The names beside it are the permissions it needs."},
  "apiKey": {"type": "http", "scheme": "bearer",
             "description": "An API key (`mb_sk_…`). The names beside it are the scopes it needs; `admin` includes all."},
  "control": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
              "description": "The access token of a platform user, from `POST /api/v1/control/auth/login`."},
  "operator": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
               "description": "The access token of a platform user who is an operator; where the deployment has operators."}
})";

void writeInfo(BsonWriter& out, const Facts& facts, const ProjectFacts* project) {
  out.beginDocument("info");
  out.appendString("title", project == nullptr ? "Manybase" : project->name);
  out.appendString("version", facts.version);
  out.appendString("description", project == nullptr ? std::string(kAbout)
                                                     : fmt::format("The project {}.\n\n{}", project->id, kAbout));
  out.beginDocument("license");
  out.appendString("name", "Apache-2.0");
  out.appendString("identifier", "Apache-2.0");
  out.end();
  out.end();
  out.beginArray("servers");
  out.beginDocument("0");
  out.appendString("url", facts.baseUrl.empty() ? "/" : facts.baseUrl);
  out.end();
  out.end();
}

void writeTags(BsonWriter& out, const std::vector<Operation>& operations, const ProjectFacts* project) {
  std::vector<const TagDoc*> used;
  for (const Operation& operation : operations) {
    if (project != nullptr && operation.ofCollection) continue;
    const TagDoc* doc = tagDoc(operation.path);
    const bool known =
        std::any_of(used.begin(), used.end(), [&](const TagDoc* other) { return other->tag == doc->tag; });
    if (!known) used.push_back(doc);
  }
  out.beginArray("tags");
  size_t place = 0;
  const auto write = [&](std::string_view name, std::string_view meaning) {
    out.beginDocument(doc::arrayKey(place++));
    out.appendString("name", name);
    out.appendString("description", meaning);
    out.end();
  };
  if (project != nullptr) {
    for (const CollectionFacts& collection : project->collections) {
      write(collectionTag(collection.name), "Documents of a collection, as policies show them.");
    }
  }
  for (const TagDoc* doc : used) write(doc->tag, doc->meaning);
  out.end();
}

Text finished(BsonWriter& out) {
  Text text;
  doc::writeJson(text.json, out.finish());
  text.etag = "W/\"" + toHex(sha256(text.json)).substr(0, kTagDigits) + "\"";
  return text;
}

}  // namespace

OpenApiDocument::OpenApiDocument(Facts facts, std::vector<Operation> operations)
    : facts_(std::move(facts)),
      operations_(std::move(operations)),
      shapes_(operations_),
      components_(shapes_.components()) {
  components_.emplace("Error", literal(kError));
  addGeneralDocuments(components_);
  for (const Operation& operation : operations_) {
    made_.push_back({&operation, operationObject(operation, shapes_, components_, failures_)});
  }
  general_ = textOf(nullptr);
}

Text OpenApiDocument::ofProject(const ProjectFacts& project) const {
  return textOf(&project);
}

Text OpenApiDocument::textOf(const ProjectFacts* project) const {
  Components components = components_;
  if (project != nullptr) {
    for (const CollectionFacts& collection : project->collections) addDocumentsOf(collection, components);
  }
  BsonWriter out;
  out.appendString("openapi", "3.1.0");
  writeInfo(out, facts_, project);
  writeTags(out, operations_, project);
  writePaths(out, project, components);
  writeComponents(out, components);
  return finished(out);
}

void OpenApiDocument::writePaths(BsonWriter& out, const ProjectFacts* project, const Components& components) const {
  std::vector<std::pair<std::string_view, std::vector<const Made*>>> paths;
  std::map<std::string_view, size_t> places;
  for (const Made& made : made_) {
    const auto [at, fresh] = places.emplace(made.operation->path, paths.size());
    if (fresh) paths.push_back({made.operation->path, {}});
    paths[at->second].second.push_back(&made);
  }
  out.beginDocument("paths");
  for (const auto& [path, all] : paths) {
    if (project != nullptr && all.front()->operation->ofCollection) continue;
    out.beginDocument(path);
    for (const Made* made : all) out.appendDocument(made->operation->method, made->document);
    out.end();
  }
  if (project != nullptr) {
    for (const CollectionFacts& collection : project->collections) {
      for (const auto& [path, all] : paths) {
        if (!all.front()->operation->ofCollection) continue;
        out.beginDocument("/api/v1/" + collection.name + std::string(path.substr(kAnyCollection.size())));
        for (const Made* made : all) {
          out.appendDocument(made->operation->method,
                             operationOf(collection.name, *made->operation, made->document, components));
        }
        out.end();
      }
    }
  }
  out.end();
}

void OpenApiDocument::writeComponents(BsonWriter& out, const Components& components) const {
  out.beginDocument("components");
  out.appendDocument("securitySchemes", literal(kSecuritySchemes));
  out.appendDocument("headers", literal(kHeaders));
  out.beginDocument("responses");
  for (const auto& [name, codes] : failures_) out.appendDocument(name, failureObject(codes));
  out.end();
  out.beginDocument("schemas");
  for (const auto& [name, schema] : components) out.appendDocument(name, schema);
  out.end();
  out.end();
}

}  // namespace mb::openapi
