// /api/v1/admin/policies/sets (docs/policies.md, "Sets").
#pragma once

#include "api/routes.h"
#include "data/policy_sets.h"

namespace mb::api {

class PolicySetRoutes {
 public:
  explicit PolicySetRoutes(data::PolicySets& sets) : sets_(sets) {}
  void addTo(RouteTable& routes);

 private:
  Task<Reply> list(RequestContext& context);
  Task<Reply> set(RequestContext& context, data::NewPolicySet body);
  Task<Reply> remove(RequestContext& context);

  data::PolicySets& sets_;
};

}  // namespace mb::api
