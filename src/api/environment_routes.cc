#include "api/environment_routes.h"

#include "api/config_routes.h"
#include "api/control_routes.h"

namespace mb::api {

void EnvironmentRoutes::addTo(RouteTable& routes) {
  routes.post("/api/v1/control/projects/:id/environments", control(), this, &EnvironmentRoutes::create,
              "Create an environment of a project");
  routes.post("/api/v1/control/environments/promote", control(), this, &EnvironmentRoutes::promote,
              "Plan or import one project's configuration into another of its family");
}

Task<Reply> EnvironmentRoutes::create(RequestContext& context, projects::NewEnvironment body) {
  CO_TRY(const auto project, co_await environments_.create(by(context), context.param(0), std::move(body)));
  co_return Reply::entity(201, "project", project);
}

Task<Reply> EnvironmentRoutes::promote(RequestContext& context, projects::Promotion body) {
  CO_TRY(projects::ImportMode mode, importModeOf(context.request.query));
  const bool dryRun = mode.dryRun;
  CO_TRY(const doc::Document result, co_await environments_.promote(by(context), std::move(body), std::move(mode)));
  co_return importReply(result, dryRun);
}

}  // namespace mb::api
