// /api/v1/control/jobs/dead: jobs that were given up, for operators. Beside the contract.
#pragma once

#include "api/routes.h"
#include "jobs/jobs.h"
#include "projects/directory.h"
#include "projects/projects.h"

namespace mb::api {

class JobRoutes {
 public:
  JobRoutes(jobs::Queue& queue, projects::Directory& directory, const projects::ProjectDeps& deps)
      : queue_(queue), directory_(directory), deps_(deps) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> retry(RequestContext& context);
  Task<Reply> discard(RequestContext& context);

 private:
  jobs::Queue& queue_;
  projects::Directory& directory_;
  const projects::ProjectDeps& deps_;
};

}  // namespace mb::api
