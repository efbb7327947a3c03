#include "billing/hourly_readings.h"

#include "base/log.h"
#include "billing/project_pages.h"
#include "projects/membership_context.h"
#include "store/records.h"

namespace mb::billing {

namespace {

constexpr auto kInterval = std::chrono::minutes(10);
constexpr uint64_t kOrganizationsPage = 200;

}  // namespace

void HourlyReadings::start(const Executor& executor, TaskGroup& tasks) {
  passes_.start(executor, tasks, {.interval = kInterval, .firstAfter = std::chrono::milliseconds(0)},
                [this] { return hourlyPass(); });
}

Async<void> HourlyReadings::hourlyPass() {
  const int64_t hour = deps_.clock.now().ms / kHourMs;
  if (hour == lastHour_) co_return;
  const Result<bool> done = co_await pass();
  if (done && *done) lastHour_ = hour;
  if (!done) logWarn("usage of projects not read; retried in ten minutes", {{"problem", done.error().message()}});
}

Task<bool> HourlyReadings::pass() {
  // Before the readings, so that the runs of a month that begins during the pass are not taken for those of the last.
  const Timestamp now = deps_.clock.now();
  bool complete = true;
  store::Query query = projects::queryOf(projects::kOrganizations, doc::Filter(), 0, kOrganizationsPage);
  query.paged = true;
  while (!passes_.stopping()) {
    query.deadline = store::readDeadline();
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(query));
    CO_TRY(const auto organizations, store::fromStore<projects::OrganizationRecord>(found.documents));
    for (const projects::OrganizationRecord& organization : organizations) {
      if (passes_.stopping()) co_return false;
      const Result<> read = co_await passOrganization(organization, now);
      if (read) continue;
      complete = false;
      logWarn("usage of an organization's projects not read; retried in ten minutes",
              {{"organization", organization.id.str()},
               {"problem", read.error().message()},
               {"cause", read.error().cause()}});
    }
    if (!found.more && organizations.size() < kOrganizationsPage) break;
    query.after = found.next;
  }
  const Result<uint64_t> pruned = co_await deps_.history.prune(now);
  if (!pruned) {
    logWarn("old usage of projects not removed; the next pass retries", {{"problem", pruned.error().message()}});
  }
  co_return complete;
}

Task<> HourlyReadings::passOrganization(projects::OrganizationRecord organization, Timestamp now) {
  CO_TRY(std::vector<projects::ProjectRecord> projects, co_await projectsOf(deps_.store, organization.id.str()));
  if (projects.empty()) co_return Result<>();
  CO_TRY(std::vector<ProjectUsage> usages, co_await deps_.meters.ofAll(projects));
  CO_RETURN_IF_ERROR(co_await deps_.history.record(projects, usages, now));
  co_return co_await deps_.mails.check(std::move(organization), std::move(projects), std::move(usages), now);
}

}  // namespace mb::billing
