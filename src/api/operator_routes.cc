#include "api/operator_routes.h"

#include "api/control_routes.h"
#include "api/document_routes.h"
#include "base/cancellation.h"

namespace mb::api {

void OperatorRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/control/admin/users", operators(), this, &OperatorRoutes::users, "List platform users");
  routes.get("/api/v1/control/admin/operators", operators(), this, &OperatorRoutes::list,
             "List operators and invites to become one");
  routes.post("/api/v1/control/admin/operators", operators(), this, &OperatorRoutes::add, "Add or invite an operator");
  routes.remove("/api/v1/control/admin/operators/:email", operators(), this, &OperatorRoutes::revoke,
                "Cancel an operator's pending invite");
}

Task<Reply> OperatorRoutes::users(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  CO_TRY(const auto users, co_await operators_.users(by(context), page.skip, page.limit));
  co_return Reply::list("users", users);
}

Task<Reply> OperatorRoutes::list(RequestContext& context) {
  CO_TRY(const auto listed, co_await operators_.list(by(context)));
  co_return Reply::list("operators", listed);
}

Task<Reply> OperatorRoutes::add(RequestContext& context, projects::NewOperator body) {
  CO_TRY(const auto added, co_await operators_.add(by(context), std::move(body)));
  co_return Reply::entity(201, "operator", added);
}

Task<Reply> OperatorRoutes::revoke(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await operators_.revoke(by(context), context.param(0)));
  co_return Reply::noContent();
}

}  // namespace mb::api
