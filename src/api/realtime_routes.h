// GET /api/v1/realtime: becomes a WebSocket. The socket's first message authenticates the client (docs/realtime.md).
#pragma once

#include "api/routes.h"
#include "realtime/realtime.h"

namespace mb::api {

class RealtimeRoutes {
 public:
  explicit RealtimeRoutes(realtime::Realtime& realtime) : realtime_(realtime) {}
  void addTo(RouteTable& routes);

  // Fails with upgradeRequired, validation (a broken handshake), rateLimited.
  Task<Reply> connect(RequestContext& context);

 private:
  realtime::Realtime& realtime_;
};

}  // namespace mb::api
