// The dashboard: /dashboard and all addresses below it, those of the SDK included (docs/dashboard.md).
#pragma once

#include <string>

#include "api/routes.h"
#include "api/sdk_routes.h"

namespace mb::api {

// Any core.
class DashboardRoutes {
 public:
  // `control`: without the control plane only the SDK is served.
  DashboardRoutes(std::string_view baseUrl, bool control);
  void addTo(RouteTable& routes);

  // The page, the same at every address, so that links into the application work.
  Task<Reply> page(RequestContext& context);
  Task<Reply> asset(RequestContext& context);

 private:
  SdkRoutes sdk_;
  const bool control_;
  const std::string page_;
  const std::string tag_;  // the entity tag of the page
};

}  // namespace mb::api
