#include "api/dispatch.h"

#include <algorithm>
#include <exception>

#include "api/client_ip.h"
#include "base/log.h"
#include "base/trace_context.h"
#include "data/reserved.h"

namespace mb::api {

namespace {

constexpr int kParsers = 2;

Error noRoute() {
  return Error(ErrorCode::notFound, "this path does not exist");
}

// The RateLimit fields of the IETF draft (httpapi-ratelimit-headers).
void addLimit(http::Response& response, std::string_view action, const identity::Allowance& allowance) {
  response.headers.emplace_back(
      "ratelimit-policy", fmt::format("\"{}\";q={};w={}", action, allowance.rate.requests, allowance.rate.seconds));
  response.headers.emplace_back("ratelimit",
                                fmt::format("\"{}\";r={};t={}", action, allowance.remaining, allowance.resetSeconds));
}

bool hasHeader(const http::Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers, [name](const auto& header) { return header.first == name; });
}

// Stops browsers from guessing content types. Responses to POST, PUT, PATCH and DELETE may hold tokens and keys, so
// caches must not store them. Functions, and handlers that set cache-control (signed links, a GET), decide for
// themselves.
void addGuards(const http::Request& request, http::Response& response) {
  if (!hasHeader(response, "x-content-type-options"))
    response.headers.emplace_back("x-content-type-options", "nosniff");
  const bool makes = request.method == http::Method::post || request.method == http::Method::put ||
                     request.method == http::Method::patch || request.method == http::Method::remove;
  if (!makes || request.path.starts_with("/api/v1/run/") || hasHeader(response, "cache-control")) return;
  response.headers.emplace_back("cache-control", "no-store");
}

bool isInApi(const std::vector<std::string>& segments) {
  return segments.size() > 2 && segments[0] == "api" && segments[1] == "v1";
}

}  // namespace

Dispatcher::Dispatcher(const RouteTable& routes, const ApiSettings& settings, Gatekeeper& gatekeeper, Cors cors,
                       snapshot::SlotKey<ProjectCounters> counters, std::chrono::seconds requestLimit)
    : routes_(routes.all()),
      settings_(settings),
      gatekeeper_(gatekeeper),
      cors_(std::move(cors)),
      counters_(counters),
      requestLimit_(requestLimit),
      parsing_("parsing", kParsers) {
  router_.setNameCheck([](std::string_view name) { return !data::isReservedCollection(name); });
  for (size_t i = 0; i < routes_.size(); ++i) {
    router_.add(routes_[i].method, routes_[i].pattern, static_cast<int>(i));
    bodyDependsOnRoute_ = bodyDependsOnRoute_ || routes_[i].maxBody > 0 || routes_[i].streamsBody;
    if (routes_[i].streamsBody) streams_.set(static_cast<size_t>(routes_[i].method));
    counted_.push_back(countedPlaneOf(routes_[i]));
  }
}

Result<size_t> Dispatcher::bodyLimit(const http::Request& head) {
  // Skips the route lookup for most requests: those without a body, unless their method has routes that stream.
  const bool depends = head.bodyPresent ? bodyDependsOnRoute_ : streams_[static_cast<size_t>(head.method)];
  if (!depends) return settings_.maxBody;
  const auto segments = http::splitPath(head.path);
  if (!segments) return settings_.maxBody;
  const auto found = find(head, *segments);
  if (!found) return settings_.maxBody;
  if (found->route->streamsBody) return kStreams;
  return found->route->maxBody > 0 ? found->route->maxBody : settings_.maxBody;
}

// Scripts of functions share an origin with everything on their host, so that host serves only functions.
bool Dispatcher::isServedOnHost(const http::Request& request, const std::vector<std::string>& segments) const {
  return !settings_.isForRunHost(request) || (isInApi(segments) && segments[2] == "run");
}

Result<Dispatcher::MatchedRoute> Dispatcher::find(const http::Request& request,
                                                  const std::vector<std::string>& segments) const {
  const http::Method method = request.method;
  if (!isServedOnHost(request, segments)) return fail(noRoute());
  if (!settings_.control && segments.size() > 3 && segments[2] == "control") return fail(noRoute());
  http::RouteMatch match = router_.match(method, segments);
  if (match.route >= 0) return MatchedRoute{&routes_[static_cast<size_t>(match.route)], std::move(match.params)};
  if (match.allow.empty()) return fail(noRoute());
  return fail(Error(ErrorCode::methodNotAllowed, "this path does not allow " + std::string(methodName(method)))
                  .withAllow(std::move(match.allow)));
}

http::Response Dispatcher::options(const http::Request& request, const std::vector<std::string>& segments) const {
  const auto origin = request.header("origin");
  const bool inApi = isInApi(segments) && isServedOnHost(request, segments);
  if (inApi && origin && request.header("access-control-request-method")) {
    return cors_.preflight(Cors::planeOf(segments), *origin);
  }
  const auto found = find(request, segments);
  http::Response response = http::Response::empty(204);
  if (!found && found.error().code() == ErrorCode::methodNotAllowed) {
    response.headers.emplace_back("allow", found.error().allow());
  } else if (!found) {
    response = http::Response::failure(found.error());
  }
  return finish(request, std::move(response), Cors::planeOf(segments), nullptr);
}

