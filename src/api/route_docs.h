// The parts of the OpenAPI document that a route's declaration does not hold: its responses, its own errors and its
// query parameters. One entry per route, a file per table of the interface. Gates, path, body and their errors come
// from the declaration (routes.h); texts for fields, parameters and errors are in openapi/docs.h.
#pragma once

#include "api/routes.h"
#include "openapi/operation.h"

namespace mb::api {

struct DocExtra {
  std::string_view more = "";       // further description
  openapi::Content body = {};       // if the declaration says "any object", or the handler reads the body itself
  openapi::Content otherBody = {};  // of another type
  bool bodyOptional = false;
  bool openQuery = false;  // other services add parameters to it
  std::vector<std::string_view> headers = {};
  // Set if the handler reads tokens itself.
  std::vector<openapi::Security> security = {};
  std::vector<doc::ShapeRef> mentions = {};  // shapes that schemas of its responses refer to by name
};

struct RouteDoc {
  http::Method method;
  std::string pattern;  // as in the declaration
  std::string id;       // unique
  std::vector<openapi::Response> responses;
  std::vector<ErrorCode> errors = {};
  std::vector<std::string_view> query = {};
  DocExtra extra = {};
};

// ---- the text of docs

inline const openapi::Response kNothing{.status = 204};

// {"<key>": <shape>}
template <doc::Shaped T>
openapi::Response entity(std::string_view key, int status = 200) {
  return {.status = status, .content = {.key = key, .shape = &doc::shapeInfo<T>}};
}
// {"<key>": [<shape>, …]}
template <doc::Shaped T>
openapi::Response listOf(std::string_view key) {
  return {.status = 200, .content = {.key = key, .shape = &doc::shapeInfo<T>, .list = true}};
}
// <shape>, without an object around it.
template <doc::Shaped T>
openapi::Response whole(int status = 200) {
  return {.status = status, .content = {.shape = &doc::shapeInfo<T>}};
}
// A response without a shape, described by a JSON Schema.
inline openapi::Response like(std::string_view schema, int status = 200) {
  return {.status = status, .content = {.schema = schema}};
}

// The changes of an import or a promotion, planned or applied.
inline constexpr std::string_view kImportPlan = R"({
  "type": "object",
  "properties": {
    "plan": {
      "type": "object",
      "properties": {
        "changes": {"type": "array", "items": {
          "type": "object",
          "properties": {
            "section": {"type": "string", "description": "The kind of resource.", "examples": ["roles"]},
            "name": {"type": "string", "description": "The name of the resource.", "examples": ["support"]},
            "action": {"type": "string", "enum": ["create", "update", "unchanged"]},
            "before": {"description": "The current value; null if it does not exist.", "examples": [null]},
            "after": {"description": "The value after the import.", "examples": [{"permissions": ["audit:read"]}]}
          },
          "required": ["section", "name", "action"]
        }},
        "summary": {
          "type": "object",
          "properties": {"create": {"type": "integer", "examples": [1]}, "update": {"type": "integer", "examples": [0]},
                         "unchanged": {"type": "integer", "examples": [0]}},
          "required": ["create", "update", "unchanged"]
        }
      },
      "required": ["changes", "summary"]
    },
    "problems": {"type": "array", "items": {}, "examples": [[]]},
    "applied": {"type": "boolean", "description": "Absent in a dry run.", "examples": [true]}
  },
  "required": ["plan", "problems"]
})";
inline constexpr std::string_view kDocumentSchema = R"({"$ref": "#/components/schemas/Document"})";

// ---- the tables

std::vector<RouteDoc> serviceDocs();
std::vector<RouteDoc> authDocs();
std::vector<RouteDoc> identityDocs();
std::vector<RouteDoc> controlDocs();
std::vector<RouteDoc> collectionDocs();
std::vector<RouteDoc> functionDocs();
std::vector<RouteDoc> operationDocs();
std::vector<RouteDoc> pageDocs();
std::vector<RouteDoc> storageDocs();
std::vector<RouteDoc> vectorDocs();
std::vector<RouteDoc> graphqlDocs();
std::vector<RouteDoc> billingDocs();
std::vector<RouteDoc> introspectionDocs();

// All of them.
std::vector<RouteDoc> routeDocs();

}  // namespace mb::api
