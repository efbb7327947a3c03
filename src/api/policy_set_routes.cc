#include "api/policy_set_routes.h"

namespace mb::api {

void PolicySetRoutes::addTo(RouteTable& routes) {
  const std::string all = "/api/v1/admin/policies/sets";
  const std::string one = all + "/:name";
  routes.get(all, admin("policies:read"), this, &PolicySetRoutes::list, "List the sets that policies may name");
  routes.put(one, admin("policies:manage"), this, &PolicySetRoutes::set, "Create or replace a set");
  routes.remove(one, admin("policies:manage"), this, &PolicySetRoutes::remove, "Delete a set that no policy names");
}

Task<Reply> PolicySetRoutes::list(RequestContext& context) {
  co_return Reply::list("sets", sets_.list(*context.project));
}

Task<Reply> PolicySetRoutes::set(RequestContext& context, data::NewPolicySet body) {
  data::PolicySet set{context.param(0), std::move(body.collection), std::move(body.where), std::move(body.value)};
  CO_RETURN_IF_ERROR(co_await sets_.set({context.caller, context.project}, std::move(set)));
  co_return Reply::noContent();
}

Task<Reply> PolicySetRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await sets_.remove({context.caller, context.project}, context.param(0)));
  co_return Reply::noContent();
}

}  // namespace mb::api
