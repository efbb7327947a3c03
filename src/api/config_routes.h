// /api/v1/admin/config-export and config-import: the shape of a project as one document. Source: contract 4.5, 4.11.
#pragma once

#include "api/routes.h"
#include "configuration/configuration.h"

namespace mb::api {

class ConfigRoutes {
 public:
  explicit ConfigRoutes(configuration::Configuration& configuration) : configuration_(configuration) {}
  void addTo(RouteTable& routes);

  Task<Reply> exported(RequestContext& context);
  // ?dryRun=1 plans only.
  Task<Reply> import(RequestContext& context, doc::Document body);

 private:
  configuration::Configuration& configuration_;
};

// Whether a query says ?dryRun=1. Fails with invalidParam.
Result<bool> isDryRun(std::string_view rawQuery);

}  // namespace mb::api
