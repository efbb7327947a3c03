#include "api/run_routes.h"

#include "api/gatekeeper.h"
#include "functions/http_routes.h"
#include "functions/pre_hooks.h"

namespace mb::api {

namespace {

// The number of path segments before the function's own.
constexpr size_t kSegmentsBefore = 4;

}  // namespace

RunRoutes::RunRoutes(RunRoutesDeps deps) : deps_(std::move(deps)) {}

void RunRoutes::addTo(RouteTable& routes) {
  using http::Method;
  for (const std::string pattern : {"/api/v1/run/:project", "/api/v1/run/:project/*path"}) {
    for (const Method method : {Method::get, Method::post, Method::put, Method::patch, Method::remove}) {
      routes.add(method, pattern, open(), this, &RunRoutes::run, "Run the http function of this path");
    }
  }
}

functions::Origin RunRoutes::originOf(const http::Request& request) const {
  return deps_.settings.isForRunHost(request) ? functions::Origin::own : functions::Origin::shared;
}

Task<snapshot::SnapshotPtr> RunRoutes::projectOf(std::string name) {
  snapshot::SnapshotPtr project;
  if (isValidProjectName(name)) {
    project = deps_.snapshots.cached(name);
    if (!project) {
      CO_TRY(project, co_await deps_.snapshots.find(std::move(name)));
    }
  }
  if (!project) co_return fail(ErrorCode::notFound, "this path does not exist");
  co_return project;
}

Async<RunRoutes::TokenLookup> RunRoutes::lookUpToken(std::string token, store::ProjectNo project) {
  auto found = co_await deps_.authenticator.project(token);
  TokenLookup lookup;
  if (found) {
    lookup.isOwn = true;
    if (found->project->info().number == project) lookup.caller = std::move(found->caller);
    co_return lookup;
  }
  // A token that is refused for another reason than being unknown was issued here; so were those of the control plane.
  lookup.isOwn = found.error().code() != ErrorCode::unauthenticated;
  if (!lookup.isOwn) {
    const auto control = co_await deps_.authenticator.control(std::move(token));
    lookup.isOwn = control || control.error().code() != ErrorCode::unauthenticated;
  }
  co_return lookup;
}

Task<Reply> RunRoutes::run(RequestContext& context) {
  const http::Request& request = context.request;
  CO_TRY(const std::vector<std::string> segments, http::splitPath(request.path));
  CO_TRY(context.project, co_await projectOf(context.param(0)));
  const snapshot::SnapshotPtr project = context.project;
  if (project->info().status != snapshot::ProjectStatus::active) {
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  const auto own = std::span(segments).subspan(std::min(kSegmentsBefore, segments.size()));
  functions::HttpMatch match = project->get(deps_.functions).routes->match(http::methodName(request.method), own);
  if (!match.function && match.allow.empty()) co_return fail(ErrorCode::notFound, "this path does not exist");
  if (!match.function) {
    co_return fail(Error(ErrorCode::methodNotAllowed, "this path does not allow the method").withAllow(match.allow));
  }
  TokenLookup lookup;
  const std::string_view token = bearerOf(request);
  if (!token.empty()) {
    auto known = deps_.authenticator.cachedProject(token);
    if (known && known->project->info().number == project->info().number) {
      lookup = {std::move(known->caller), true};
    } else {
      lookup = co_await lookUpToken(std::string(token), project->info().number);
    }
  }
  functions::Invocation invocation;
  invocation.project = project;
  invocation.function = std::move(match.function);
  invocation.trigger = "http";
  invocation.event = runEvent(request, match.params);
  const RunRequestOptions options{.service = deps_.baseUrl, .hideToken = lookup.isOwn};
  const auto parse = [&] { return runRequest(request, match.params, options); };
  CO_TRY(invocation.request, co_await context.parsed(parse));
  invocation.rawBody = std::string(request.body);
  invocation.caller = std::move(lookup.caller);
  invocation.trace = context.caller.trace;
  CO_TRY(functions::FinishedRun finished, co_await deps_.runner.run(std::move(invocation)));

  const functions::Origin origin = originOf(request);
  std::string id = std::move(finished.view.id);
  switch (finished.status) {
    case workers::RunStatus::busy:
      co_return fail(functions::functionsBusy());
    case workers::RunStatus::timeout:
      co_return Reply{runFailure(504, "function timed out", origin, std::move(id))};
    case workers::RunStatus::error:
      co_return Reply{runFailure(500, "function error", origin, std::move(id))};
    case workers::RunStatus::success:
      break;
  }
  const auto& result = finished.view.result;
  auto response = functions::httpResult(result ? result->view() : doc::ValueView(), origin);
  if (!response) co_return Reply{runFailure(500, "function error", origin, std::move(id))};
  co_return Reply{runResponse(*std::move(response), origin, std::move(id))};
}

}  // namespace mb::api
