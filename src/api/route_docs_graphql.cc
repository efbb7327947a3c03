// GraphQL over HTTP.
#include "api/route_docs.h"

namespace mb::api {

namespace {

constexpr std::string_view kRequest = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string"},
    "variables": {"type": ["object", "null"]},
    "operationName": {"type": ["string", "null"]}
  },
  "required": ["query"],
  "examples": [{"query": "{ __typename }"}]
})";

constexpr std::string_view kResponse = R"({
  "type": "object",
  "properties": {
    "data": {"type": ["object", "null"]},
    "errors": {"type": "array", "items": {
      "type": "object",
      "properties": {"message": {"type": "string"}, "locations": {"type": "array"}, "path": {"type": "array"},
                     "extensions": {"type": "object"}},
      "required": ["message"]
    }}
  },
  "examples": [{"data": {"__typename": "Query"}}]
})";

}  // namespace

std::vector<RouteDoc> graphqlDocs() {
  // The media type of GraphQL over HTTP, sent if `accept` names it.
  openapi::Response named = like(kResponse);
  named.content.type = "application/graphql-response+json";
  return {
      {http::Method::post,
       "/api/v1/graphql",
       "graphql",
       {like(kResponse), named},
       {},
       {},
       {.more = "A query needs the scope read, a mutation write. Once the request is parsed, always 200.",
        .body = {.schema = kRequest}}},
  };
}

}  // namespace mb::api
