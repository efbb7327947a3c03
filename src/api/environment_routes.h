// /api/v1/control: environments of a project, and promotion between those of a family (docs/projects.md, Environments).
#pragma once

#include "api/routes.h"
#include "projects/environments.h"

namespace mb::api {

class EnvironmentRoutes {
 public:
  explicit EnvironmentRoutes(projects::Environments& environments) : environments_(environments) {}
  void addTo(RouteTable& routes);

  Task<Reply> create(RequestContext& context, projects::NewEnvironment body);
  Task<Reply> promote(RequestContext& context, projects::Promotion body);

 private:
  projects::Environments& environments_;
};

}  // namespace mb::api
