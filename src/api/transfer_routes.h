// /api/v1/control: transfers of projects between their Owners (docs/projects.md, Who pays).
#pragma once

#include "api/routes.h"
#include "projects/transfers.h"

namespace mb::api {

class TransferRoutes {
 public:
  explicit TransferRoutes(projects::Transfers& transfers) : transfers_(transfers) {}
  void addTo(RouteTable& routes);

  Task<Reply> offer(RequestContext& context, projects::NewTransfer body);
  Task<Reply> accept(RequestContext& context);
  Task<Reply> withdraw(RequestContext& context);

 private:
  projects::Transfers& transfers_;
};

}  // namespace mb::api
