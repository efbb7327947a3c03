// /api/v1/health and /ready, and the responses for modules that this deployment does not have (docs/api.md, Service).
#pragma once

#include <atomic>
#include <string>

#include "api/routes.h"
#include "redis/client.h"
#include "workers/workers.h"

namespace mb::api {

struct Version {
  std::string version;
  std::string commit;
  std::string chartVersion;
};

class ServiceRoutes {
 public:
  // `redis` is null if the deployment has no Redis.
  ServiceRoutes(Version version, store::DocumentStore& store, const redis::Client* redis,
                const workers::Workers& workers)
      : version_(std::move(version)), store_(store), redis_(redis), workers_(workers) {}
  void addTo(RouteTable& routes);
  // Replaces the routes of files and buckets if storage is not enabled.
  void addWithoutStorage(RouteTable& routes);
  // Replaces the routes of billing if it is not enabled.
  void addWithoutBilling(RouteTable& routes);
  // Makes /ready respond 503 with `reason` from now on; null: ready again. `reason` is a literal. Any thread.
  void setNotReady(const char* reason) { notReady_ = reason; }

  Task<Reply> health(RequestContext& context);
  Task<Reply> ready(RequestContext& context);
  Task<Reply> noStorage(RequestContext& context);
  Task<Reply> noBilling(RequestContext& context);
  Task<Reply> billingDisabled(RequestContext& context);

 private:
  const Version version_;
  store::DocumentStore& store_;
  const redis::Client* redis_;
  const workers::Workers& workers_;
  std::atomic<const char*> notReady_ = "starting";  // a literal, or null when ready
};

}  // namespace mb::api
