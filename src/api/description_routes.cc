#include "api/description_routes.h"

#include <algorithm>

#include "api/gatekeeper.h"
#include "api/route_description.h"
#include "http/conditional.h"

namespace mb::api {

namespace {

constexpr std::string_view kPermission = "collections:read";
constexpr std::string_view kScope = "admin";

enum class Shared { yes, no };

Reply textReply(const http::Request& request, const description::Text& text, Shared shared) {
  const bool known = http::isNotModified(request, text.etag);
  Reply reply{known ? http::Response::empty(304) : http::Response::json(200, text.json)};
  auto& headers = reply.response.headers;
  headers.emplace_back("etag", text.etag);
  headers.emplace_back("cache-control", shared == Shared::yes ? "no-cache" : "private, no-cache");
  headers.emplace_back("vary", "authorization");
  return reply;
}

// As the gate of the project's own route has it.
bool mayRead(const policy::Caller& caller) {
  using Kind = policy::CallerKind;
  if (caller.kind != Kind::member && caller.kind != Kind::apiKey) return false;
  const bool scoped = std::find(caller.scopes.begin(), caller.scopes.end(), kScope) != caller.scopes.end();
  return (caller.kind == Kind::member || scoped) && caller.may(kPermission);
}

description::ProjectFacts factsOf(const snapshot::ProjectSnapshot& project, const data::CollectionTable& table) {
  description::ProjectFacts facts{project.info().id.str(), project.info().name, {}};
  for (const std::string& name : table.names()) {
    const data::CollectionPtr& collection = *table.find(name);
    facts.collections.push_back({name, collection->schemaSource, collection->deniedReadFields().paths()});
  }
  return facts;
}

}  // namespace

DescriptionRoutes::DescriptionRoutes(DescriptionDeps deps) : deps_(std::move(deps)) {}

void DescriptionRoutes::addTo(RouteTable& routes) {
  using Routes = DescriptionRoutes;
  routes.get("/api/v1/openapi.json", open(), this, &Routes::general, "This description");
  routes.get("/api/v1/projects/:pid/openapi.json", admin(kPermission), this, &Routes::ofProject,
             "This description, with the project's collections");
}

void DescriptionRoutes::describe(const RouteTable& routes) {
  description_ = std::make_unique<const description::Description>(description::Facts{deps_.version, deps_.baseUrl},
                                                                  operationsOf(routes, routeNotes()));
}

Task<Reply> DescriptionRoutes::general(RequestContext& context) {
  const std::string_view token = bearerOf(context.request);
  if (!token.empty()) {
    const snapshot::SnapshotPtr project = co_await readableBy(std::string(token));
    if (project) {
      context.project = project;
      CO_TRY(const TextPtr text, co_await textOf(project));
      co_return textReply(context.request, *text, Shared::no);
    }
  }
  co_return textReply(context.request, description_->general(), Shared::yes);
}

// Null where the token opens no project's description: whoever asks is then one of the public.
Async<snapshot::SnapshotPtr> DescriptionRoutes::readableBy(std::string token) {
  std::optional<identity::Identified> known = deps_.authenticator.cachedProject(token);
  if (!known) {
    Result<identity::Identified> found = co_await deps_.authenticator.project(std::move(token));
    if (!found) co_return nullptr;
    known = *std::move(found);
  }
  const bool active = known->project->info().status == snapshot::ProjectStatus::active;
  co_return active&& mayRead(known->caller) ? known->project : nullptr;
}

Task<Reply> DescriptionRoutes::ofProject(RequestContext& context) {
  const snapshot::ProjectInfo& info = context.project->info();
  if (context.param(0) != info.id.str() && context.param(0) != info.slug) {
    co_return fail(ErrorCode::notFound, "no such project");
  }
  CO_TRY(const TextPtr text, co_await textOf(context.project));
  co_return textReply(context.request, *text, Shared::no);
}

DescriptionRoutes::TextPtr DescriptionRoutes::kept(const snapshot::ProjectSnapshot& project) {
  const std::lock_guard lock(mutex_);
  const Kept* found = kept_.find(project.info().id.str());
  return found != nullptr && found->epoch == project.epoch() ? found->text : nullptr;
}

Task<DescriptionRoutes::TextPtr> DescriptionRoutes::textOf(snapshot::SnapshotPtr project) {
  if (TextPtr known = kept(*project)) co_return known;
  co_return co_await pool_.run([this, project]() -> Result<TextPtr> {
    if (TextPtr known = kept(*project)) return known;  // others waited for the same
    auto text = std::make_shared<const description::Text>(
        description_->ofProject(factsOf(*project, project->get(deps_.collections))));
    const std::lock_guard lock(mutex_);
    kept_.put(project->info().id.str(), {project->epoch(), text});
    return text;
  });
}

}  // namespace mb::api
