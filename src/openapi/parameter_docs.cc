#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr std::string_view kName = R"({"type": "string", "examples": ["notes"]})";
constexpr std::string_view kFileName = R"({"type": "string", "examples": ["a.js"]})";
constexpr std::string_view kToken = R"({"type": "string", "examples": ["c2VjcmV0"]})";
constexpr std::string_view kTimeOrDay = R"({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}],
    "examples": ["2026-01-31T09:30:00.000Z"]})";

constexpr ParameterDoc kQuery[] = {
    {"action", "Only entries of this action; `policy.*` for all with this prefix.",
     R"({"type": "string", "minLength": 1, "maxLength": 256, "examples": ["policy.*"]})"},
    {"actor", "Only entries of this actor, by id.",
     R"({"type": "string", "minLength": 1, "maxLength": 256, "examples": ["user_06fVx3jmA1qK9bTzLw2C"]})"},
    {"allowMissing", "`1` accepts names of variables that have no value in the project.",
     R"({"type": "string", "enum": ["0", "1"], "examples": ["1"]})"},
    {"code", "The code that the provider issued.", kToken},
    {"data", "`drop` drops the collection in the database of the project's owner too. Owner only.",
     R"({"type": "string", "enum": ["drop"], "examples": ["drop"]})"},
    {"dryRun", "`1` only plans the changes.", R"({"type": "string", "enum": ["0", "1"], "examples": ["1"]})"},
    {"error", "Why the provider refused.", R"({"type": "string", "examples": ["access_denied"]})"},
    {"expand",
     "Names of reference fields, separated by commas: they are replaced by the documents, if the caller may read them.",
     R"({"type": "string", "examples": ["author"]})"},
    {"expires", "Of a signed link: its end, in Unix seconds.", R"({"type": "string", "examples": ["1769852400"]})"},
    {"filter", "A JSON object in MongoDB's filter language; applied in addition to the policy.",
     R"({"type": "string", "contentMediaType": "application/json", "examples": ["{\"stars\": {\"$gte\": 3}}"]})"},
    {"force", "`1` takes a database in which collections of the project are missing.",
     R"({"type": "string", "enum": ["0", "1"], "examples": ["1"]})"},
    {"from", "Only what is from this time on; of costs a day.", kTimeOrDay},
    {"iss", "The issuer, as the provider states it.",
     R"({"type": "string", "examples": ["https://accounts.example.com"]})"},
    {"limit", "The maximum number of results; larger values are reduced to the server's maximum.",
     R"({"type": "integer", "minimum": 0, "default": 50, "examples": [20]})"},
    {"plan",
     "The header `plan-digest` of a dry run: applies exactly that plan; fails with `CONFLICT` if the plan has changed "
     "since.",
     R"({"type": "string", "pattern": "^[0-9a-f]{64}$", "examples":
        ["2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"]})"},
    {"plane", "`control` for platform users.", R"({"type": "string", "enum": ["control"], "examples": ["control"]})"},
    {"prefix", "Only paths with this prefix.", R"({"type": "string", "examples": ["pictures/"]})"},
    {"project", "The project, if no header names it: its id or slug.", R"({"type": "string", "examples": ["notes"]})"},
    {"redirect", "Where to return to; its origin must be an allowed one.",
     R"({"type": "string", "format": "uri", "examples": ["https://app.example.com/signed-in"]})"},
    {"sign", "Returns a signed link that is valid for this many seconds, instead of the file.",
     R"({"type": "integer", "minimum": 1, "maximum": 604800, "examples": [3600]})"},
    {"signature", "Of a signed link: its signature.", kToken},
    {"sample", "At most this many documents are read.",
     R"({"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "examples": [200]})"},
    {"skip", "The number of results to skip.", R"({"type": "integer", "minimum": 0, "default": 0, "examples": [0]})"},
    {"skipTests", "`1` applies the configuration whatever its stored tests say; recorded in the audit log.",
     R"({"type": "string", "enum": ["0", "1"], "examples": ["1"]})"},
    {"state", "The state that was sent to the provider.", kToken},
    {"target", "Only entries about this target.",
     R"({"type": "string", "minLength": 1, "maxLength": 256, "examples": ["collections/notes"]})"},
    {"to", "Only what is up to this time; of costs a day, inclusive.", kTimeOrDay},
    {"token", "The token of the mailed link.", kToken},
    {"upload", "The id of a resumable upload of this file, from the `location` of its creation.",
     R"({"type": "string", "examples": ["upl_06fVx3jmA1qK9bTzLw2C"]})"},
    {"window", "How far the series goes back: 60 minutes, 96 quarters of an hour, or 168 hours.",
     R"({"type": "string", "enum": ["1h", "24h", "7d"], "default": "1h", "examples": ["24h"]})"},
};

