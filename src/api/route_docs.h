// What the machine-readable description says of a route beside its declaration: what it answers, which errors of its
// own it gives, what its query holds. One line a route, a file per table of the interface. Gates, path, body and their
// errors are read from the declaration (routes.h); words for fields, parameters and errors are in openapi/docs.h.
#pragma once

#include "api/routes.h"
#include "openapi/operation.h"

namespace mb::api {

struct DocExtra {
  std::string_view more = "";  // what else there is to say
  openapi::Content body = {};  // where the declaration says "any object", or the handler reads it itself
  bool bodyOptional = false;
  bool openQuery = false;  // others add parameters of their own to it
  std::vector<std::string_view> headers = {};
  // Where the handler looks at tokens itself.
  std::vector<openapi::Security> security = {};
  std::vector<doc::ShapeRef> mentions = {};  // shapes that schemas of its answers refer to by name
};

struct RouteDoc {
  http::Method method;
  std::string pattern;  // as the route has it
  std::string id;       // unique
  std::vector<openapi::Response> answers;
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
// The shape itself.
template <doc::Shaped T>
openapi::Response whole(int status = 200) {
  return {.status = status, .content = {.shape = &doc::shapeInfo<T>}};
}
// What no shape describes: a JSON Schema.
inline openapi::Response like(std::string_view schema, int status = 200) {
  return {.status = status, .content = {.schema = schema}};
}

// What an import would do, or did; of a promotion too.
inline constexpr std::string_view kImportPlan = R"({
  "type": "object",
  "properties": {
    "plan": {
      "type": "object",
      "properties": {
        "changes": {"type": "array", "items": {
          "type": "object",
          "properties": {
            "section": {"type": "string", "description": "What kind of thing.", "examples": ["roles"]},
            "name": {"type": "string", "description": "Which one.", "examples": ["support"]},
            "action": {"type": "string", "enum": ["create", "update", "unchanged"]},
            "before": {"description": "As it is; null where it is not.", "examples": [null]},
            "after": {"description": "As it becomes.", "examples": [{"permissions": ["audit:read"]}]}
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
    "applied": {"type": "boolean", "description": "Absent where it was only planned.", "examples": [true]}
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

// All of them.
std::vector<RouteDoc> routeDocs();

}  // namespace mb::api
