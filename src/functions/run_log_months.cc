// The runs of each project in a month, as stored and as limits meet them.
#include <chrono>

#include "functions/run_log.h"
#include "store/records.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

// Of bringing a month into memory: where very many projects run, another may drop it before it is used.
constexpr int kMaxLoads = 20;

struct MonthRow {
  std::string id;
  int64_t runs = 0;
  static constexpr auto shape() {
    return doc::shape<MonthRow>("FunctionMonth", doc::field("id", &MonthRow::id), doc::field("runs", &MonthRow::runs));
  }
};

store::CollectionRef monthsOf(store::ProjectNo project) {
  return {project, kStats, 0};
}

std::string rowIdOf(const ProjectMonth& month) {
  return fmt::format("month/{}", month.second);
}

}  // namespace

Task<> RunLog::writeMonth(ProjectMonth month, int64_t runs) {
  const std::string id = rowIdOf(month);
  store::Write write(
      {.deadline = std::chrono::steady_clock::now() + 10s, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target target = write.change(monthsOf(month.first), id);
  auto callback = [target, id, runs](const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(std::optional<MonthRow> row, store::fromStore<MonthRow>(before[target]));
    if (!row) row = MonthRow{id, 0};
    row->runs += runs;
    changes.put(target, doc::encode(*row));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

Task<int64_t> RunLog::storedRuns(ProjectMonth month) {
  CO_TRY(const auto stored, co_await store_.get(monthsOf(month.first), rowIdOf(month)));
  CO_TRY(const std::optional<MonthRow> row, store::fromStore<MonthRow>(stored));
  co_return row ? row->runs : 0;
}

Task<int64_t> RunLog::runsOfMonth(store::ProjectNo project, Timestamp at) {
  CO_RETURN_IF_ERROR(co_await flush());
  co_return co_await storedRuns({project, monthOf(at)});
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
    const Result<int64_t> stored = co_await storedRuns(month);
    endLoad(month, stored ? std::optional(*stored) : std::nullopt);
    if (!stored) co_return fail(stored.error().clone());
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
