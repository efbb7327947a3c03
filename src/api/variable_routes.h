// Variables of a project (docs/variables.md).
#pragma once

#include "api/routes.h"
#include "variables/variables.h"

namespace mb::api {

class VariableRoutes {
 public:
  explicit VariableRoutes(variables::Variables& variables) : variables_(variables) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> put(RequestContext& context, variables::VariableBody body);
  Task<Reply> remove(RequestContext& context);

 private:
  variables::Variables& variables_;
};

}  // namespace mb::api
