// The runs of each project in a month, as stored and as limits meet them.
//
// A run ends in one of two ways. Runs of jobs with a permit are stored by the commit that ends their job, and counted
// in quota_ after it. All others are counted in quota_ at once, wait in work_, and are written behind by a flush.
//
// load() brings a month into quota_ with each ended run once:
// - Runs written behind: no flush runs between the read of the store and the addition of what waits in work_, under one
//   lock, so each of them is either stored or waits. One that ends later finds the month in quota_, or in work_.
// - Runs of jobs: while a permit lives, from before its run to after the commit and the count, its month is in quota_,
//   which keeps months with runs under way. So while a month is missing there, no commit of this process counts a run
//   in it: what is stored does not change between the read and the addition, and what was stored before is complete.
//   That the month is missing is checked after other loads are excluded; only a load adds one.
#include <chrono>

#include "base/log.h"
#include "functions/run_log.h"
#include "functions/run_months.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

// Of bringing a month into memory: where very many projects run, another may drop it before it is used.
constexpr int kMaxLoads = 20;

}  // namespace

void RunLog::countNow(ProjectMonth month, std::optional<RunQuota::Permit> permit) {
  quota_->count(month, std::move(permit));
  ++work_.months[std::move(month)];
}

void RunLog::count(ProjectMonth month, std::optional<RunQuota::Permit> permit) {
  const std::scoped_lock lock(mutex_);
  ++added_;
  countNow(std::move(month), std::move(permit));
}

Task<> RunLog::writeMonth(ProjectMonth month, int64_t runs) {
  store::Write write(
      {.deadline = std::chrono::steady_clock::now() + 10s, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target row = write.change(monthRow(month, kWrittenBehind));
  auto callback = [row, runs, &month = std::as_const(month)](const store::PreImages& before,
                                                             store::Changes& changes) -> Result<bool> {
    changes.put(row, withRuns(month, kWrittenBehind, before[row], runs));
    return !before[row];
  };
  CO_TRY(const bool isFirst, co_await store::writeReturning(store_, std::move(write), std::move(callback)));
  if (isFirst) co_await tryPrune(std::move(month));
  co_return Result<>();
}

Task<int64_t> RunLog::runsOfMonth(store::ProjectNo project, Timestamp at) {
  CO_RETURN_IF_ERROR(co_await flush());
  co_return co_await storedRuns(store_, {project, monthOf(at)});
}

Async<void> RunLog::tryPrune(ProjectMonth month) {
  const Result<> pruned = co_await pruneMonths(store_, std::move(month));
  if (!pruned) {
    logWarn("old counts of function runs not removed; retried next month", {{"problem", pruned.error().message()}});
  }
}

// ---- the limit

Task<RunQuota::Taken> RunLog::take(store::ProjectNo project, Timestamp at, int64_t max) {
  for (int i = 0; i < kMaxLoads; ++i) {
    std::optional<RunQuota::Taken> taken = quota_->take(project, at, max);
    if (taken) co_return *std::move(taken);
    CO_RETURN_IF_ERROR(co_await load({project, monthOf(at)}));
  }
  co_return fail(ErrorCode::unavailable, "the function runs of this month could not be counted now: try again");
}

Task<> RunLog::load(ProjectMonth month) {
  while (!quota_->holds(month)) {
    if (!beginLoad()) {
      co_await suspend<bool>([this](Resumer<bool> resumer) { awaitEnd(std::move(resumer)); });
      continue;
    }
    if (quota_->holds(month)) {  // another load has ended since
      endLoad(month, std::nullopt);
      break;
    }
    const Result<int64_t> stored = co_await storedRuns(store_, month);
    endLoad(month, stored ? std::optional(*stored) : std::nullopt);
    if (!stored) co_return fail(stored.error().clone());
    if (*stored == 0) co_await tryPrune(month);
  }
  co_return Result<>();
}

bool RunLog::beginLoad() {
  const std::scoped_lock lock(mutex_);
  if (writing_) return false;
  writing_ = true;
  return true;
}

void RunLog::endLoad(const ProjectMonth& month, std::optional<int64_t> stored) {
  const std::scoped_lock lock(mutex_);
  writing_ = false;
  if (stored) {
    const auto unwritten = work_.months.find(month);
    quota_->put(month, *stored + (unwritten == work_.months.end() ? 0 : unwritten->second));
  }
  for (Resumer<bool>& each : std::exchange(waiting_, {})) each.resume(true);
}

}  // namespace mb::functions