// By the path segment before the parameter.
constexpr ParameterDoc kPath[] = {
    {"api-keys/id", "The key's id.", R"({"type": "string", "examples": ["key_06fVx3jmA1qK9bTzLw2C"]})"},
    {"assets/file", "The file's name.", kFileName},
    {"assets/version", "The version of the page's assets.", kName},
    {"bucket/path", "The file's path; it may hold slashes.",
     R"({"type": "string", "minLength": 1, "examples": ["pictures/cat.png"]})"},
    {"buckets/name", "The bucket's name.", R"({"type": "string", "examples": ["pictures"]})"},
    {"collection/id", "The document's id.", R"({"type": "string", "examples": ["06fVx3jmA1qK9bTzLw2C"]})"},
    {"collections/name", "The collection's name.", kName},
    {"connections/id", "The connection's id.", R"({"type": "string", "examples": ["conn_06fVx3jmA1qK9bTzLw2C"]})"},
    {"dashboard/path", "The address of a screen; it may hold slashes.",
     R"({"type": "string", "examples": ["account"]})"},
    {"dead/id", "The job's id.", R"({"type": "string", "examples": ["06fVx3jmA1qK9bTzLw2C"]})"},
    {"deliveries/id", "The delivery's id.", R"({"type": "string", "examples": ["dlv_06fVx3jmA1qK9bTzLw2C"]})"},
    {"documents/id", "The document's id.", R"({"type": "string", "examples": ["06fVx3jmA1qK9bTzLw2C"]})"},
    {"enduser-roles/name", "The role's name.", R"({"type": "string", "examples": ["writer"]})"},
    {"functions/name", "The function's name.", R"({"type": "string", "examples": ["greet"]})"},
    {"identities/id", "The identity's id.", R"({"type": "string", "examples": ["google-1234"]})"},
    {"indexes/indexName", "The index's name.", R"({"type": "string", "examples": ["ownerId_1"]})"},
    {"integrations/name", "The integration's name.", R"({"type": "string", "examples": ["payments"]})"},
    {"introspect/collection", "The collection's name in the database.",
     R"({"type": "string", "examples": ["orders"]})"},
    {"jobs/id", "The job's id.", R"({"type": "string", "examples": ["job_06fVx3jmA1qK9bTzLw2C"]})"},
    {"members/userId", "The member's user id.", R"({"type": "string", "examples": ["user_06fVx3jmA1qK9bTzLw2C"]})"},
    {"oauth/provider", "The provider's name.", R"({"type": "string", "examples": ["google"]})"},
    {"operators/email", "The invited address.", R"({"type": "string", "examples": ["ada@example.com"]})"},
    {"p/project", "The project's id or slug.", R"({"type": "string", "examples": ["notes"]})"},
    {"pending/email", "The invited address.", R"({"type": "string", "examples": ["ada@example.com"]})"},
    {"plans/slug", "The plan's name.", R"({"type": "string", "examples": ["pro"]})"},
    {"project/path", "The function's own path; it may hold slashes.", R"({"type": "string", "examples": ["hello"]})"},
    {"projects/id", "The project's id.", R"({"type": "string", "examples": ["proj_06fVx3jmA1qK9bTzLw2C"]})"},
    {"projects/pid", "The project of the token: its id or slug.",
     R"({"type": "string", "examples": ["proj_06fVx3jmA1qK9bTzLw2C"]})"},
    {"providers/provider", "The provider's name: `google`, `github` or `oidc-<name>`.",
     R"({"type": "string", "examples": ["google"]})"},
    {"roles/name", "The role's name.", R"({"type": "string", "examples": ["support"]})"},
    {"run/project", "The project's id or slug.", R"({"type": "string", "examples": ["notes"]})"},
    {"runs/id", "The run's id.", R"({"type": "string", "examples": ["run_06fVx3jmA1qK9bTzLw2C"]})"},
    {"sessions/id", "The session's id.", R"({"type": "string", "examples": ["sess_06fVx3jmA1qK9bTzLw2C"]})"},
    {"sets/name", "The set's name.",
     R"({"type": "string", "pattern": "^[a-z][A-Za-z0-9]{0,31}$", "examples": ["teams"]})"},
    {"storage/bucket", "The bucket's name.", R"({"type": "string", "examples": ["pictures"]})"},
    {"storage/path", "Bucket and path; it may hold slashes.",
     R"({"type": "string", "minLength": 1, "examples": ["pictures/cat.png"]})"},
    {"users/id", "The user's id.", R"({"type": "string", "examples": ["user_06fVx3jmA1qK9bTzLw2C"]})"},
    {"v1/collection", "The collection's name.", kName},
    {"variables/name", "The variable's name.",
     R"({"type": "string", "pattern": "^[A-Z][A-Z0-9_]{0,63}$", "examples": ["API_URL"]})"},
    {"version/file", "The file's name.", kFileName},
    {"versions/version", "The version's number.", R"({"type": "string", "examples": ["1"]})"},
    {"webhooks/name", "The webhook's name.", R"({"type": "string", "examples": ["orders-out"]})"},
};

