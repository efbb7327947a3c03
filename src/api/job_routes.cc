#include "api/job_routes.h"

#include "api/document_routes.h"
#include "projects/membership_context.h"

namespace mb::api {

namespace {

std::unexpected<Error> noSuchJob() {
  return fail(ErrorCode::notFound, "there is no dead-lettered job with this id");
}

}  // namespace

void JobRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/control/jobs/dead", operators(), this, &JobRoutes::list, "List dead-lettered jobs");
  routes.post("/api/v1/control/jobs/dead/:id/retry", operators(), this, &JobRoutes::retry, "Retry a dead-lettered job");
  routes.remove("/api/v1/control/jobs/dead/:id", operators(), this, &JobRoutes::discard, "Delete a dead-lettered job");
}

Task<Reply> JobRoutes::list(RequestContext& context) {
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  CO_TRY(std::vector<jobs::DeadJob> dead, co_await queue_.dead(page.limit, page.skip));
  std::map<store::ProjectNo, doc::Nullable<std::string>> names;
  std::vector<DeadJobView> views;
  for (jobs::DeadJob& job : dead) {
    const auto [name, fresh] = names.try_emplace(job.project);
    if (fresh && job.project != store::kControlProject) {
      CO_TRY(const auto project, co_await directory_.byNumber(job.project));
      if (project) name->second.value = project->id.str();
    }
    views.push_back({std::move(job.id), std::move(job.kind), name->second, job.attempts, std::move(job.error),
                     job.createdAt, job.failedAt});
  }
  co_return Reply::list("jobs", views);
}

Task<Reply> JobRoutes::retry(RequestContext& context) {
  const std::string& id = context.param(0);
  auto entry = projects::auditOf(deps_, context.caller, store::kControlProject, "job.retry", "jobs/" + id);
  CO_TRY(const bool found, co_await queue_.retryDead(id, std::move(entry)));
  if (!found) co_return noSuchJob();
  co_return Reply::noContent();
}

Task<Reply> JobRoutes::discard(RequestContext& context) {
  const std::string& id = context.param(0);
  auto entry = projects::auditOf(deps_, context.caller, store::kControlProject, "job.discard", "jobs/" + id);
  CO_TRY(const bool found, co_await queue_.discardDead(id, std::move(entry)));
  if (!found) co_return noSuchJob();
  co_return Reply::noContent();
}

}  // namespace mb::api
