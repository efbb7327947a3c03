#include "api/route_docs.h"

namespace mb::api {

namespace {

using http::Method;
using openapi::Response;

constexpr std::string_view kHealth = R"({
  "type": "object",
  "properties": {
    "status": {"const": "ok"},
    "version": {"type": "string", "description": "The version of the server.", "examples": ["0.1.0"]},
    "commit": {"type": "string", "description": "The commit it was built from.", "examples": ["2ae2cf6"]},
    "chartVersion": {"type": "string", "description": "The version of its chart.", "examples": ["0.1.0"]}
  },
  "required": ["status", "version", "commit", "chartVersion"]
})";

constexpr std::string_view kReady = R"({
  "type": "object",
  "properties": {
    "status": {"type": "string", "enum": ["ok", "unavailable"]},
    "checks": {"type": "object", "description": "The state of each component.",
               "additionalProperties": {"type": "string"}, "examples": [{"server": "ok", "store": "ok"}]}
  },
  "required": ["status", "checks"]
})";

constexpr std::string_view kKeys = R"({
  "type": "object",
  "properties": {
    "keys": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "kty": {"const": "EC"}, "crv": {"const": "P-256"}, "alg": {"const": "ES256"}, "use": {"const": "sig"},
        "kid": {"type": "string", "examples": ["k1"]},
        "x": {"type": "string", "examples": ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"]},
        "y": {"type": "string", "examples": ["x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"]}
      },
      "required": ["kty", "crv", "kid", "x", "y"]
    }}
  },
  "required": ["keys"]
})";

constexpr std::string_view kOpenApi = R"({"type": "object", "required": ["openapi", "info", "paths"],
  "examples": [{"openapi": "3.1.0", "info": {"title": "Manybase", "version": "0.1.0"}, "paths": {}}]})";

constexpr std::string_view kAnything = R"({"examples": [{"hello": "Ada"}]})";

constexpr std::string_view kFunctionFailed = R"({"type": "object",
  "properties": {"error": {"type": "string", "enum": ["function error", "function timed out"]}}, "required": ["error"]})";

std::vector<RouteDoc> runDocs() {
  std::vector<RouteDoc> docs;
  const std::pair<Method, std::string_view> methods[] = {{Method::get, "Get"},
                                                         {Method::post, "Post"},
                                                         {Method::put, "Put"},
                                                         {Method::patch, "Patch"},
                                                         {Method::remove, "Delete"}};
  for (const auto& [pattern, end] :
       {std::pair{"/api/v1/run/:project", "Root"}, std::pair{"/api/v1/run/:project/*path", ""}}) {
    for (const auto& [method, word] : methods) {
      RouteDoc doc{method, pattern, "run" + std::string(word) + end, {}};
      Response any{.status = Response::kAnyStatus, .content = {.type = "*/*", .schema = kAnything}};
      any.meaning = "The function's own response: its status, headers and body, and the run's id in `x-service-run`.";
      Response failed = like(kFunctionFailed, 500);
      failed.meaning = "The handler threw; the run log says why.";
      Response late = like(kFunctionFailed, 504);
      late.meaning = "The run took too long.";
      doc.responses = {any, failed, late};
      doc.errors = {ErrorCode::projectSuspended, ErrorCode::methodNotAllowed, ErrorCode::functionsBusy,
                    ErrorCode::planRunLimit, ErrorCode::validation};
      doc.extra.more =
          "Runs the enabled http function with this method and path. A token is optional: a valid one of the project "
          "sets `ctx.auth`, any other is ignored.";
      doc.extra.security = {{"", ""}, {"endUser", ""}, {"member", ""}, {"apiKey", ""}};
      if (method != Method::get) {
        doc.extra.body = {.type = "*/*", .schema = kAnything};
        doc.extra.bodyOptional = true;
      }
      docs.push_back(std::move(doc));
    }
  }
  return docs;
}

}  // namespace

std::vector<RouteDoc> serviceDocs() {
  Response notReady = like(kReady, 503);
  notReady.meaning = "The server is starting or draining, or its store is not available.";
  Response same{.status = 304};
  std::vector<RouteDoc> docs = {
      {Method::get, "/api/v1/health", "health", {like(kHealth)}},
      {Method::get, "/api/v1/ready", "ready", {like(kReady), notReady}},
      {Method::get, "/api/v1/jwks.json", "listSigningKeys", {like(kKeys)}},
      {Method::get,
       "/api/v1/openapi.json",
       "describe",
       {like(kOpenApi), same},
       {},
       {},
       {.more = "With a token that may read the collections of its project: the document of that project.",
        .headers = {"if-none-match"},
        .security = {{"", ""}, {"member", "collections:read"}, {"apiKey", "admin"}}}},
      {Method::get,
       "/api/v1/projects/:pid/openapi.json",
       "describeProject",
       {like(kOpenApi), same},
       {},
       {},
       {.more = "With paths and schemas of the project's collections.", .headers = {"if-none-match"}}},
      {Method::get,
       "/api/v1/realtime",
       "connect",
       {{.status = 101}},
       {ErrorCode::upgradeRequired, ErrorCode::validation},
       {"project"},
       {.more =
            "A WebSocket; its first message carries the token, `{\"type\": \"auth\", \"token\": …}`, or selects what "
            "public rules show, `{\"type\": \"auth\", \"anonymous\": true}`. Only the latter uses the named project."}},
  };
  std::vector<RouteDoc> run = runDocs();
  docs.insert(docs.end(), std::make_move_iterator(run.begin()), std::make_move_iterator(run.end()));
  return docs;
}

}  // namespace mb::api
