#include "api/service_routes.h"

namespace mb::api {

namespace {

struct HealthResponse {
  std::string status;
  std::string version;
  std::string commit;
  std::string chartVersion;
  static constexpr auto shape() {
    return doc::shape<HealthResponse>(
        "Health", doc::field("status", &HealthResponse::status), doc::field("version", &HealthResponse::version),
        doc::field("commit", &HealthResponse::commit), doc::field("chartVersion", &HealthResponse::chartVersion));
  }
};

struct Checks {
  std::string server;
  std::string store;
  std::optional<std::string> redis;
  std::string functions;
  std::optional<std::string> confinement;
  std::optional<std::string> scheduling;
  static constexpr auto shape() {
    return doc::shape<Checks>("Checks", doc::field("server", &Checks::server), doc::field("store", &Checks::store),
                              doc::field("redis", &Checks::redis), doc::field("functions", &Checks::functions),
                              doc::field("confinement", &Checks::confinement),
                              doc::field("scheduling", &Checks::scheduling));
  }
};

struct ReadyResponse {
  std::string status;
  Checks checks;
  static constexpr auto shape() {
    return doc::shape<ReadyResponse>("Ready", doc::field("status", &ReadyResponse::status),
                                     doc::field("checks", &ReadyResponse::checks));
  }
};

}  // namespace

void ServiceRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/health", open(), this, &ServiceRoutes::health, "Liveness and version");
  routes.get("/api/v1/ready", open(), this, &ServiceRoutes::ready, "Readiness, 503 while starting or draining");
}

void ServiceRoutes::addWithoutBilling(RouteTable& routes) {
  using http::Method;
  const auto add = [&](Method method, std::string pattern, Gate gate, auto handler) {
    routes.add(method, std::move(pattern), gate, this, handler, "Billing is off").refuses = true;
  };
  add(Method::get, "/api/v1/control/billing", control(), &ServiceRoutes::noBilling);
  add(Method::post, "/api/v1/control/billing/checkout", control(), &ServiceRoutes::billingDisabled);
  add(Method::post, "/api/v1/control/billing/portal", control(), &ServiceRoutes::billingDisabled);
  add(Method::post, "/api/v1/billing/webhook", open(), &ServiceRoutes::noBilling);
  const auto ofOperators = [&](Method method, std::string_view path) {
    add(method, "/api/v1/control/admin" + std::string(path), operators(), &ServiceRoutes::noBilling);
  };
  ofOperators(Method::post, "/users/:id/plan");
  ofOperators(Method::put, "/users/:id/limits");
  ofOperators(Method::remove, "/users/:id/limits");
  ofOperators(Method::get, "/plans");
  ofOperators(Method::patch, "/plans/:slug");
  ofOperators(Method::get, "/cost-model");
  ofOperators(Method::put, "/cost-model");
  ofOperators(Method::get, "/costs");
}

void ServiceRoutes::addWithoutStorage(RouteTable& routes) {
  using http::Method;
  const auto storage = [&](Method method, std::string pattern) {
    routes.add(method, std::move(pattern), open(), this, &ServiceRoutes::noStorage,
               "Storage is not enabled on this deployment");
  };
  storage(Method::get, "/api/v1/storage/*path");
  storage(Method::post, "/api/v1/storage/*path");
  storage(Method::put, "/api/v1/storage/*path");
  storage(Method::patch, "/api/v1/storage/*path");
  storage(Method::remove, "/api/v1/storage/*path");
  storage(Method::get, "/api/v1/admin/storage/buckets");
  storage(Method::post, "/api/v1/admin/storage/buckets");
  storage(Method::patch, "/api/v1/admin/storage/buckets/:name");
  storage(Method::remove, "/api/v1/admin/storage/buckets/:name");
}

Task<Reply> ServiceRoutes::health(RequestContext&) {
  const HealthResponse response{"ok", version_.version, version_.commit, version_.chartVersion};
  co_return Reply::object(200, response);
}

Task<Reply> ServiceRoutes::ready(RequestContext&) {
  const char* notReady = notReady_;
  const Result<> store = store_.healthy();
  const bool ready = notReady == nullptr && store.has_value();
  ReadyResponse response{
      ready ? "ok" : "unavailable",
      {notReady == nullptr ? "ok" : notReady, store ? "ok" : store.error().message(), {}, "ok", {}, {}}};
  // The server works without Redis: it does not affect readiness.
  if (redis_) response.checks.redis = redis_->up() ? "ok" : "away";
  // Nor do workers: without them only requests that need one fail, with functionsBusy.
  const workers::Workers::Stats workers = workers_.stats();
  if (workers.confinement.empty()) {
    response.checks.functions = "no worker has started";
  } else {
    response.checks.confinement = workers.confinement;
    response.checks.scheduling = workers.scheduling;
  }
  co_return Reply::object(ready ? 200 : 503, response);
}

Task<Reply> ServiceRoutes::noStorage(RequestContext&) {
  co_return fail(ErrorCode::notFound, "storage is not enabled");
}

Task<Reply> ServiceRoutes::noBilling(RequestContext&) {
  co_return fail(ErrorCode::notFound, "billing is not enabled on this deployment");
}

Task<Reply> ServiceRoutes::billingDisabled(RequestContext&) {
  co_return fail(ErrorCode::billingDisabled, "billing is not enabled on this deployment");
}

}  // namespace mb::api