http::Response Dispatcher::refuse(const http::Request& request, const Error& error) const {
  if (meaningOf(error.code()).status >= 500) {
    logError("request failed", {{"requestId", request.id},
                                {"method", http::methodName(request.method)},
                                {"path", request.path},
                                {"code", meaningOf(error.code()).wire},
                                {"message", error.message()},
                                {"cause", error.cause()}});
  }
  return http::Response::failure(error);
}

http::Response Dispatcher::finish(const http::Request& request, http::Response response, CorsPlane plane,
                                  const snapshot::ProjectSnapshot* project) const {
  const auto origin = request.header("origin");
  if (origin && !hasHeader(response, "access-control-allow-origin")) {
    static const std::vector<std::string> kAny;
    const auto& origins = project ? gatekeeper_.recordOf(*project).settings.allowedOrigins : kAny;
    cors_.decorate(response, plane, *origin, origins);
  }
  addGuards(request, response);
  return response;
}

void Dispatcher::count(const Route& route, int status, const snapshot::ProjectSnapshot* project) const {
  if (project == nullptr) return;
  const std::optional<CountedPlane> plane = counted_[static_cast<size_t>(&route - routes_.data())];
  if (plane) project->get(counters_).count(*plane, status);
}

void Dispatcher::record(const http::Request& request, const http::Response& response,
                        std::chrono::steady_clock::time_point started) const {
  if (!logEnabled(LogLevel::debug)) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  logDebug("request", {{"requestId", request.id},
                       {"method", http::methodName(request.method)},
                       {"path", request.path},
                       {"status", response.status},
                       {"ms", took.count()}});
}

void Dispatcher::warnOfForwarded(const http::Request& request) {
  if (warnedOfForwarded_.exchange(true, std::memory_order_relaxed)) return;
  logWarn(
      "x-forwarded-for holds more than the proxy's own entry: let the proxy overwrite the header, or name the proxies "
      "before it in SERVICE_TRUSTED_PROXIES (docs/deployment.md)",
      {{"requestId", request.id}, {"proxy", request.peer}});
}

Async<http::Response> Dispatcher::handle(http::Request& request) {
  const auto started = std::chrono::steady_clock::now();
  const Result<std::vector<std::string>> segments = http::splitPath(request.path);
  if (!segments) co_return finish(request, refuse(request, segments.error()), CorsPlane::data, nullptr);
  const CorsPlane plane = Cors::planeOf(*segments);
  Result<MatchedRoute> found = find(request, *segments);
  const bool preflight = request.header("access-control-request-method").has_value();
  if (request.method == http::Method::options && (preflight || !found)) co_return options(request, *segments);
  if (!found) {
    const bool notFound = found.error().code() == ErrorCode::notFound;
    auto page = notFoundHandler_ && notFound ? notFoundHandler_(request) : std::nullopt;
    co_return finish(request, page ? *std::move(page) : refuse(request, found.error()), plane, nullptr);
  }
  const Route& route = *found->route;

  snapshot::SnapshotPtr project;
  http::Response response;
  try {
    ClientAddress client = clientAddress(request, settings_.trustedProxies);
    if (client.hasUntrustedEntries) warnOfForwarded(request);
    std::string ip = std::move(client.ip);
    std::optional<Result<identity::Identified>> known = gatekeeper_.identifyNow(route, request);
    if (!known) known = co_await gatekeeper_.identify(route, request, found->params);
    auto counted = gatekeeper_.count(route, request, ip, known->has_value() ? &**known : nullptr);
    if (counted && !counted->allowance) {
      if (known->has_value()) project = (*known)->project;
      response = refuse(request, counted->allowance.refusal());
    } else if (known->has_value()) {
      identity::Identified& who = **known;
      project = who.project;
      RequestContext context{request,
                             std::move(found->params),
                             std::move(who.caller),
                             std::move(who.project),
                             started + requestLimit_,
                             std::move(ip),
                             requestLimit_,
                             parsing_};
      context.caller.ip = context.clientIp;
      context.caller.requestId = request.id;
      if (const auto trace = request.header(kTraceHeader)) context.caller.trace = traceContext(*trace);
      const Result<> admitted = gatekeeper_.admit(route, context);
      if (admitted) {
        Result<Reply> reply = co_await route.handler(context);
        response = reply ? std::move(reply->response) : refuse(request, reply.error());
        if (!project) project = context.project;
        if (context.counted) counted = context.counted;
      } else {
        response = refuse(request, admitted.error());
      }
    } else {
      response = refuse(request, known->error());
    }
    if (counted) addLimit(response, counted->action, counted->allowance);
  } catch (const std::exception& bug) {
    response = refuse(request, Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what()));
  }
  response = finish(request, std::move(response), plane, project.get());
  count(route, response.status, project.get());
  record(request, response, started);
  co_return response;
}

}  // namespace mb::api
