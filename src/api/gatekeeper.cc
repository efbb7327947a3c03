#include "api/gatekeeper.h"

#include <algorithm>
#include <utility>

#include "api/session_cookie.h"
#include "document/json.h"
#include "identity/refresh_project.h"

namespace mb::api {

namespace {

constexpr std::string_view kProjectHeader = "x-service-project";
constexpr std::string_view kPublicAction = "public";
constexpr size_t kMaxShown = 64;
constexpr size_t kMaxRefreshBody = 1024;  // many times the size of a body with a refresh token

// Where anonymous callers pass, a token that is given must be valid nevertheless.
bool isAnonymous(const PlaneTraits& plane, const http::Request& request) {
  return plane.anonymous && (plane.token == PlaneToken::none || !request.header("authorization"));
}

// The project that the refresh token in a body names; nullopt without such a token.
std::optional<std::string> refreshTokensProject(const http::Request& request) {
  if (request.body.empty() || request.body.size() > kMaxRefreshBody) return std::nullopt;
  const auto body = doc::parseJson(request.body, {.maxDepth = 3, .extended = doc::ExtendedJson::refuse});
  return body ? identity::projectOfRefreshToken(body->view().stringOr("refreshToken")) : std::nullopt;
}

Error noToken() {
  return Error(ErrorCode::unauthenticated, "this needs a bearer token");
}

// "data::0:create" with the first path parameter in place of ":0".
std::string permissionFor(std::string_view declared, const RequestContext& context) {
  std::string permission(declared);
  const auto at = permission.find(":0");
  if (at != std::string::npos) permission.replace(at, 2, context.param(0));
  return permission;
}

Result<> checkKind(PlaneCallers admitted, const policy::Caller& caller, bool operatorsEnabled) {
  const bool endUser = caller.kind == policy::CallerKind::endUser;
  switch (admitted) {
    case PlaneCallers::all:
      return {};
    case PlaneCallers::endUsers:
      if (!endUser) return fail(ErrorCode::forbidden, "this route is for end users only");
      return {};
    case PlaneCallers::administrators:
      if (endUser) return fail(ErrorCode::forbidden, "this route is not for end users");
      if (caller.bypassesPolicies()) return fail(ErrorCode::forbidden, "this route is not for keys of scope service");
      return {};
    case PlaneCallers::operators:
      if (!operatorsEnabled) return fail(ErrorCode::notFound, "this path does not exist");
      if (!caller.superAdmin) return fail(ErrorCode::forbidden, "this route is for operators only");
      return {};
  }
  std::unreachable();
}

// Only API keys have scopes.
Result<> checkScope(ScopeCheck check, std::string_view scope, const policy::Caller& caller) {
  if (caller.kind != policy::CallerKind::apiKey || check == ScopeCheck::never) return {};
  if ((check == ScopeCheck::ifNamed && scope.empty()) || caller.hasScope(scope)) return {};
  return fail(ErrorCode::forbidden, "this key lacks the scope " + std::string(scope));
}

Result<> mustBeActive(const snapshot::ProjectSnapshot& project) {
  if (project.info().status != snapshot::ProjectStatus::suspended) return {};
  return fail(ErrorCode::projectSuspended, "this project is suspended");
}

// Refuses unknown parameters: ignoring a mistyped one would return a response to another query than was intended.
Result<> checkQuery(const std::vector<std::string_view>& known, std::string_view rawQuery) {
  if (rawQuery.empty()) return {};
  TRY(const http::QueryParams query, http::QueryParams::parse(rawQuery));
  for (const auto& [name, value] : query.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(ErrorCode::invalidParam,
                fmt::format("{} is not a query parameter of this route: use {}",
                            name.size() <= kMaxShown ? "\"" + name + "\"" : "the given name",
                            known.empty() ? "no parameters" : fmt::format("{}", fmt::join(known, ", "))));
  }
  return {};
}

}  // namespace

std::string_view bearerOf(const http::Request& request) {
  const auto header = request.header("authorization");
  if (!header || header->size() < 8 || !http::equalsIgnoreCase(header->substr(0, 7), "bearer ")) return {};
  std::string_view token = header->substr(7);
  while (token.starts_with(' ')) token.remove_prefix(1);
  return token;
}

bool isValidProjectName(std::string_view text) {
  return text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

std::optional<Result<identity::Identified>> Gatekeeper::identifyNow(const Route& route, const http::Request& request) {
  const PlaneTraits& plane = route.gate.traits();
  if (isAnonymous(plane, request)) {
    if (plane.lookup == ProjectLookup::none) return identity::Identified{};
    return std::nullopt;
  }
  if (plane.token != PlaneToken::project) return std::nullopt;
  const std::string_view token = bearerOf(request);
  if (token.empty()) return Result<identity::Identified>(fail(noToken()));
  if (auto known = deps_.authenticator.cachedProject(token)) return Result<identity::Identified>(*std::move(known));
  return std::nullopt;
}

Task<identity::Identified> Gatekeeper::identify(const Route& route, const http::Request& request,
                                                const std::vector<std::string>& params) {
  const PlaneTraits& plane = route.gate.traits();
  if (isAnonymous(plane, request)) {
    identity::Identified anonymous;
    if (plane.lookup == ProjectLookup::none) co_return anonymous;
    if (plane.publicRules) {
      CO_TRY(anonymous.project, co_await publiclyServed(route, request, params));
    } else {
      CO_TRY(anonymous.project, co_await anonymousProject(request, plane.lookup));
    }
    anonymous.caller.project = anonymous.project->info().number;
    anonymous.caller.projectId = anonymous.project->info().id;
    co_return anonymous;
  }
  std::string token(bearerOf(request));
  if (token.empty()) co_return fail(noToken());
  if (plane.token == PlaneToken::project) co_return co_await deps_.authenticator.project(std::move(token));
  co_return co_await deps_.authenticator.control(std::move(token));
}

Task<snapshot::SnapshotPtr> Gatekeeper::publiclyServed(const Route& route, const http::Request& request,
                                                       const std::vector<std::string>& params) {
  Result<snapshot::SnapshotPtr> project = co_await anonymousProject(request, ProjectLookup::headerFirst);
  if (!project) {
    const ErrorCode code = project.error().code();
    if (code == ErrorCode::missingProject || code == ErrorCode::notFound) co_return fail(noToken());
    co_return fail(std::move(project).error());
  }
  const data::CollectionTable& table = (*project)->get(deps_.collections);
  const std::optional<policy::Operation> operation = route.gate.publicOperation;
  const data::CollectionPtr* named = operation ? table.find(params.front()) : nullptr;
  const bool served =
      operation ? named && (*named)->policy && (*named)->policy->publicRule(*operation) : table.hasPublicRules;
  if (!served) co_return fail(noToken());
  co_return *std::move(project);
}

Task<snapshot::SnapshotPtr> Gatekeeper::anonymousProject(const http::Request& request, ProjectLookup order) {
  const auto header = request.header(kProjectHeader);
  std::string named;
  if (order == ProjectLookup::headerFirst && header) named = *header;
  if (named.empty()) {
    CO_TRY(const http::QueryParams query, http::QueryParams::parse(request.query));
    if (const auto given = query.get("project")) named = *given;
  }
  if (named.empty() && header) named = *header;
  if (named.empty() && order == ProjectLookup::headerFirst) {
    // A forged token is refused in every project, so trusting its project here is safe.
    const auto hint = refreshTokensProject(request);
    if (hint && isValidProjectName(*hint)) {
      CO_TRY(snapshot::SnapshotPtr project, co_await deps_.snapshots.find(*hint));
      if (project) co_return project;
    }
  }
  if (named.empty()) named = deps_.settings.defaultProject;

  if (named.empty()) {
    CO_TRY(snapshot::SnapshotPtr project, co_await deps_.snapshots.onlyOne());
    if (!project) co_return fail(ErrorCode::missingProject, "name a project in the header x-service-project");
    co_return project;
  }
  co_return co_await findProject(std::move(named));
}

Task<snapshot::SnapshotPtr> Gatekeeper::findProject(std::string named) {
  if (!isValidProjectName(named)) co_return fail(ErrorCode::notFound, "no such project");
  snapshot::SnapshotPtr project = deps_.snapshots.cached(named);
  if (!project) {
    CO_TRY(project, co_await deps_.snapshots.find(std::move(named)));
  }
  if (!project) co_return fail(ErrorCode::notFound, "no such project");
  co_return project;
}

Task<snapshot::SnapshotPtr> Gatekeeper::publicProject(const http::Request& request) {
  CO_TRY(snapshot::SnapshotPtr project, co_await anonymousProject(request, ProjectLookup::headerFirst));
  CO_RETURN_IF_ERROR(mustBeActive(*project));
  co_return project;
}

std::optional<std::string> Gatekeeper::publicProjectName(const http::Request& request) const {
  const auto query = http::QueryParams::parse(request.query);
  if (!query) return std::nullopt;
  std::string named(request.header(kProjectHeader).value_or(""));
  if (named.empty()) named = query->get("project").value_or("");
  if (named.empty()) named = deps_.settings.defaultProject;
  return isValidProjectName(named) ? std::optional(std::move(named)) : std::nullopt;
}

Task<snapshot::SnapshotPtr> Gatekeeper::namedProject(std::string named) {
  CO_TRY(snapshot::SnapshotPtr project, co_await findProject(std::move(named)));
  CO_RETURN_IF_ERROR(mustBeActive(*project));
  co_return project;
}

Result<> Gatekeeper::admitCaller(const Gate& gate, const RequestContext& context) const {
  const PlaneTraits& plane = gate.traits();
  RETURN_IF_ERROR(checkKind(plane.callers, context.caller, deps_.operatorsEnabled));
  RETURN_IF_ERROR(checkScope(plane.scope, gate.scope, context.caller));
  if (plane.checksPermission && !gate.permission.empty()) {
    const std::string permission = permissionFor(gate.permission, context);
    if (!context.caller.may(permission)) {
      return fail(ErrorCode::forbidden, "this route needs the permission " + permission);
    }
  }
  return {};
}

Result<> Gatekeeper::admitProject(const RequestContext& context) const {
  const snapshot::ProjectInfo& info = context.project->info();
  const auto named = context.request.header(kProjectHeader);
  // Without a token there is no mismatch: the request itself selects the project.
  const bool token = context.caller.kind != policy::CallerKind::anonymous;
  if (token && named && !named->empty() && *named != info.id.str() && *named != info.slug) {
    return fail(ErrorCode::projectMismatch, "the token belongs to another project than x-service-project names");
  }
  return mustBeActive(*context.project);
}

Result<> Gatekeeper::admit(const Route& route, const RequestContext& context) {
  const Gate& gate = route.gate;
  if (gate.traits().needsProject()) RETURN_IF_ERROR(admitProject(context));
  RETURN_IF_ERROR(admitCaller(gate, context));
  return route.query ? checkQuery(*route.query, context.request.query) : Result<>();
}

std::optional<CountedRequest> Gatekeeper::count(const Route& route, const http::Request& request, std::string_view ip,
                                                const identity::Identified* who) {
  const Gate& gate = route.gate;
  if (gate.traits().publicRules) {
    if (!gate.countsPublic(route.method) || who == nullptr || who->caller.kind != policy::CallerKind::anonymous)
      return std::nullopt;
    return CountedRequest{kPublicAction,
                          deps_.publicRateLimiter.take(ip, who->project->info().id.str(), kPublicAction)};
  }
  if (gate.rateAction.empty() || (gate.countsCookies && request.header(kSessionHeader))) return std::nullopt;
  if (!gate.traits().needsProject()) {
    return CountedRequest{gate.rateAction, deps_.rateLimiter.take(ip, kControlLimits, gate.rateAction)};
  }
  // Attempts to guess project names share one limit.
  const std::string project = who == nullptr || !who->project ? "" : who->project->info().id.str();
  return CountedRequest{gate.rateAction, deps_.rateLimiter.take(ip, project, gate.rateAction)};
}

}  // namespace mb::api
