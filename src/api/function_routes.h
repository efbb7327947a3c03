// Functions of a project: their definitions and versions (docs/api.md, Functions).
#pragma once

#include "api/routes.h"
#include "functions/functions.h"

namespace mb::api {

class FunctionRoutes {
 public:
  explicit FunctionRoutes(functions::Functions& functions) : functions_(functions) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> create(RequestContext& context, functions::NewFunction body);
  Task<Reply> one(RequestContext& context);
  Task<Reply> change(RequestContext& context, functions::FunctionPatch body);
  Task<Reply> remove(RequestContext& context);
  Task<Reply> versions(RequestContext& context);
  Task<Reply> version(RequestContext& context);
  Task<Reply> rollback(RequestContext& context, functions::RollbackBody body);

 private:
  functions::Functions& functions_;
};

}  // namespace mb::api
