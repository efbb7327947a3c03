// Vector configs and similarity search.
#include "api/route_docs.h"
#include "vectors/vector_types.h"

namespace mb::api {

namespace {

using openapi::Response;
using enum ErrorCode;
using http::Method;

constexpr std::string_view kSearch = R"({
  "type": "object",
  "description": "Either `text`, which the server embeds, or `vector`, for fields in mode manual.",
  "properties": {
    "text": {"type": "string"},
    "vector": {"type": "array", "items": {"type": "number"}},
    "limit": {"type": "integer", "minimum": 0, "default": 10},
    "filter": {"type": "object", "description": "Applied in addition to the policy."},
    "fields": {"type": "array", "items": {"type": "string"}, "description": "Only these fields, `id` and `_score`."},
    "field": {"type": "string", "description": "The vector field; by default the first."}
  },
  "examples": [{"text": "something to drink", "limit": 5}]
})";

constexpr std::string_view kHit = R"({
  "allOf": [
    {"$ref": "#/components/schemas/Document"},
    {"type": "object", "properties": {"_score": {"type": "number", "description": "Higher is nearer.", "examples": [0.91]}},
     "required": ["_score"]}
  ]
})";

}  // namespace

std::vector<RouteDoc> vectorDocs() {
  const std::string one = "/api/v1/admin/collections/:name/vector-config";
  const Response hits{.status = 200, .content = {.key = "results", .list = true, .schema = kHit}};
  return {
      {Method::get,
       "/api/v1/admin/vector-configs",
       "listVectorConfigs",
       {listOf<vectors::CollectionConfigView>("configs")}},
      {Method::get, one, "getVectorConfig", {whole<vectors::ConfigView>()}},
      {Method::put, one, "setVectorConfig", {kNothing}, {conflict}},
      {Method::remove, one, "removeVectorConfig", {kNothing}, {conflict}},
      {Method::post,
       "/api/v1/:collection!/search",
       "searchDocuments",
       {hits},
       {invalidParam, invalidFilter, upstreamFailed},
       {},
       {.body = {.schema = kSearch}}},
  };
}

}  // namespace mb::api
