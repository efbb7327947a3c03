// /api/v1/control/jobs/dead: dead-lettered jobs, for operators (docs/operations.md).
#pragma once

#include "api/routes.h"
#include "jobs/jobs.h"
#include "projects/directory.h"
#include "projects/projects.h"

namespace mb::api {

// A dead-lettered job in a response.
struct DeadJobView {
  std::string id;
  std::string kind;
  doc::Nullable<std::string> project;  // null for jobs of the deployment, and if the project is deleted
  int64_t attempts = 0;
  std::string error;
  Timestamp createdAt;
  Timestamp failedAt;
  static constexpr auto shape() {
    return doc::shape<DeadJobView>(
        "DeadJob", doc::field("id", &DeadJobView::id), doc::field("kind", &DeadJobView::kind),
        doc::field("project", &DeadJobView::project), doc::field("attempts", &DeadJobView::attempts),
        doc::field("error", &DeadJobView::error), doc::field("createdAt", &DeadJobView::createdAt),
        doc::field("failedAt", &DeadJobView::failedAt));
  }
};

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