constexpr ParameterDoc kHeaderDocs[] = {
    {"if-match", "Entity tags of the document's version: 412 if it has another one; `*` for any.",
     R"({"type": "string", "examples": ["\"9f86d081884c7d65\""]})"},
    {"if-none-match",
     "Entity tags of the client's copies: a read is 304 if one is still current. Of documents, with `*`: a PUT creates "
     "the document, or is 412 if it exists.",
     R"({"type": "string", "examples": ["\"abc\""]})"},
    {"if-range", "An entity tag of the client's copy: the range is only sent if it is still current.",
     R"({"type": "string", "examples": ["\"abc\""]})"},
    {"payment-signature",
     "The signature of the body: `t=<Unix seconds>,v1=<hex HMAC-SHA256 of \"<t>.<body>\">`; also taken as "
     "`stripe-signature`.",
     R"({"type": "string", "examples": ["t=1769852400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"]})"},
    {"prefer", "`return=representation`: the response holds the document, if the caller may read it.",
     R"({"type": "string", "examples": ["return=representation"]})"},
    {"range", "Only these bytes.", R"({"type": "string", "examples": ["bytes=0-1023"]})"},
    {"tus-resumable", "The protocol's version: `1.0.0`.", R"({"type": "string", "examples": ["1.0.0"]})"},
    {"upload-length", "The size of the file in bytes.", R"({"type": "integer", "minimum": 0, "examples": [1048576]})"},
    {"upload-metadata",
     "Keys with values in base64, separated by commas; `filetype` is the file's content type, `metadata` its metadata.",
     R"({"type": "string", "examples": ["filetype aW1hZ2UvcG5n"]})"},
    {"upload-offset", "The offset of these bytes; it must be the number of bytes received so far.",
     R"({"type": "integer", "minimum": 0, "examples": [0]})"},
    {"x-service-explain", "`1` adds the access path of the query.", R"({"type": "string", "examples": ["1"]})"},
    {"x-service-metadata", "The file's metadata, a JSON object; omitted, that of the file that it replaces stays.",
     R"({"type": "string", "maxLength": 2048, "examples": ["{\"album\": \"spring\"}"]})"},
    {"x-service-project", "The project: its id or slug. A token of another project is refused.",
     R"({"type": "string", "examples": ["notes"]})"},
    {"x-service-session",
     "`cookie`: the refresh token comes as a cookie that scripts cannot read, not in the body. For pages of the "
     "server's own origin only.",
     R"({"type": "string", "enum": ["cookie"], "examples": ["cookie"]})"},
};

