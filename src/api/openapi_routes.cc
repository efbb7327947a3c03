#include "api/openapi_routes.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "api/gatekeeper.h"
#include "api/route_operations.h"
#include "data/reach.h"
#include "data/schema_references.h"
#include "http/conditional.h"
#include "policy/required_permission.h"

namespace mb::api {

namespace {

constexpr policy::RequiredPermission kPermission = "collections:read";
constexpr std::string_view kScope = "admin";

enum class Shared { yes, no };

Reply textReply(const http::Request& request, const openapi::Text& text, Shared shared) {
  const bool known = http::isNotModified(request, text.etag);
  Reply reply{known ? http::Response::empty(304) : http::Response::json(200, text.json)};
  auto& headers = reply.response.headers;
  headers.emplace_back("etag", text.etag);
  headers.emplace_back("cache-control", shared == Shared::yes ? "no-cache" : "private, no-cache");
  headers.emplace_back("vary", "authorization");
  return reply;
}

// The same check as the gate of /projects/:pid/openapi.json.
bool mayRead(const policy::Caller& caller) {
  using Kind = policy::CallerKind;
  if (caller.kind != Kind::member && caller.kind != Kind::apiKey) return false;
  return (caller.kind == Kind::member || caller.hasScope(kScope)) && caller.may(kPermission);
}

openapi::ProjectFacts factsOf(const snapshot::ProjectSnapshot& project, const data::CollectionTable& table,
                              const std::vector<std::string>& names) {
  openapi::ProjectFacts facts{project.info().id.str(), project.info().name, {}};
  // A reference must not name an omitted collection, nor end users where such a reference is only an id.
  const auto known = [&](std::string_view name) {
    if (name == data::kEndUsers && !table.profileFields.empty()) return std::string(name);
    return std::ranges::binary_search(names, name, std::less<>()) ? std::string(name) : std::string();
  };
  for (const std::string& name : names) {
    const data::CollectionPtr& collection = *table.find(name);
    facts.collections.push_back({name, data::renameReferences(collection->schemaSource, known),
                                 collection->deniedReadFields(policy::ReaderKind::signedIn).paths()});
  }
  return facts;
}

// Two lists with the same hash replace each other in the cache.
std::string keyOf(const snapshot::ProjectSnapshot& project, const std::vector<std::string>& collections) {
  const size_t hash = std::hash<std::string>()(fmt::format("{}", fmt::join(collections, "\n")));
  return fmt::format("{} {}", project.info().id.str(), hash);
}

}  // namespace

OpenApiRoutes::OpenApiRoutes(OpenApiDeps deps) : deps_(std::move(deps)) {}

void OpenApiRoutes::addTo(RouteTable& routes) {
  using Routes = OpenApiRoutes;
  routes.get("/api/v1/openapi.json", open(), this, &Routes::general, "This OpenAPI document");
  routes.get("/api/v1/projects/:pid/openapi.json", admin(kPermission), this, &Routes::ofProject,
             "This OpenAPI document, with the project's collections");
}

const openapi::OpenApiDocument& OpenApiRoutes::document() {
  std::call_once(buildOnce_, [this] {
    document_ = std::make_unique<const openapi::OpenApiDocument>(openapi::Facts{deps_.version, deps_.baseUrl},
                                                                 operationsOf(*routes_, routeDocs()));
    ready_.store(document_.get(), std::memory_order_release);
  });
  return *document_;
}

Task<const openapi::OpenApiDocument*> OpenApiRoutes::loadDocument() {
  if (const auto* ready = ready_.load(std::memory_order_acquire)) co_return ready;
  co_return co_await pool_.run([this]() -> Result<const openapi::OpenApiDocument*> { return &document(); });
}

Task<Reply> OpenApiRoutes::general(RequestContext& context) {
  const std::string_view token = bearerOf(context.request);
  if (!token.empty()) {
    const std::optional<identity::Identified> reader = co_await readerOf(std::string(token));
    if (reader) {
      context.project = reader->project;
      CO_TRY(const TextPtr text, co_await textOf(reader->project, reachable(*reader->project, reader->caller)));
      co_return textReply(context.request, *text, Shared::no);
    }
  }
  CO_TRY(const openapi::OpenApiDocument* general, co_await loadDocument());
  co_return textReply(context.request, general->general(), Shared::yes);
}

Async<std::optional<identity::Identified>> OpenApiRoutes::readerOf(std::string token) {
  std::optional<identity::Identified> known = deps_.authenticator.cachedProject(token);
  if (!known) {
    Result<identity::Identified> found = co_await deps_.authenticator.project(std::move(token));
    if (!found) co_return std::nullopt;
    known = *std::move(found);
  }
  const bool active = known->project->info().status == snapshot::ProjectStatus::active;
  if (!active || !mayRead(known->caller)) co_return std::nullopt;
  co_return known;
}

Task<Reply> OpenApiRoutes::ofProject(RequestContext& context) {
  const snapshot::ProjectInfo& info = context.project->info();
  if (context.param(0) != info.id.str() && context.param(0) != info.slug) {
    co_return fail(ErrorCode::notFound, "no such project");
  }
  CO_TRY(const TextPtr text, co_await textOf(context.project, reachable(*context.project, context.caller)));
  co_return textReply(context.request, *text, Shared::no);
}

std::vector<std::string> OpenApiRoutes::reachable(const snapshot::ProjectSnapshot& project,
                                                  const policy::Caller& caller) const {
  const data::CollectionTable& table = project.get(deps_.collections);
  std::vector<std::string> names = table.names();
  std::erase_if(names, [&](const std::string& name) { return !data::isReachable(caller, **table.find(name)); });
  return names;
}

OpenApiRoutes::TextPtr OpenApiRoutes::cachedText(const snapshot::ProjectSnapshot& project,
                                                 const std::vector<std::string>& collections) {
  const std::lock_guard lock(mutex_);
  const CachedText* found = cache_.find(keyOf(project, collections));
  const bool same = found != nullptr && found->epoch == project.epoch() && found->collections == collections;
  return same ? found->text : nullptr;
}

Task<OpenApiRoutes::TextPtr> OpenApiRoutes::textOf(snapshot::SnapshotPtr project,
                                                   std::vector<std::string> collections) {
  if (TextPtr known = cachedText(*project, collections)) co_return known;
  co_return co_await pool_.run([this, project, collections = std::move(collections)]() mutable -> Result<TextPtr> {
    if (TextPtr known = cachedText(*project, collections)) return known;  // another caller built it in the meantime
    auto text = std::make_shared<const openapi::Text>(
        document().ofProject(factsOf(*project, project->get(deps_.collections), collections)));
    std::string key = keyOf(*project, collections);
    const std::lock_guard lock(mutex_);
    cache_.put(std::move(key), {project->epoch(), std::move(collections), text});
    return text;
  });
}

}  // namespace mb::api
