#include "api/plan_routes.h"

#include "api/control_routes.h"

namespace mb::api {

void PlanRoutes::addTo(RouteTable& routes) {
  const std::string at = "/api/v1/control/admin";
  routes.post(at + "/users/:id/plan", operators(), this, &PlanRoutes::grant, "Grant a plan to a user");
  routes.put(at + "/users/:id/limits", operators(), this, &PlanRoutes::pin, "Pin limits of a user");
  routes.remove(at + "/users/:id/limits", operators(), this, &PlanRoutes::unpin, "Clear the pinned limits of a user");
  routes.get(at + "/plans", operators(), this, &PlanRoutes::list, "List the plans");
  routes.patch(at + "/plans/:slug", operators(), this, &PlanRoutes::changePlan, "Change a plan");
  routes.get(at + "/cost-model", operators(), this, &PlanRoutes::costModel, "Read the cost model");
  routes.put(at + "/cost-model", operators(), this, &PlanRoutes::setCostModel, "Set the cost model");
}

Task<Reply> PlanRoutes::grant(RequestContext& context, billing::PlanBody body) {
  CO_RETURN_IF_ERROR(co_await admin_.grant(by(context), context.param(0), std::move(body.plan)));
  co_return Reply::noContent();
}

Task<Reply> PlanRoutes::pin(RequestContext& context, billing::LimitsBody body) {
  CO_RETURN_IF_ERROR(co_await admin_.pin(by(context), context.param(0), body.limits));
  co_return Reply::noContent();
}

Task<Reply> PlanRoutes::unpin(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await admin_.unpin(by(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> PlanRoutes::list(RequestContext&) {
  CO_TRY(const std::vector<billing::PlanView> plans, co_await admin_.plans());
  co_return Reply::list("plans", plans);
}

Task<Reply> PlanRoutes::changePlan(RequestContext& context, billing::PlanPatch body) {
  CO_RETURN_IF_ERROR(co_await admin_.changePlan(by(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> PlanRoutes::costModel(RequestContext&) {
  CO_TRY(const billing::CostModel model, co_await admin_.costModel());
  co_return Reply::object(200, model);
}

Task<Reply> PlanRoutes::setCostModel(RequestContext& context, billing::CostModel body) {
  CO_RETURN_IF_ERROR(co_await admin_.setCostModel(by(context), std::move(body)));
  co_return Reply::noContent();
}

}  // namespace mb::api
