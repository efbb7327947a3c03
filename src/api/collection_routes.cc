#include "api/collection_routes.h"

#include "base/cancellation.h"

namespace mb::api {
namespace {

// Bytes of JSON that are written without yielding: a few milliseconds.
constexpr size_t kStatsBytesBetweenYields = 256 << 10;

data::AdminAccess accessOf(const RequestContext& context) {
  return {context.caller, context.project};
}

identity::ProjectAccess databaseAccess(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

// ?data=drop
Result<bool> dropsData(std::string_view rawQuery) {
  TRY(const http::QueryParams query, http::QueryParams::parse(rawQuery));
  const auto given = query.get("data");
  if (given && *given != "drop") return fail(ErrorCode::invalidParam, "data must be drop");
  return given.has_value();
}

}  // namespace

void CollectionRoutes::addTo(RouteTable& routes) {
  const std::string all = "/api/v1/admin/collections";
  const std::string one = all + "/:name";
  routes.get(all, admin("collections:read"), this, &CollectionRoutes::list, "List collection names");
  routes.get("/api/v1/admin/collection-stats", admin("collections:read"), this, &CollectionRoutes::stats,
             "What each collection holds and takes");
  routes.post(all, admin("collections:manage"), this, &CollectionRoutes::create, "Create a collection");
  routes.remove(one, admin("collections:manage"), this, &CollectionRoutes::drop,
                "Delete a collection and its documents");
  routes.post(one + "/rename", admin("collections:manage"), this, &CollectionRoutes::rename, "Rename a collection");

  routes.get(one + "/schema", admin("collections:read"), this, &CollectionRoutes::schema, "Read a collection's schema");
  routes.put(one + "/schema", admin("collections:manage"), this, &CollectionRoutes::setSchema,
             "Set a collection's schema");
  routes.remove(one + "/schema", admin("collections:manage"), this, &CollectionRoutes::clearSchema,
                "Remove a collection's schema");
  routes.post(one + "/schema/check", admin("collections:manage"), this, &CollectionRoutes::checkSchema,
              "Validate stored documents against a schema, without saving it");

  routes.get(one + "/policy", admin("policies:read"), this, &CollectionRoutes::policy,
             "Read the policy in force, and where it comes from");
  routes.put(one + "/policy", admin("policies:manage"), this, &CollectionRoutes::setPolicy,
             "Set a collection's policy");
  routes.remove(one + "/policy", admin("policies:manage"), this, &CollectionRoutes::clearPolicy,
                "Remove a collection's own policy");

  routes.get(one + "/indexes", admin("collections:read"), this, &CollectionRoutes::indexes, "List indexes");
  routes.post(one + "/indexes", admin("collections:manage"), this, &CollectionRoutes::createIndex, "Create an index");
  routes.remove(one + "/indexes/:indexName", admin("collections:manage"), this, &CollectionRoutes::dropIndex,
                "Delete an index");
}

Task<Reply> CollectionRoutes::list(RequestContext& context) {
  doc::BsonWriter out;
  doc::encodeValue(out, "collections", collections_.names(*context.project));
  co_return Reply::object(200, out.finish());
}

Task<Reply> CollectionRoutes::stats(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const std::vector<data::CollectionStats> all,
         co_await collections_.stats(accessOf(context), context.deadline));
  std::string body = R"({"collections":[)";
  size_t nextYieldAt = kStatsBytesBetweenYields;
  for (const data::CollectionStats& each : all) {
    if (&each != &all.front()) body += ',';
    const doc::Document encoded = doc::encode(each);
    doc::writeJson(body, encoded);
    if (body.size() < nextYieldAt) continue;
    nextYieldAt = body.size() + kStatsBytesBetweenYields;
    CO_RETURN_IF_ERROR(co_await yieldCore());
  }
  body += "]}";
  co_return Reply{http::Response::json(200, std::move(body))};
}

Task<Reply> CollectionRoutes::create(RequestContext& context, NewCollection body) {
  CO_RETURN_IF_ERROR(co_await collections_.create(accessOf(context), std::move(body.name)));
  co_return Reply::createdEmpty();
}

Task<Reply> CollectionRoutes::drop(RequestContext& context) {
  CO_TRY(const bool withData, dropsData(context.request.query));
  data::Collections::DropData dropData;
  if (withData) CO_TRY(dropData, introspection_.dropper(databaseAccess(context)));
  CO_RETURN_IF_ERROR(co_await collections_.drop(accessOf(context), context.param(0), std::move(dropData)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::rename(RequestContext& context, CollectionRename body) {
  CO_RETURN_IF_ERROR(co_await collections_.rename(accessOf(context), context.param(0), std::move(body.to)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::schema(RequestContext& context) {
  CO_TRY(const std::optional<doc::Document> schema, collections_.schema(*context.project, context.param(0)));
  doc::BsonWriter out;
  schema ? out.appendDocument("schema", *schema) : out.appendNull("schema");
  co_return Reply::object(200, out.finish());
}

Task<Reply> CollectionRoutes::setSchema(RequestContext& context, doc::Document body) {
  CO_RETURN_IF_ERROR(co_await collections_.setSchema(accessOf(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::clearSchema(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await collections_.clearSchema(accessOf(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::checkSchema(RequestContext& context, doc::Document body) {
  co_await endWithClient();
  CO_TRY(data::SchemaCheckRequest request, doc::decode<data::SchemaCheckRequest>(body));
  // The result shows ids of documents and what is in them.
  const std::string permission = fmt::format("data:{}:read", context.param(0));
  if (!context.caller.may(permission)) {
    co_return fail(ErrorCode::forbidden, fmt::format("this needs the permission {}", permission));
  }
  CO_TRY(const data::SchemaCheck check, co_await collections_.checkDocuments(accessOf(context), context.param(0),
                                                                             std::move(request), context.deadline));
  co_return Reply::object(200, check);
}

Task<Reply> CollectionRoutes::policy(RequestContext& context) {
  CO_TRY(const data::PolicyInForce result, collections_.policy(*context.project, context.param(0)));
  doc::BsonWriter out;
  out.appendDocument("policy", result.policy);
  out.appendString("source", data::policySourceName(result.source));
  co_return Reply::object(200, out.finish());
}

Task<Reply> CollectionRoutes::setPolicy(RequestContext& context, doc::Document body) {
  CO_RETURN_IF_ERROR(co_await collections_.setPolicy(accessOf(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::clearPolicy(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await collections_.clearPolicy(accessOf(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> CollectionRoutes::indexes(RequestContext& context) {
  CO_TRY(std::vector<data::IndexView> indexes, co_await collections_.indexes(context.project, context.param(0)));
  CO_RETURN_IF_ERROR(co_await introspection_.addServerIndexes(databaseAccess(context), context.param(0), indexes));
  co_return Reply::list("indexes", indexes);
}

Task<Reply> CollectionRoutes::createIndex(RequestContext& context, doc::Document body) {
  CO_TRY(data::NewIndex index, doc::decode<data::NewIndex>(body));
  CO_TRY(const std::string name,
         co_await collections_.createIndex(accessOf(context), context.param(0), std::move(index)));
  doc::BsonWriter out;
  out.appendString("name", name);
  co_return Reply::object(201, out.finish());
}

Task<Reply> CollectionRoutes::dropIndex(RequestContext& context) {
  auto dropped = co_await collections_.dropIndex(accessOf(context), context.param(0), context.param(1));
  if (!dropped && dropped.error().code() == ErrorCode::notFound) {
    co_return fail(co_await introspection_.refusalOfDrop(databaseAccess(context), context.param(0), context.param(1),
                                                         std::move(dropped).error()));
  }
  CO_RETURN_IF_ERROR(std::move(dropped));
  co_return Reply::noContent();
}

}  // namespace mb::api
