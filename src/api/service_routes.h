// /api/v1/health and /ready, and the answers of modules that this deployment does not have. Source: contract 4.1, 7;
// decisions 6.
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
  // `redis` is null where the deployment has none.
  ServiceRoutes(Version version, store::DocumentStore& store, const redis::Client* redis,
                const workers::Workers& workers)
      : version_(std::move(version)), store_(store), redis_(redis), workers_(workers) {}
  void addTo(RouteTable& routes);
  // What stands in place of files and buckets where there are none.
  void addWithoutStorage(RouteTable& routes);
  // Makes /ready say 503 with `reason` from now on; empty: ready again. Any thread.
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
