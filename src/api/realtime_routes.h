// GET /api/v1/realtime: becomes a WebSocket. The socket's first message authenticates the client (docs/realtime.md).
#pragma once

#include "api/gatekeeper.h"
#include "api/routes.h"
#include "realtime/realtime.h"

namespace mb::api {

class RealtimeRoutes {
 public:
  RealtimeRoutes(realtime::Realtime& realtime, const Gatekeeper& gatekeeper)
      : realtime_(realtime), gatekeeper_(gatekeeper) {}
  void addTo(RouteTable& routes);

  // Fails with upgradeRequired, validation (a broken handshake), rateLimited.
  Task<Reply> connect(RequestContext& context);

 private:
  realtime::Realtime& realtime_;
  const Gatekeeper& gatekeeper_;
};

}  // namespace mb::api
