#include "functions/cron.h"

#include <algorithm>

#include "base/log.h"
#include "store/records.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 1s;
constexpr int64_t kForgottenMs = 3'600'000;
constexpr uint64_t kAtOnce = 200;

store::Deadline soon() {
  return std::chrono::steady_clock::now() + 10s;
}

store::Query dueBy(Timestamp now, uint64_t skip) {
  doc::BsonWriter filter;
  filter.beginDocument("dueAt");
  filter.appendDate("$lte", now);
  filter.end();
  store::Query query;
  query.collection = kTimetableRows;
  query.filter = *doc::Filter::parse(filter.finish());
  query.skip = skip;
  query.limit = kAtOnce;
  query.deadline = soon();
  return query;
}

doc::Document eventOf(const TimetableRow& row, Timestamp at) {
  doc::BsonWriter out;
  out.appendString("type", "cron");
  out.appendString("schedule", row.schedule);
  out.appendDate("scheduledAt", at);
  return out.finish();
}

// nullopt while the project is suspended. Fires of a suspended project never run.
std::optional<Timestamp> activeSince(const snapshot::ProjectInfo& project) {
  if (project.status != snapshot::ProjectStatus::active) return std::nullopt;
  const auto resumed = project.record.view().find("resumedAt");
  return resumed && resumed->type() == doc::BsonType::date ? resumed->asDate() : Timestamp{0};
}

// Fires of a function never overlap.
jobs::JobSpec jobOf(const TimetableRow& row, Timestamp at) {
  jobs::JobSpec job = runJob(static_cast<store::ProjectNo>(row.project), row.functionId, fmt::format("cron-{}", at.ms));
  job.orderKey = "cron/" + row.functionId;
  job.payload = doc::encode(WaitingRun{row.projectId, row.functionId, "cron", 0, 0, eventOf(row, at)});
  return job;
}

}  // namespace

void Cron::start(TaskGroup& tasks) {
  passes_.start(deps_.cores.at(0).get_executor(), tasks,
                {.interval = kInterval, .firstAfter = std::chrono::milliseconds(0)}, [this] { return loggedPass(); });
}

Async<void> Cron::loggedPass() {
  const auto done = co_await pass();
  if (!done && !passFails_) {
    logWarn("scheduled functions cannot be started; retrying", {{"error", done.error().message()}});
  }
  passFails_ = !done;
}

Task<int> Cron::pass() {
  int fired = 0;
  uint64_t failed = 0;
  while (!passes_.stopping()) {
    CO_TRY(const store::QueryResult due, co_await deps_.store.find(dueBy(deps_.clock.now(), failed)));
    for (const doc::Document& document : due.documents) {
      // A row that fails is retried by the next pass, and does not stop the others.
      const Result<bool> done = co_await fireStored(document);
      if (done) {
        fired += *done ? 1 : 0;
        continue;
      }
      ++failed;
      if (!std::exchange(rowFails_, true)) {
        logError("scheduled function could not be started; retrying with the next pass",
                 {{"schedule", document.view().stringOr("id")},
                  {"problem", done.error().message()},
                  {"cause", done.error().cause()}});
      }
    }
    if (due.documents.size() < kAtOnce) break;
  }
  if (failed == 0) rowFails_ = false;
  co_return fired;
}

Task<bool> Cron::fireStored(doc::Document document) {
  CO_TRY(TimetableRow row, store::fromStore<TimetableRow>(document.view()));
  co_return co_await fire(std::move(row));
}

Task<bool> Cron::fire(TimetableRow row) {
  const Timestamp now = deps_.clock.now();
  // A row whose zone the system has lost stays, and fires once the zone is known again.
  if (row.timezone && !TimeZone::find(*row.timezone)) {
    co_return fail(Error(ErrorCode::internal, "the time zone is not known").withCause(*row.timezone));
  }
  const auto schedule = scheduleOf(row.schedule, row.timezone);
  std::optional<Timestamp> at;
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.find(row.projectId));
  const std::optional<Timestamp> since = project ? activeSince(project->info()) : std::nullopt;
  if (schedule && since) at = schedule->last({std::max({row.dueAt.ms, now.ms - kForgottenMs + 1, since->ms})}, now);
  if (at) {
    CO_TRY(const jobs::GroupLoad load,
           co_await deps_.queue.load(std::string(kJobKind), project->info().number, row.functionId));
    if (load.jobs >= kMaxWaitingFires) at.reset();
  }
  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target target = write.change(kTimetableRows, row.id);
  std::string jobId;
  if (at) {
    CO_TRY(store::Insert job, deps_.queue.insertOf(jobOf(row, *at)));
    jobId = job.id();
    write.insert(std::move(job));
  }
  auto callback = [target, now, &row = std::as_const(row), &schedule = std::as_const(schedule)](
                      const store::PreImages& before, store::Changes& changes) -> Result<bool> {
    TRY(std::optional<TimetableRow> stored, store::fromStore<TimetableRow>(before[target]));
    const bool same =
        stored && stored->dueAt == row.dueAt && stored->schedule == row.schedule && stored->timezone == row.timezone;
    if (!same) return false;
    if (schedule) {
      stored->dueAt = schedule->next(now);
      changes.put(target, doc::encode(*stored));
    } else {
      changes.remove(target);
    }
    return true;
  };
  CO_TRY(const bool mine, co_await store::writeReturning(deps_.store, std::move(write), std::move(callback)));
  if (!mine || !at) co_return false;
  deps_.queue.wake({std::move(jobId)});
  co_return true;
}

}  // namespace mb::functions
