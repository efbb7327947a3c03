// /api/v1/admin/config-export and config-import: the configuration of a project as one document
// (docs/configuration.md).
#pragma once

#include "api/routes.h"
#include "configuration/configuration.h"
#include "projects/configuration_copier.h"

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

// Whether a parameter is "1"; false without it. Fails with invalidParam for anything but "0" and "1".
Result<bool> flagIn(const http::QueryParams& query, std::string_view name);
// Parses ?dryRun=, ?plan=, ?allowMissing= and ?skipTests=. Fails with invalidParam.
Result<projects::ImportMode> importModeOf(std::string_view rawQuery);
// The reply to an import or a promotion; after a dry run with the header `plan-digest`, the value for ?plan=.
Reply importReply(const doc::Document& result, bool dryRun);

}  // namespace mb::api
