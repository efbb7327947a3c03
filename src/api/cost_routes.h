// /api/v1/control/admin/costs: what each project cost, for operators (docs/billing.md). Only with billing.
#pragma once

#include "api/routes.h"
#include "billing/costs.h"

namespace mb::api {

class CostRoutes {
 public:
  explicit CostRoutes(billing::Costs& costs) : costs_(costs) {}
  void addTo(RouteTable& routes);

  // As JSON, or as CSV if `accept` names it.
  Task<Reply> costs(RequestContext& context);

 private:
  billing::Costs& costs_;
};

}  // namespace mb::api
