// /api/v1/control/connections, and those of a project.
#pragma once

#include "api/routes.h"
#include "connections/connections.h"

namespace mb::api {

class ConnectionRoutes {
 public:
  // `on`: whether connections are enabled; if not, every route fails with notFound.
  ConnectionRoutes(connections::Connections& connections, bool on) : connections_(connections), on_(on) {}
  void addTo(RouteTable& routes);

  Task<Reply> kinds(RequestContext& context);
  Task<Reply> listOwn(RequestContext& context);
  Task<Reply> createOwn(RequestContext& context, connections::NewConnection body);
  Task<Reply> change(RequestContext& context, connections::ConnectionPatch body);
  Task<Reply> remove(RequestContext& context);
  Task<Reply> listOf(RequestContext& context);
  Task<Reply> createOf(RequestContext& context, connections::NewConnection body);
  Task<Reply> off(RequestContext& context);

 private:
  connections::Connections& connections_;
  const bool on_;
};

}  // namespace mb::api
