// Audit, metrics, the configuration and the types of a project.
#include "api/route_docs.h"
#include "audit/audit.h"
#include "data/reference_jobs.h"

namespace mb::api {

namespace {

using enum ErrorCode;
using http::Method;

constexpr std::string_view kMetrics = R"({
  "type": "object",
  "properties": {
    "since": {"type": "string", "format": "date-time", "examples": ["2026-01-31T09:30:00.000Z"]},
    "planes": {
      "type": "object", "description": "Requests by plane.",
      "additionalProperties": {
        "type": "object", "properties": {"ok": {"type": "integer"}, "error": {"type": "integer"}},
        "required": ["ok", "error"]
      },
      "examples": [{"data": {"ok": 120, "error": 3}}]
    }
  },
  "required": ["since", "planes"]
})";

constexpr std::string_view kSeries = R"({
  "type": "object",
  "properties": {
    "from": {"type": "string", "format": "date-time", "description": "The start of the first step.",
             "examples": ["2026-01-31T09:30:00.000Z"]},
    "stepSeconds": {"type": "integer", "description": "The length of a step.", "examples": [900]},
    "planes": {
      "type": "object", "description": "Requests by plane and step; null for a step without counts.",
      "additionalProperties": {
        "type": "object",
        "properties": {"ok": {"type": "array", "items": {"type": ["integer", "null"]}},
                       "error": {"type": "array", "items": {"type": ["integer", "null"]}}},
        "required": ["ok", "error"]
      },
      "examples": [{"data": {"ok": [null, 120], "error": [null, 3]}}]
    },
    "sockets": {"type": "array", "items": {"type": ["integer", "null"]}, "examples": [[null, 4]],
                "description": "The most open realtime sockets in each step, read every ten seconds."},
    "functionRuns": {"type": "array", "items": {"type": ["integer", "null"]}, "examples": [[null, 17]],
                     "description": "Runs of functions that ended in each step."}
  },
  "required": ["from", "stepSeconds", "planes", "sockets", "functionRuns"]
})";

constexpr std::string_view kUsage = R"({
  "type": "object",
  "properties": {
    "plan": {"type": ["string", "null"], "description": "Null where billing is off.", "examples": [null]},
    "limits": {"type": ["object", "null"], "examples": [null]},
    "usage": {"type": ["object", "null"], "examples": [null]}
  },
  "required": ["plan", "limits", "usage"]
})";

constexpr std::string_view kShape = R"({
  "type": "object",
  "properties": {
    "formatVersion": {"const": 1},
    "exportedAt": {"type": "string", "format": "date-time", "examples": ["2026-01-31T09:30:00.000Z"]},
    "serverVersion": {"type": "string", "examples": ["0.1.0"]},
    "project": {"type": "object", "properties": {"name": {"type": "string", "examples": ["Notes"]}}},
    "variables": {"type": "array", "examples": [[{"name": "API_URL", "secret": false}]]},
    "collections": {"type": "array", "examples": [[{"name": "notes"}]]},
    "policySets": {"type": "array", "examples": [[]]},
    "roles": {"type": "array", "examples": [[]]},
    "enduserRoles": {"type": "array", "examples": [[]]},
    "functions": {"type": "array", "examples": [[]]},
    "integrations": {"type": "array", "examples": [[]]},
    "webhooks": {"type": "array", "examples": [[]]},
    "vectors": {"type": "array", "examples": [[]]},
    "buckets": {"type": "array", "examples": [[]]},
    "oauth": {"type": "object", "examples": [{"providers": [], "allowedRedirects": []}]},
    "settings": {"type": "object", "examples": [{"profileFields": ["name"], "requireTests": true, "tokenClaims": ["plan"]}]}
  },
  "required": ["formatVersion"]
})";

// What `manybase types` prints.
openapi::Response typesText() {
  openapi::Response text = like(R"({"type": "string", "examples": ["export interface Schema {\n"]})");
  text.content.type = "application/typescript; charset=utf-8";
  return text;
}

}  // namespace

std::vector<RouteDoc> operationDocs() {
  using audit::AuditEntry;
  const std::vector<std::string_view> query = {"action", "actor", "target", "from", "to", "limit", "skip"};
  return {
      {Method::get, "/api/v1/admin/audit", "listAudit", {listOf<AuditEntry>("entries")}, {notFound}, query},
      {Method::get, "/api/v1/control/audit", "listInstanceAudit", {listOf<AuditEntry>("entries")}, {notFound}, query},
      {Method::get, "/api/v1/admin/metrics", "getMetrics", {like(kMetrics)}},
      {Method::get,
       "/api/v1/admin/metrics/series",
       "getMetricSeries",
       {like(kSeries)},
       {},
       {"window"},
       {.more = "A step in which no server counted is null. A restart keeps `24h` and `7d`, but for an hour under way "
                "whose server was killed."}},
      {Method::get, "/api/v1/admin/usage", "getUsage", {like(kUsage)}},
      {Method::get,
       "/api/v1/admin/jobs",
       "listJobs",
       {listOf<data::ReferenceJobView>("jobs")},
       {},
       {"limit", "skip"},
       {.more =
            "Cascades and removals of references that follow from the deletion of a document, the oldest first; one "
            "that is done is no longer listed."}},
      {Method::post, "/api/v1/admin/jobs/:id/retry", "retryJob", {kNothing}, {conflict}},
      {Method::get, "/api/v1/admin/config-export", "exportConfiguration", {like(kShape)}},
      {Method::get,
       "/api/v1/admin/types.ts",
       "getTypes",
       {typesText(), {.status = 304}},
       {conflict},
       {},
       {.more = "The text that `manybase types` prints. The routes of functions are left out without `functions:read`.",
        .headers = {"if-none-match"}}},
      {Method::post,
       "/api/v1/admin/config-import",
       "importConfiguration",
       {like(kImportPlan)},
       {conflict, testsFailed},
       {"dryRun", "plan", "allowMissing", "skipTests"},
       {.more = "Creates missing resources and changes existing ones, by name; deletes nothing.",
        .body = {.schema = kShape}}},
  };
}

}  // namespace mb::api
