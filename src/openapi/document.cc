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
    "- All errors have the format `{\"error\": {\"code\", \"message\", \"details\"}}`. Each response has "
    "`x-request-id`.\n"
    "- Paths with GET also support HEAD; all paths support OPTIONS. A method that a path does not allow is 405 "
    "`METHOD_NOT_ALLOWED` with `allow`; an unknown path is 404 `NOT_FOUND`.\n"
    "- A body that arrives too slowly is 408 `REQUEST_TIMEOUT`, headers that are too large are 431 "
    "`HEADERS_TOO_LARGE`; an internal error is 500 `INTERNAL`, without details.\n"
    "- Times are RFC 3339 in UTC with milliseconds. Bodies are strict: an unknown field is refused.";

constexpr std::string_view kError = R"({
  "type": "object",
  "description": "An error.",
  "properties": {
    "error": {
      "type": "object",
      "properties": {
        "code": {"type": "string", "description": "The kind of failure; codes are stable.",
                 "examples": ["VALIDATION"]},
        "message": {"type": "string", "description": "A text for people.", "examples": ["the body has 1 problem"]},
        "details": {
          "type": "array", "description": "The single problems, if there are several.",
          "items": {
            "type": "object",
            "properties": {
              "path": {"type": "string", "description": "A JSON pointer into the body.", "examples": ["/title"]},
              "message": {"type": "string", "description": "The broken rule.", "examples": ["is required"]}
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
  "RequestId": {"description": "The request's id in the server's log: the client's own `x-request-id`, or a new one.",
                "schema": {"type": "string", "examples": ["06fVx3jmA1qK9bTzLw2C"]}},
  "DocumentVersion": {"description": "The version of the document, for `if-match` and `if-none-match`; absent with `expand`, and from a PUT without a document in its response.",
                      "schema": {"type": "string", "examples": ["\"9f86d081884c7d65\""]}},
  "SessionCookie": {"description": "The refresh token of a session that was requested with `x-service-session: cookie`; where the session ends, an empty cookie. Its name is `__Secure-mb_refresh` where the base URL is https, with `Secure`, else `mb_refresh_` and the port.",
                    "schema": {"type": "string", "examples": ["mb_refresh_8090=c2VjcmV0; HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; Max-Age=2592000"]}},
  "RetryAfter": {"description": "Seconds to wait before trying again.",
                 "schema": {"type": "string", "examples": ["12"]}},
  "Authenticate": {"description": "The required scheme: a bearer token.",
                   "schema": {"type": "string", "examples": ["Bearer"]}}
})";

constexpr std::string_view kSecuritySchemes = R"({
  "endUser": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
              "description": "The access token of an end user, from `POST /api/v1/auth/login`. Policies decide what it may access."},
  "member": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
             "description": "A project token of a member, from `POST /api/v1/control/projects/{id}/token`. The listed names are the required permissions."},
  "apiKey": {"type": "http", "scheme": "bearer",
             "description": "An API key (`mb_sk_…`). The listed names are the required scopes; `admin` includes all, `service` all of the data plane, and nothing below `/admin`."},
  "control": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
              "description": "The access token of a platform user, from `POST /api/v1/control/auth/login`."},
  "operator": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
               "description": "The access token of a platform user who is an operator, if the deployment has operators."}
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

constexpr std::string_view kLeadingTags[] = {"Documents", "Authentication", "GraphQL", "Realtime", "Files"};

void writeTags(BsonWriter& out, const std::vector<Operation>& operations, const ProjectFacts* project) {
  std::vector<const TagDoc*> used;
  for (const Operation& operation : operations) {
    if (project != nullptr && operation.ofCollection) continue;
    const TagDoc* doc = tagDoc(operation.path);
    const bool known =
        std::any_of(used.begin(), used.end(), [&](const TagDoc* other) { return other->tag == doc->tag; });
    if (!known) used.push_back(doc);
  }
  // The tags that most readers of the reference need are first.
  auto next = used.begin();
  for (const std::string_view leading : kLeadingTags) {
    const auto found = std::ranges::find(next, used.end(), leading, &TagDoc::tag);
    if (found != used.end()) std::rotate(next++, found, found + 1);
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
      write(collectionTag(collection.name), "Documents of a collection, as far as policies allow.");
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
    written_.push_back({&operation, operationObject(operation, shapes_, components_, failures_)});
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
  std::vector<std::pair<std::string_view, std::vector<const WrittenOperation*>>> paths;
  std::map<std::string_view, size_t> places;
  for (const WrittenOperation& written : written_) {
    const auto [at, fresh] = places.emplace(written.operation->path, paths.size());
    if (fresh) paths.push_back({written.operation->path, {}});
    paths[at->second].second.push_back(&written);
  }
  out.beginDocument("paths");
  for (const auto& [path, all] : paths) {
    if (project != nullptr && all.front()->operation->ofCollection) continue;
    out.beginDocument(path);
    for (const WrittenOperation* written : all) out.appendDocument(written->operation->method, written->document);
    out.end();
  }
  if (project != nullptr) {
    for (const CollectionFacts& collection : project->collections) {
      for (const auto& [path, all] : paths) {
        if (!all.front()->operation->ofCollection) continue;
        out.beginDocument("/api/v1/" + collection.name + std::string(path.substr(kAnyCollection.size())));
        for (const WrittenOperation* written : all) {
          out.appendDocument(written->operation->method,
                             operationOf(collection.name, *written->operation, written->document, components));
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
