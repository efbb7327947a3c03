// /api/v1/control/admin: for operators of the deployment.
#pragma once

#include "api/routes.h"
#include "projects/operators.h"

namespace mb::api {

class OperatorRoutes {
 public:
  explicit OperatorRoutes(projects::Operators& operators) : operators_(operators) {}
  void addTo(RouteTable& routes);

  Task<Reply> users(RequestContext& context);
  Task<Reply> list(RequestContext& context);
  Task<Reply> add(RequestContext& context, projects::NewOperator body);
  Task<Reply> revoke(RequestContext& context);

 private:
  projects::Operators& operators_;
};

}  // namespace mb::api
