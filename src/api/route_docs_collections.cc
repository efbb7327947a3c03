// Collections and documents.
#include "api/policy_test_routes.h"
#include "api/query_routes.h"
#include "api/route_docs.h"
#include "data/collections.h"
#include "data/policy_sets.h"

namespace mb::api {

namespace {

using openapi::Content;
using openapi::Response;
using enum ErrorCode;
using http::Method;

constexpr std::string_view kNewDocument = R"({"$ref": "#/components/schemas/NewDocument"})";
constexpr std::string_view kDocumentPatch = R"({"$ref": "#/components/schemas/DocumentPatch"})";

constexpr std::string_view kNames = R"({
  "type": "object",
  "properties": {"collections": {"type": "array", "items": {"type": "string"}, "examples": [["notes"]]}},
  "required": ["collections"]
})";

constexpr std::string_view kSchema = R"({
  "type": "object", "description": "A subset of JSON Schema; `x-ref` names the collection that a field refers to, which must exist, or is {collection, check, onDelete}.",
  "examples": [{"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "maxLength": 200}}}]
})";

constexpr std::string_view kSchemaResponse = R"({
  "type": "object",
  "properties": {"schema": {"type": ["object", "null"], "description": "Null without a schema.",
                            "examples": [{"type": "object", "properties": {"title": {"type": "string"}}}]}},
  "required": ["schema"]
})";

constexpr std::string_view kPolicyBody = R"({
  "type": "object",
  "description": "Rules by operation; an operation without a rule is denied. `public` holds rules of `read`, `list` and `create` for callers without a token. The schema must not compare fields that `deniedReadFields` hides.",
  "examples": [{"read": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}, "create": {"validate": "document.title.size() > 0"},
                "public": {"read": {"filter": {"published": true}}}}]
})";

constexpr std::string_view kPolicyResponse = R"({
  "type": "object",
  "properties": {
    "policy": {"type": "object", "description": "Rules by operation.",
               "examples": [{"read": {"filter": {"ownerId": "$auth.uid"}}}]},
    "source": {"type": "string", "enum": ["own", "inherited", "default"],
               "description": "The collection's own, the project's default policy, or none."}
  },
  "required": ["policy", "source"]
})";

constexpr std::string_view kIndexName = R"({
  "type": "object",
  "properties": {"name": {"type": "string", "description": "The index's name.", "examples": ["ownerId_1"]}},
  "required": ["name"]
})";

constexpr std::string_view kDocuments = R"({
  "type": "object",
  "properties": {
    "documents": {"type": "array", "items": {"$ref": "#/components/schemas/Document"}},
    "total": {"type": "integer", "description": "The exact number of matches.", "examples": [1]},
    "explain": {
      "type": "object", "description": "With `x-service-explain: 1`: the access path of the query.",
      "properties": {
        "index": {"type": "string", "examples": ["ownerId_1"]},
        "keysExamined": {"type": "integer", "examples": [20]},
        "documentsExamined": {"type": "integer", "examples": [20]},
        "timeMs": {"type": "number", "examples": [0.2]}
      },
      "required": ["index", "keysExamined", "documentsExamined", "timeMs"]
    }
  },
  "required": ["documents", "total"]
})";

constexpr std::string_view kPageMembers = R"(
    "documents": {"type": "array", "items": {"anyOf": [
      {"$ref": "#/components/schemas/Document"},
      {"type": "object", "description": "With `fields`: these, and `id`."}
    ]}},
    "next": {"type": "string", "description": "The cursor of the page that follows; absent on the last page.",
             "examples": ["Zm9ydHktdHdv"]},
    "total": {"type": "integer", "description": "With `total: true`: the exact number of matches.", "examples": [1]})";

constexpr std::string_view kExplainMember = R"(,
    "explain": {
      "type": "object", "description": "The access path of the query.",
      "properties": {
        "index": {"type": "string", "description": "Empty for a scan of the collection.", "examples": ["ownerId_1"]},
        "keysExamined": {"type": "integer", "examples": [20]},
        "documentsExamined": {"type": "integer", "examples": [20]},
        "timeMs": {"type": "number", "examples": [0.2]}
      },
      "required": ["index", "keysExamined", "documentsExamined", "timeMs"]
    })";

