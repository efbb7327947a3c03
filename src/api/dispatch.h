// The Dispatcher turns a request into a response: route, gates, handler, CORS, errors. It is the only implementation of
// http::Service.
#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <functional>
#include <vector>

#include "api/api_settings.h"
#include "api/cors.h"
#include "api/gatekeeper.h"
#include "api/metrics.h"
#include "api/routes.h"
#include "http/router.h"
#include "http/server.h"

namespace mb::api {

class Dispatcher final : public http::Service {
 public:
  // REQUIRES: `routes` is complete; all references outlive this. Any core.
  Dispatcher(const RouteTable& routes, const ApiSettings& settings, Gatekeeper& gatekeeper, Cors cors,
             snapshot::SlotKey<ProjectCounters> counters, std::chrono::seconds requestLimit = std::chrono::seconds(30));

  // Replaces the response to a path without a route; nullopt keeps the error. Set before the first request.
  using NotFoundHandler = std::function<std::optional<http::Response>(const http::Request&)>;
  void setMissing(NotFoundHandler handler) { notFoundHandler_ = std::move(handler); }

  Result<size_t> bodyLimit(const http::Request& head) override;
  Async<http::Response> handle(http::Request& request) override;
  // Called after the server's drain: bodies that still wait to be parsed fail with unavailable.
  void stop() { parsing_.stop(); }

 private:
  struct MatchedRoute {
    const Route* route;
    std::vector<std::string> params;
  };
  // Fails with notFound or methodNotAllowed. `segments` are those of the request's path.
  Result<MatchedRoute> find(const http::Request& request, const std::vector<std::string>& segments) const;
  bool isServedOnHost(const http::Request& request, const std::vector<std::string>& segments) const;
  http::Response options(const http::Request& request, const std::vector<std::string>& segments) const;
  // The error response. Errors of status 500 and above are logged with their cause.
  http::Response refuse(const http::Request& request, const Error& error) const;
  http::Response finish(const http::Request& request, http::Response response, CorsPlane plane,
                        const snapshot::ProjectSnapshot* project) const;
  void count(const Route& route, int status, const snapshot::ProjectSnapshot* project) const;
  void record(const http::Request& request, const http::Response& response,
              std::chrono::steady_clock::time_point started) const;

  // Logs once per process.
  void warnOfForwarded(const http::Request& request);

  const std::vector<Route>& routes_;
  const ApiSettings& settings_;
  Gatekeeper& gatekeeper_;
  const Cors cors_;
  const snapshot::SlotKey<ProjectCounters> counters_;
  const std::chrono::seconds requestLimit_;
  FairPool parsing_;
  http::Router router_;
  std::vector<std::optional<CountedPlane>> counted_;  // by route
  NotFoundHandler notFoundHandler_;
  std::atomic<bool> warnedOfForwarded_ = false;
  bool bodyDependsOnRoute_ = false;
  std::bitset<8> streams_;  // by method: whether it has routes whose bodies stream
};

}  // namespace mb::api
