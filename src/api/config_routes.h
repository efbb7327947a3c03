// /api/v1/admin/config-export and config-import: the shape of a project as one document. Source: contract 4.5, 4.11.
#pragma once

#include "api/routes.h"
#include "configuration/configuration.h"
#include "projects/shape_copier.h"

namespace mb::api {

class ConfigRoutes {
 public:
  explicit ConfigRoutes(configuration::Configuration& configuration) : configuration_(configuration) {}
  void addTo(RouteTable& routes);

  Task<Reply> exported(RequestContext& context);
  // ?dryRun=1 plans only, ?plan= applies that plan only.
  Task<Reply> import(RequestContext& context, doc::Document body);

 private:
  configuration::Configuration& configuration_;
};

// What a query says by ?dryRun= and ?plan=. Fails with invalidParam.
Result<projects::ImportMode> importModeOf(std::string_view rawQuery);
// The answer of an import or a promotion; of a dry run with the header `plan-digest`, which ?plan= takes.
Reply importReply(const doc::Document& answer, bool dryRun);

}  // namespace mb::api
