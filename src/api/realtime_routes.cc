#include "api/realtime_routes.h"

namespace mb::api {

void RealtimeRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/realtime", open(), this, &RealtimeRoutes::connect, "Receive changes over a WebSocket");
}

Task<Reply> RealtimeRoutes::connect(RequestContext& context) {
  CO_RETURN_IF_ERROR(http::checkWebSocketUpgrade(context.request));
  CO_TRY(std::shared_ptr<http::WebSocketHandler> handler,
         realtime_.accept(context.clientIp, gatekeeper_.publicProjectName(context.request)));
  co_return Reply{http::webSocketResponse(context.request, std::move(handler))};
}

}  // namespace mb::api
