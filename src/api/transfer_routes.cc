#include "api/transfer_routes.h"

#include "api/control_routes.h"

namespace mb::api {

void TransferRoutes::addTo(RouteTable& routes) {
  routes.post("/api/v1/control/projects/:id/transfer", control(), this, &TransferRoutes::offer,
              "Offer a project to another Owner, or take it yourself");
  routes.post("/api/v1/control/projects/:id/transfer/accept", control(), this, &TransferRoutes::accept,
              "Accept a project that is offered to you");
  routes.remove("/api/v1/control/projects/:id/transfer", control(), this, &TransferRoutes::withdraw,
                "Withdraw the offer of a project");
}

Task<Reply> TransferRoutes::offer(RequestContext& context, projects::NewTransfer body) {
  CO_TRY(const bool offered, co_await transfers_.offer(by(context), context.param(0), std::move(body)));
  co_return offered ? Reply::acceptedEmpty() : Reply::noContent();
}

Task<Reply> TransferRoutes::accept(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await transfers_.accept(by(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> TransferRoutes::withdraw(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await transfers_.withdraw(by(context), context.param(0)));
  co_return Reply::noContent();
}

}  // namespace mb::api
