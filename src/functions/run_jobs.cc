#include "functions/run_jobs.h"

#include <algorithm>

#include "functions/function_rules.h"
#include "functions/pre_hooks.h"
#include "functions/run_months.h"
#include "store/records.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

constexpr int kMaxKilled = 3;

// Retries for a day, after the first ones every minute.
std::vector<std::chrono::milliseconds> pauses() {
  std::vector<std::chrono::milliseconds> all{1s, 2s, 5s, 10s, 20s, 30s};
  all.insert(all.end(), 24 * 60, 60s);
  return all;
}

std::string_view nameOf(TriggerType trigger) {
  switch (trigger) {
    case TriggerType::database:
      return "database";
    case TriggerType::auth:
      return "auth";
    case TriggerType::storage:
      return "storage";
    case TriggerType::http:
      return "http";
    case TriggerType::cron:
      break;
  }
  return "cron";
}

int64_t maxAttempts(const Function& function) {
  return function.record.retry ? function.record.retry->attempts : 1;
}

// The pause after the attempt that failed, the first being 1.
std::chrono::milliseconds pauseAfter(int64_t attempt, int64_t backoffSeconds) {
  const int64_t seconds = backoffSeconds << std::clamp<int64_t>(attempt - 1, 0, 12);
  return std::chrono::seconds(std::min(seconds, kMaxBackoffSeconds));
}

// Whether the function, as it is now, still gets the queued run.
bool concerns(const Function& function, const WaitingRun& waiting) {
  if (!function.record.enabled || function.pre || nameOf(function.trigger) != waiting.trigger) return false;
  if (waiting.attempt.value_or(1) > maxAttempts(function)) return false;
  return waiting.position == 0 || waiting.position > function.record.after;
}

}  // namespace

jobs::JobSpec runJob(store::ProjectNo project, const std::string& functionId, std::string_view what) {
  jobs::JobSpec job;
  job.kind = kJobKind;
  job.project = project;
  job.id = fmt::format("function/{}/{}/{}", project, functionId, what);
  job.group = functionId;
  return job;
}

Invocation invocationOf(snapshot::SnapshotPtr project, FunctionPtr function, WaitingRun waiting) {
  Invocation invocation;
  invocation.project = std::move(project);
  invocation.function = std::move(function);
  invocation.trigger = std::move(waiting.trigger);
  invocation.event = std::move(waiting.event);
  invocation.depth = static_cast<int>(waiting.depth);
  invocation.repeatable = true;
  invocation.attempt = waiting.attempt;
  if (!invocation.attempt && invocation.function->record.retry) invocation.attempt = 1;
  invocation.retryOf = std::move(waiting.retryOf);
  return invocation;
}

RunJobs::RunJobs(RunJobsDeps deps) : deps_(deps) {
  jobs::Kind kind;
  kind.name = kJobKind;
  kind.handler = [this](jobs::JobRun run) { return this->run(std::move(run)); };
  kind.backoff = pauses();
  // The longest timeout of a run, a minute, and its time in the queue of the workers.
  kind.timeout = 90s;
  // With several workers, jobs do not take all of them, so that callers that wait for a result find one. A project's
  // jobs take fewer than the half that it may have, and a function's jobs not all of these.
  kind.concurrency = std::max(1, deps_.workers * 3 / 4);
  kind.perProject = std::max(1, deps_.workers / 2 - 1);
  kind.perGroup = std::max(1, kind.perProject - 1);
  deps_.queue.declare(std::move(kind));
}

Task<> RunJobs::run(jobs::JobRun run) {
  CO_TRY(WaitingRun waiting, store::fromStore<WaitingRun>(run.payload.view()));
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.find(waiting.project));
  if (!project) co_return Result<>();
  // The function as it is now. A run that it no longer gets is dropped without a log entry.
  const auto& functions = project->get(deps_.slot).byId;
  const auto found = functions.find(waiting.function);
  if (found == functions.end() || !concerns(*found->second, waiting)) co_return Result<>();
  const FunctionPtr function = found->second;
  Invocation invocation = invocationOf(project, function, std::move(waiting));
  if (invocation.depth > kMaxDepth) {
    deps_.runner.logSkipped(std::move(invocation),
                            fmt::format("{} triggers precede this change: no further function runs", kMaxDepth));
    co_return Result<>();
  }
  invocation.countedByCaller = true;
  const Result<> admitted = co_await deps_.runner.admit(invocation);
  if (!admitted && admitted.error().code() == ErrorCode::planRunLimit) {
    deps_.runner.logSkipped(std::move(invocation), admitted.error().message());
    co_return Result<>();
  }
  if (!admitted) co_return fail(admitted.error().clone());
  invocation.trace = run.trace;
  CO_TRY(FinishedRun finished, co_await deps_.runner.run(std::move(invocation)));
  if (finished.status == workers::RunStatus::busy) co_return fail(functionsBusy());
  if (finished.stopped) co_return fail(ErrorCode::unavailable, "the server stopped");
  if (finished.suspended) co_return fail(ErrorCode::projectSuspended, "the project was suspended during the run");
  if (finished.killed && run.attempt <= kMaxKilled) co_return fail(ErrorCode::unavailable, "the worker was killed");
  CO_RETURN_IF_ERROR(retry(run, *function, finished));
  count(run, project->info().number, finished);
  co_return Result<>();
}

void RunJobs::count(const jobs::JobRun& run, store::ProjectNo project, FinishedRun& finished) const {
  if (!finished.permit) {
    deps_.log.count({project, monthOf(finished.view.startedAt)});
    return;
  }
  const ProjectMonth month = finished.permit->month();
  const int row = rowOfJob(run.id);
  jobs::ExtraChanges extra;
  extra.targets.push_back(monthRow(month, row));
  extra.compute = [month, row](const store::PreImages& before, std::span<const store::Target> targets,
                               store::Changes& changes) {
    changes.put(targets[0], withRuns(month, row, before[targets[0]], 1));
  };
  // Until then the permit counts the run; it gives the run back where the job runs again.
  extra.ended = [&log = deps_.log, permit = *std::move(finished.permit)](bool committed) mutable {
    if (committed) {
      std::move(permit).count();
    } else {
      ProjectMonth taken = permit.month();
      log.count(std::move(taken), std::move(permit));
    }
  };
  *run.extraChanges = std::move(extra);
}

Result<> RunJobs::retry(const jobs::JobRun& run, const Function& function, const FinishedRun& finished) const {
  if (finished.status == workers::RunStatus::success || finished.endedWorker) return {};
  const int64_t attempt = finished.view.attempt.value_or(1);
  if (attempt >= maxAttempts(function)) return {};
  TRY(WaitingRun next, store::fromStore<WaitingRun>(run.payload.view()));
  next.attempt = attempt + 1;
  next.retryOf = finished.view.id;
  const int64_t pauseMs = pauseAfter(attempt, function.record.retry->backoffSeconds).count();
  *run.repetition = jobs::Repetition{{deps_.clock.now().ms + pauseMs}, doc::encode(next)};
  return {};
}

}  // namespace mb::functions
