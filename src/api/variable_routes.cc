#include "api/variable_routes.h"

namespace mb::api {

namespace {

variables::Access variableAccess(const RequestContext& context) {
  return {context.caller, context.project, context.deadline};
}

}  // namespace

void VariableRoutes::addTo(RouteTable& routes) {
  using Routes = VariableRoutes;
  const std::string all = "/api/v1/admin/variables";
  const std::string one = all + "/:name";
  routes.get(all, admin("variables:read"), this, &Routes::list, "List variables; values of plain ones only");
  routes.put(one, admin("variables:manage"), this, &Routes::put, "Create or change a variable");
  routes.remove(one, admin("variables:manage"), this, &Routes::remove, "Delete a variable that is not used");
}

Task<Reply> VariableRoutes::list(RequestContext& context) {
  co_return Reply::list("variables", variables_.list(*context.project));
}

Task<Reply> VariableRoutes::put(RequestContext& context, variables::VariableBody body) {
  CO_RETURN_IF_ERROR(co_await variables_.put(variableAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> VariableRoutes::remove(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await variables_.remove(variableAccess(context), context.param(0)));
  co_return Reply::noContent();
}

}  // namespace mb::api
