// /api/v1/admin/jobs: the jobs of references, which follow from deletions (docs/policies.md, "References that hold").
#pragma once

#include "api/routes.h"
#include "data/reference_jobs.h"

namespace mb::api {

class ReferenceJobRoutes {
 public:
  explicit ReferenceJobRoutes(data::ReferenceJobs& jobs) : jobs_(jobs) {}
  void addTo(RouteTable& routes);

  Task<Reply> list(RequestContext& context);
  Task<Reply> retry(RequestContext& context);

 private:
  data::ReferenceJobs& jobs_;
};

}  // namespace mb::api
