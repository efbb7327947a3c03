// /api/v1/control/admin: plans, limits of users and the cost model, for operators (docs/billing.md). Only with billing.
#pragma once

#include "api/routes.h"
#include "billing/plan_admin.h"

namespace mb::api {

class PlanRoutes {
 public:
  explicit PlanRoutes(billing::PlanAdmin& admin) : admin_(admin) {}
  void addTo(RouteTable& routes);

  Task<Reply> grant(RequestContext& context, billing::PlanBody body);
  Task<Reply> pin(RequestContext& context, billing::LimitsBody body);
  Task<Reply> unpin(RequestContext& context);
  Task<Reply> list(RequestContext& context);
  Task<Reply> changePlan(RequestContext& context, billing::PlanPatch body);
  Task<Reply> costModel(RequestContext& context);
  Task<Reply> setCostModel(RequestContext& context, billing::CostModel body);

 private:
  billing::PlanAdmin& admin_;
};

}  // namespace mb::api