constexpr TagDoc kTags[] = {
    {"/api/v1/admin/api-keys", "API keys", "API keys for programs."},
    {"/api/v1/admin/audit", "Operations", "What happened, and how much."},
    {"/api/v1/admin/auth", "OAuth", "Providers that end users sign in with."},
    {"/api/v1/admin/collection-stats", "Collections", "Collections, their schemas, policies, indexes and documents."},
    {"/api/v1/admin/collections", "Collections", "Collections, their schemas, policies, indexes and documents."},
    {"/api/v1/admin/config", "Configuration", "The configuration of a project as one document."},
    {"/api/v1/admin/enduser-roles", "Roles", "What members and end users may do."},
    {"/api/v1/admin/functions", "Functions", "Code of the project."},
    {"/api/v1/admin/integrations", "Integrations", "Other services that functions call."},
    {"/api/v1/admin/introspect", "Introspection", "A database of your own."},
    {"/api/v1/admin/jobs", "Operations", "What happened, and how much."},
    {"/api/v1/admin/metrics", "Operations", "What happened, and how much."},
    {"/api/v1/admin/policies", "Collections", "Collections, their schemas, policies, indexes and documents."},
    {"/api/v1/admin/roles", "Roles", "What members and end users may do."},
    {"/api/v1/admin/storage", "Buckets", "Where files are kept."},
    {"/api/v1/admin/types.ts", "Collections", "Collections, their schemas, policies, indexes and documents."},
    {"/api/v1/admin/usage", "Operations", "What happened, and how much."},
    {"/api/v1/admin/users", "Users", "The project's end users."},
    {"/api/v1/admin/variables", "Variables", "Values that differ from environment to environment."},
    {"/api/v1/admin/vector-configs", "Collections", "Collections, their schemas, policies, indexes and documents."},
    {"/api/v1/admin/webhooks", "Webhooks", "Signed notifications of changes to other services."},
    {"/api/v1/auth", "Authentication", "End users signing in."},
    {"/api/v1/billing", "Billing", "Plans and payment."},
    {"/api/v1/control", "Projects", "Projects and their members."},
    {"/api/v1/control/admin", "Operators", "Running the deployment."},
    {"/api/v1/control/audit", "Operators", "Running the deployment."},
    {"/api/v1/control/auth", "Platform authentication", "Platform users signing in."},
    {"/api/v1/control/billing", "Billing", "Plans and payment."},
    {"/api/v1/control/connections", "Connections", "Credentials for other services."},
    {"/api/v1/control/jobs", "Operators", "Running the deployment."},
    {"/api/v1/graphql", "GraphQL", "The same documents, by GraphQL."},
    {"/api/v1/health", "Service", "The server itself."},
    {"/api/v1/jwks.json", "Service", "The server itself."},
    {"/api/v1/openapi.json", "Service", "The server itself."},
    {"/api/v1/projects", "Service", "The server itself."},
    {"/api/v1/ready", "Service", "The server itself."},
    {"/api/v1/realtime", "Realtime", "Changes over a WebSocket."},
    {"/api/v1/run", "Functions' endpoints", "Paths that are served by functions of projects."},
    {"/api/v1/storage", "Files", "Files in buckets."},
    {"/api/v1/{collection}", "Documents", "Documents, as far as policies allow."},
    {"/", "Pages", "Hosted pages."},
};

template <class Docs>
const ParameterDoc* named(const Docs& docs, std::string_view name) {
  for (const ParameterDoc& doc : docs) {
    if (doc.name == name) return &doc;
  }
  return nullptr;
}

}  // namespace

std::span<const ParameterDoc> queryDocs() {
  return kQuery;
}
std::span<const ParameterDoc> pathDocs() {
  return kPath;
}
std::span<const ParameterDoc> headerDocs() {
  return kHeaderDocs;
}
std::span<const TagDoc> tagDocs() {
  return kTags;
}

const ParameterDoc* queryDoc(std::string_view name) {
  return named(kQuery, name);
}
const ParameterDoc* headerDoc(std::string_view name) {
  return named(kHeaderDocs, name);
}

const ParameterDoc* pathDoc(std::string_view before, std::string_view name) {
  for (const ParameterDoc& doc : kPath) {
    const size_t slash = doc.name.find('/');
    if (doc.name.substr(0, slash) == before && doc.name.substr(slash + 1) == name) return &doc;
  }
  return nullptr;
}

const TagDoc* tagDoc(std::string_view path) {
  const TagDoc* best = nullptr;
  for (const TagDoc& doc : kTags) {
    if (path.starts_with(doc.prefix) && (best == nullptr || doc.prefix.size() > best->prefix.size())) best = &doc;
  }
  return best;
}

}  // namespace mb::openapi