constexpr std::string_view kPageSchema = R"({{"type": "object", "properties": {{{}{}}}, "required": ["documents"{}]}})";

std::string_view queryPage() {
  static const std::string schema = fmt::format(kPageSchema, kPageMembers, "", "");
  return schema;
}

std::string_view adminQueryPage() {
  static const std::string schema = fmt::format(kPageSchema, kPageMembers, kExplainMember, R"(, "explain")");
  return schema;
}

constexpr std::string_view kCounted = R"({
  "type": "object",
  "properties": {"count": {"type": "integer", "description": "The exact number of matches.", "examples": [1]}},
  "required": ["count"]
})";

template <doc::Shaped T>
DocExtra optionalBodyDoc() {
  return {.body = {.shape = &doc::shapeInfo<T>}, .bodyOptional = true};
}

Response document(int status) {
  return {.status = status, .content = {.key = "document", .schema = kDocumentSchema}, .hasVersion = true};
}

DocExtra body(std::string_view schema) {
  return {.body = {.schema = schema}};
}

// Of a change whose condition is checked.
DocExtra changeBody(std::string_view schema) {
  return {.body = {.schema = schema}, .headers = {"if-match", "if-none-match", "prefer"}};
}

}  // namespace

std::vector<RouteDoc> collectionDocs() {
  const std::string all = "/api/v1/admin/collections";
  const std::string one = all + "/:name";
  const std::string sets = "/api/v1/admin/policies/sets";
  const std::string tests = one + "/policy-tests";
  const std::string adminMany = one + "/documents";
  const std::string adminOne = adminMany + "/:id";
  const std::string many = "/api/v1/:collection!";
  const std::string single = many + "/:id";
  const std::vector<std::string_view> page = {"filter", "limit", "skip", "expand"};
  const Response documents{.status = 200, .content = {.key = "documents", .list = true, .schema = kDocumentSchema}};
  const Response created{.status = 201};
  const Response changed{.status = 204, .hasVersion = true};
  const Response same{.status = 304, .hasVersion = true};
  return {
      {Method::get, all, "listCollections", {like(kNames)}},
      {Method::get,
       "/api/v1/admin/collection-stats",
       "listCollectionStats",
       {listOf<data::CollectionStats>("collections")}},
      {Method::post, all, "createCollection", {created}, {notFound, conflict}},
      {Method::remove, one, "deleteCollection", {kNothing}, {conflict, invalidParam, unavailable}, {"data"}},
      {Method::post, one + "/rename", "renameCollection", {kNothing}, {conflict}},
      {Method::get, one + "/schema", "getSchema", {like(kSchemaResponse)}},
      {Method::put, one + "/schema", "setSchema", {kNothing}, {conflict}, {}, body(kSchema)},
      {Method::remove, one + "/schema", "removeSchema", {kNothing}, {conflict}},
      {Method::post,
       one + "/schema/check",
       "checkSchema",
       {whole<data::SchemaCheck>()},
       {conflict, queryTooCostly},
       {},
       {.more =
            "Writes nothing. The documents are validated in the order of ids, as writes would; the check ends after "
            "ten seconds with what it has found. Needs `data:<collection>:read` too.",
        .body = {.shape = &doc::shapeInfo<data::SchemaCheckRequest>}}},
      {Method::get, one + "/policy", "getPolicy", {like(kPolicyResponse)}},
      {Method::put, one + "/policy", "setPolicy", {kNothing}, {conflict}, {}, body(kPolicyBody)},
      {Method::remove, one + "/policy", "removePolicy", {kNothing}, {conflict, validation}},
      {Method::get, sets, "listPolicySets", {listOf<data::PolicySet>("sets")}},
      {Method::put, sets + "/:name", "setPolicySet", {kNothing}, {conflict}},
      {Method::remove, sets + "/:name", "deletePolicySet", {kNothing}, {conflict}},
      {Method::get, tests, "getPolicyTests", {whole<PolicyTestList>()}},
      {Method::put,
       tests,
       "setPolicyTests",
       {kNothing},
       {conflict},
       {},
       {.more = "An empty list removes all of them.", .body = {.shape = &doc::shapeInfo<PolicyTestList>}}},
      {Method::post,
       "/api/v1/admin/policies/test",
       "testPolicy",
       {whole<PolicyTrialResponse>()},
       {invalidBody, invalidFilter, invalidUpdate, queryTooCostly},
       {},
       {.more = "Evaluates drafts in place of what is saved; nothing is written.",
        .body = {.shape = &doc::shapeInfo<PolicyTrialRequest>}}},
      {Method::post,
       "/api/v1/admin/policies/tests/run",
       "runPolicyTests",
       {whole<data::PolicyTestReport>()},
       {},
       {},
       {.more = "Each runs on the documents that it gives, never on stored ones.",
        .body = {.shape = &doc::shapeInfo<configuration::TestSelection>},
        .bodyOptional = true}},
      {Method::get, one + "/indexes", "listIndexes", {listOf<data::IndexView>("indexes")}},
      {Method::post,
       one + "/indexes",
       "createIndex",
       {like(kIndexName, 201)},
       {conflict},
       {},
       {.body = {.shape = &doc::shapeInfo<data::NewIndex>}}},
      {Method::remove, one + "/indexes/:indexName", "deleteIndex", {kNothing}, {conflict}},

      {Method::post,
       many + "/query",
       "queryDocuments",
       {like(queryPage())},
       {invalidFilter, invalidCursor},
       {},
       optionalBodyDoc<data::QueryRequest>()},
      {Method::post,
       many + "/count",
       "countDocuments",
       {like(kCounted)},
       {invalidFilter},
       {},
       optionalBodyDoc<data::CountRequest>()},
      {Method::post,
       one + "/query",
       "adminQueryDocuments",
       {like(adminQueryPage())},
       {invalidFilter, invalidCursor, queryTooCostly},
       {},
       optionalBodyDoc<AdminQueryRequest>()},
      {Method::post,
       one + "/count",
       "adminCountDocuments",
       {like(kCounted)},
       {invalidFilter, queryTooCostly},
       {},
       optionalBodyDoc<data::CountRequest>()},
      {Method::get, many, "listDocuments", {documents}, {}, page},
      {Method::post,
       many,
       "createDocument",
       {document(201)},
       {conflict, functionsBusy, planLimit},
       {},
       body(kNewDocument)},
      {Method::get, single, "getDocument", {document(200), same}, {}, page, {.headers = {"if-none-match"}}},
      {Method::patch,
       single,
       "updateDocument",
       {changed, document(200)},
       {invalidUpdate, invalidParam, conflict, preconditionFailed, functionsBusy, planLimit},
       {},
       changeBody(kDocumentPatch)},
      {Method::put,
       single,
       "replaceDocument",
       {kNothing, document(200), document(201)},
       {invalidBody, invalidParam, conflict, preconditionFailed, functionsBusy, planLimit},
       {},
       changeBody(kNewDocument)},
      {Method::remove,
       single,
       "deleteDocument",
       {kNothing},
       {invalidParam, conflict, preconditionFailed, functionsBusy},
       {},
       {.headers = {"if-match", "if-none-match"}}},

      {Method::get, adminMany, "adminListDocuments", {like(kDocuments)}, {}, page, {.headers = {"x-service-explain"}}},
      {Method::post,
       adminMany,
       "adminCreateDocument",
       {document(201)},
       {conflict, functionsBusy, planLimit},
       {},
       body(kNewDocument)},
      {Method::get, adminOne, "adminGetDocument", {document(200), same}, {}, page, {.headers = {"if-none-match"}}},
      {Method::patch,
       adminOne,
       "adminUpdateDocument",
       {document(200)},
       {invalidUpdate, conflict, preconditionFailed, functionsBusy, planLimit},
       {},
       changeBody(kDocumentPatch)},
      {Method::put,
       adminOne,
       "adminReplaceDocument",
       {document(200), document(201)},
       {invalidBody, conflict, preconditionFailed, functionsBusy, planLimit},
       {},
       changeBody(kNewDocument)},
      {Method::remove,
       adminOne,
       "adminDeleteDocument",
       {kNothing},
       {conflict, preconditionFailed, functionsBusy},
       {},
       {.headers = {"if-match", "if-none-match"}}},
  };
}

}  // namespace mb::api
