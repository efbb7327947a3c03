// The dashboard: /dashboard and all addresses below it except /dashboard/sdk (docs/dashboard.md).
#pragma once

#include <string>

#include "api/routes.h"

namespace mb::api {

// Any core.
class DashboardRoutes {
 public:
  // `control`: without the control plane no dashboard is served.
  DashboardRoutes(std::string_view baseUrl, bool control);
  void addTo(RouteTable& routes);

  // The page, the same at every address, so that links into the application work.
  Task<Reply> page(RequestContext& context);
  Task<Reply> asset(RequestContext& context);

 private:
  const bool control_;
  const std::string page_;
  const std::string tag_;  // the entity tag of the page
};

}  // namespace mb::api
