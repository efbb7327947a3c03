#include "api/reference_job_routes.h"

#include "api/document_routes.h"

namespace mb::api {

void ReferenceJobRoutes::addTo(RouteTable& routes) {
  using Routes = ReferenceJobRoutes;
  const std::string all = "/api/v1/admin/jobs";
  routes.get(all, admin("ops:read"), this, &Routes::list, "List jobs that follow from deletions");
  routes.post(all + "/:id/retry", admin("collections:manage"), this, &Routes::retry, "Retry a failed job");
}

Task<Reply> ReferenceJobRoutes::list(RequestContext& context) {
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  CO_TRY(const std::vector<data::ReferenceJobView> jobs,
         co_await jobs_.list(context.project, std::min(page.limit, data::kMaxLimit), page.skip));
  co_return Reply::list("jobs", jobs);
}

Task<Reply> ReferenceJobRoutes::retry(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await jobs_.retry({context.caller, context.project}, context.param(0)));
  co_return Reply::noContent();
}

}  // namespace mb::api
