#include "api/types_routes.h"

#include "base/crypto.h"
#include "configuration/canonical_form.h"
#include "http/conditional.h"
#include "identity/project_settings.h"
#include "policy/required_permission.h"
#include "typescript/typescript.h"

namespace mb::api {

namespace {

constexpr policy::RequiredPermission kOfCollections = "collections:read";
constexpr policy::RequiredPermission kOfFunctions = "functions:read";
constexpr size_t kTypesTagDigits = 32;

void appendCollections(doc::BsonWriter& out, const data::CollectionTable& table) {
  out.beginArray("collections");
  size_t index = 0;
  for (const std::string& name : table.names()) {
    const data::Collection& collection = **table.find(name);
    out.beginDocument(doc::arrayKey(index++));
    out.appendString("name", name);
    if (collection.schema || !collection.schemaProblem.empty()) {
      out.appendDocument("schema", configuration::canonicalSchema(collection.schemaSource));
    }
    out.end();
  }
  out.end();
}

void appendFunctions(doc::BsonWriter& out, const functions::FunctionTable& table) {
  out.beginArray("functions");
  size_t index = 0;
  for (const auto& [name, function] : table.byName) {
    if (function->trigger != functions::TriggerType::http) continue;
    out.beginDocument(doc::arrayKey(index++));
    out.appendDocument("trigger", function->record.trigger);
    out.end();
  }
  out.end();
}

// What an export of the project has of these sections, as far as types depend on it. `functions`: null for none.
doc::Document exportedParts(const snapshot::ProjectInfo& project, const data::CollectionTable& collections,
                            const functions::FunctionTable* functions) {
  doc::BsonWriter out;
  appendCollections(out, collections);
  if (functions) appendFunctions(out, *functions);
  out.beginDocument("settings");
  doc::encodeValue(out, "profileFields", identity::profileFieldsOf(project));
  out.end();
  return configuration::portable(out.finish());
}

}  // namespace

void TypesRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/admin/types.ts", admin(kOfCollections), this, &TypesRoutes::types,
             "TypeScript types of the project's collections");
}

Task<Reply> TypesRoutes::types(RequestContext& context) {
  const snapshot::SnapshotPtr project = context.project;
  const Routes shown = context.caller.may(kOfFunctions) ? Routes::shown : Routes::hidden;
  Text current{.text = "", .etag = knownTag(*project, shown)};
  bool isSame = !current.etag.empty() && http::isNotModified(context.request, current.etag);
  if (!isSame) {
    CO_TRY(current, co_await context.parsing.run(project->info().id.str(),
                                                 [this, project, shown] { return textOf(*project, shown); }));
    isSame = http::isNotModified(context.request, current.etag);
  }
  Reply reply{isSame ? http::Response::empty(304)
                     : http::Response::text(200, "application/typescript; charset=utf-8", std::move(current.text))};
  auto& headers = reply.response.headers;
  headers.emplace_back("etag", std::move(current.etag));
  headers.emplace_back("cache-control", "private, no-cache");
  headers.emplace_back("vary", "authorization");
  co_return reply;
}

std::string TypesRoutes::keyOf(const snapshot::ProjectSnapshot& project, Routes shown) {
  return project.info().id.str() + (shown == Routes::shown ? " with routes" : "");
}

std::string TypesRoutes::knownTag(const snapshot::ProjectSnapshot& project, Routes shown) {
  const std::lock_guard lock(mutex_);
  const Known* found = known_.find(keyOf(project, shown));
  return found != nullptr && found->epoch == project.epoch() ? found->etag : "";
}

Result<TypesRoutes::Text> TypesRoutes::textOf(const snapshot::ProjectSnapshot& project, Routes shown) {
  const functions::FunctionTable* functions = shown == Routes::shown ? &project.get(functions_) : nullptr;
  auto made = typescript::typesOf(exportedParts(project.info(), project.get(collections_), functions));
  if (!made) {
    return fail(Error(ErrorCode::conflict, "this version cannot use the schemas of some collections: save them again")
                    .withDetails(made.error().details()));
  }
  Text text{.text = *std::move(made), .etag = ""};
  text.etag = fmt::format("\"{}\"", toHex(sha256(text.text)).substr(0, kTypesTagDigits));
  std::string key = keyOf(project, shown);
  const std::lock_guard lock(mutex_);
  known_.put(std::move(key), {project.epoch(), text.etag});
  return text;
}

}  // namespace mb::api
