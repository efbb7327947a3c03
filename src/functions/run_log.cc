#include "functions/run_log.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "functions/call_log.h"
#include "store/record_pages.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxDurations = 256;
constexpr size_t kMaxPendingBytes = 32 << 20;
constexpr auto kInterval = 1s;
// The statistics of a function are only written concurrently by another process, or by a deletion.
constexpr int kMaxAttempts = 20;

struct Figures {
  std::string id;  // the function's own
  int64_t logged = 0;
  int64_t runs = 0;
  int64_t errors = 0;
  int64_t timeouts = 0;
  std::vector<int64_t> durations;  // in milliseconds, oldest first
  std::optional<Timestamp> lastRunAt;
  static constexpr auto shape() {
    return doc::shape<Figures>("FunctionFigures", doc::field("id", &Figures::id),
                               doc::field("logged", &Figures::logged), doc::field("runs", &Figures::runs),
                               doc::field("errors", &Figures::errors), doc::field("timeouts", &Figures::timeouts),
                               doc::field("durations", &Figures::durations),
                               doc::field("lastRunAt", &Figures::lastRunAt));
  }
};

struct LoggedRun {
  std::string id;  // placeOf()
  int64_t seq = 0;
  RunView run;
  static constexpr auto shape() {
    return doc::shape<LoggedRun>("FunctionRunEntry", doc::field("id", &LoggedRun::id),
                                 doc::field("seq", &LoggedRun::seq), doc::field("run", &LoggedRun::run));
  }
};

struct StoredInput {
  std::string id;  // placeOf()
  std::string run;
  int64_t depth = 0;
  doc::Document event;
  static constexpr auto shape() {
    return doc::shape<StoredInput>("FunctionRunInput", doc::field("id", &StoredInput::id),
                                   doc::field("run", &StoredInput::run), doc::field("depth", &StoredInput::depth),
                                   doc::field("event", &StoredInput::event));
  }
};

std::string placeOf(const std::string& functionId, int64_t seq) {
  return fmt::format("{}/{:02}", functionId, seq % kMaxRuns);
}

store::CollectionRef in(store::ProjectNo project, store::CollectionNo collection) {
  return {project, collection, 0};
}

store::Deadline soon() {
  return std::chrono::steady_clock::now() + 10s;
}

store::WriteOptions asServer() {
  return {.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}};
}

size_t bytesOf(const RunLog::Logged& logged) {
  const RunView& run = logged.run;
  size_t bytes = sizeof logged + (run.result ? run.result->view().raw().size() : 0);
  bytes += (run.error ? run.error->size() : 0) + (logged.input ? logged.input->event.size() : 0);
  for (const RunLine& line : run.logs) bytes += sizeof line + line.message.size();
  if (run.calls) bytes += run.calls->size() * sizeof(RunCall) + kMaxCallBytes;
  return bytes;
}

template <class T>
void keepLast(T& items, size_t max) {
  if (items.size() > max) items.erase(items.begin(), items.end() - static_cast<ptrdiff_t>(max));
}

// By the nearest rank.
doc::Nullable<int64_t> percentile(std::vector<int64_t> values, size_t percent) {
  if (values.empty()) return {};
  const size_t rank = std::max<size_t>((values.size() * percent + 99) / 100, 1) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(rank));
  return {values[rank]};
}

}  // namespace

// ---- adding

void RunLog::add(RunOf of, RunView run, Counting counting, std::optional<RunInput> input,
                 std::optional<RunQuota::Permit> permit) {
  const std::scoped_lock lock(mutex_);
  ++added_;
  if (counting.metered) countNow({of.project, monthOf(run.startedAt)}, std::move(permit));
  Pending& pending = work_.functions[of.functionId];
  if (counting.counted) {
    if (ended_.size() < kMaxEndedProjects || ended_.contains(of.project)) ++ended_[of.project];
    ++pending.counted;
    if (run.status == "error") ++pending.errors;
    if (run.status == "timeout") ++pending.timeouts;
    pending.durations.push_back(run.durationMs);
    keepLast(pending.durations, kMaxDurations);
    pending.lastRunAt = run.startedAt;
  }
  pending.of = std::move(of);
  Logged logged{std::move(run), std::move(input)};
  if (work_.bytes + bytesOf(logged) > kMaxPendingBytes) {
    logged.run.logs.clear();
    logged.run.result.reset();
    logged.run.calls.reset();
    logged.input.reset();
  }
  // The run is counted, but not logged.
  if (work_.bytes + bytesOf(logged) > kMaxPendingBytes) return;
  work_.bytes += bytesOf(logged);
  pending.runs.push_back(std::move(logged));
  if (std::ssize(pending.runs) > kMaxRuns) {
    work_.bytes -= bytesOf(pending.runs.front());
    pending.runs.pop_front();
  }
}

std::unordered_map<store::ProjectNo, uint32_t> RunLog::takeEnded() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ended_, {});
}

void RunLog::join(Pending& older, Pending newer) {
  std::ranges::move(newer.runs, std::back_inserter(older.runs));
  keepLast(older.runs, kMaxRuns);
  std::ranges::move(newer.durations, std::back_inserter(older.durations));
  keepLast(older.durations, kMaxDurations);
  older.counted += newer.counted;
  older.errors += newer.errors;
  older.timeouts += newer.timeouts;
  if (newer.lastRunAt) older.lastRunAt = newer.lastRunAt;
}

// Puts unwritten work before the work that was added since. REQUIRES: mutex_ is held.
void RunLog::putBack(Work work) {
  for (auto& [id, newer] : work_.functions) {
    const auto [older, isNew] = work.functions.try_emplace(id);
    if (isNew) {
      older->second = std::move(newer);
    } else {
      join(older->second, std::move(newer));
    }
  }
  for (const auto& [month, runs] : work_.months) work.months[month] += runs;
  work.bytes = 0;
  for (const auto& [id, pending] : work.functions) {
    for (const Logged& each : pending.runs) work.bytes += bytesOf(each);
  }
  work_ = std::move(work);
}

// ---- writing

std::optional<RunLog::FlushBatch> RunLog::begin() {
  const std::scoped_lock lock(mutex_);
  if (writing_) return std::nullopt;
  writing_ = true;
  return FlushBatch{std::exchange(work_, {}), added_};
}

void RunLog::end(FlushBatch batch, bool written) {
  const std::scoped_lock lock(mutex_);
  writing_ = false;
  if (written) {
    written_ = batch.upTo;
  } else {
    putBack(std::move(batch.work));
  }
  for (Resumer<bool>& each : std::exchange(waiting_, {})) each.resume(true);
}

bool RunLog::holds(uint64_t wanted) const {
  const std::scoped_lock lock(mutex_);
  return written_ >= wanted;
}

uint64_t RunLog::added() const {
  const std::scoped_lock lock(mutex_);
  return added_;
}

void RunLog::awaitEnd(Resumer<bool> resumer) {
  const std::scoped_lock lock(mutex_);
  if (writing_) {
    waiting_.push_back(std::move(resumer));
  } else {
    resumer.resume(true);
  }
}

Task<> RunLog::flush() {
  const uint64_t wanted = added();
  while (!holds(wanted)) {
    std::optional<FlushBatch> batch = begin();
    if (!batch) {
      co_await suspend<bool>([this](Resumer<bool> resumer) { awaitEnd(std::move(resumer)); });
      continue;
    }
    Result<> done = co_await writeAll(batch->work);
    end(*std::move(batch), done.has_value());
    if (!done) co_return done;
  }
  co_return Result<>();
}

// Removes written items from `work`.
Task<> RunLog::writeAll(Work& work) {
  // The months first: limits depend on them, and entries of many functions take a while.
  while (!work.months.empty()) {
    const auto next = work.months.begin();
    CO_RETURN_IF_ERROR(co_await writeMonth(next->first, next->second));
    work.months.erase(next);
  }
  while (!work.functions.empty()) {
    const auto next = work.functions.begin();
    CO_RETURN_IF_ERROR(co_await write(next->second));
    work.functions.erase(next);
  }
  co_return Result<>();
}

Task<> RunLog::write(const Pending& pending) {
  co_return co_await store::retryWrite(kMaxAttempts,
                                       Error(ErrorCode::unavailable, "the run log is being written: try again"),
                                       [&] { return tryWrite(pending); });
}

Task<> RunLog::tryWrite(const Pending& pending) {
  const std::string& id = pending.of.functionId;
  CO_TRY(const auto stored, co_await store_.get(in(pending.of.project, kStats), id));
  CO_TRY(const std::optional<Figures> known, store::fromStore<Figures>(stored));
  const int64_t logged = known ? known->logged : 0;
  store::Write write(asServer());
  const store::Target figures = write.change(in(pending.of.project, kStats), id);
  const store::Target function = write.hold(in(pending.of.project, kFunctions), pending.of.name);
  std::vector<store::Target> entries;
  std::vector<store::Target> inputs;
  for (int64_t i = 0; i < std::ssize(pending.runs); ++i) {
    entries.push_back(write.change(in(pending.of.project, kRuns), placeOf(id, logged + i)));
    inputs.push_back(write.change(in(pending.of.project, kRunInputs), placeOf(id, logged + i)));
  }
  auto callback = [figures, function, logged, &entries = std::as_const(entries), &inputs = std::as_const(inputs),
                   &pending = std::as_const(pending)](const store::PreImages& before,
                                                      store::Changes& changes) -> Result<> {
    const RunOf& of = pending.of;
    if (!before[function] || before[function]->view().stringOr("functionId") != of.functionId) return {};
    TRY(std::optional<Figures> now, store::fromStore<Figures>(before[figures]));
    if ((now ? now->logged : 0) != logged) return fail(ErrorCode::retry, "other runs were logged concurrently");
    if (!now) now.emplace().id = of.functionId;
    now->logged += std::ssize(pending.runs);
    now->runs += pending.counted;
    now->errors += pending.errors;
    now->timeouts += pending.timeouts;
    now->durations.insert(now->durations.end(), pending.durations.begin(), pending.durations.end());
    keepLast(now->durations, kMaxDurations);
    if (pending.lastRunAt) now->lastRunAt = pending.lastRunAt;
    changes.put(figures, doc::encode(*now));
    for (size_t i = 0; i < entries.size(); ++i) {
      const int64_t seq = logged + static_cast<int64_t>(i);
      const std::string place = placeOf(of.functionId, seq);
      const auto& [run, input] = pending.runs[i];
      changes.put(entries[i], doc::encode(LoggedRun{place, seq, run}));
      if (input) {
        changes.put(inputs[i], doc::encode(StoredInput{place, run.id, input->depth, input->event}));
      } else {
        changes.remove(inputs[i]);
      }
    }
    return {};
  };
  CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

void RunLog::start(TaskGroup& tasks) {
  flushes_.start(cores_.at(0).get_executor(), tasks, {.interval = kInterval, .atStop = true},
                 [this] { return loggedFlush(); });
}

Async<void> RunLog::loggedFlush() {
  const Result<> done = co_await flush();
  if (!done && !flushFails_) logWarn("run log cannot be written; retrying", {{"error", done.error().message()}});
  flushFails_ = !done;
}

// ---- reading

namespace {

// All entries of a function, in no order.
Task<std::vector<LoggedRun>> entriesOf(store::DocumentStore& store, RunOf of) {
  CO_TRY(const auto found, co_await store::recordsWithPrefix(store, in(of.project, kRuns), of.functionId + "/"));
  co_return store::fromStore<LoggedRun>(found);
}

}  // namespace

Task<std::vector<RunView>> RunLog::list(RunOf of, int64_t limit) {
  CO_RETURN_IF_ERROR(co_await flush());
  CO_TRY(std::vector<LoggedRun> entries, co_await entriesOf(store_, std::move(of)));
  std::ranges::sort(entries, std::greater(), &LoggedRun::seq);
  std::vector<RunView> runs;
  for (LoggedRun& entry : entries) {
    if (std::ssize(runs) >= limit) break;
    runs.push_back(std::move(entry.run));
  }
  co_return runs;
}

Task<std::optional<RunLog::Logged>> RunLog::find(RunOf of, std::string id) {
  CO_RETURN_IF_ERROR(co_await flush());
  const store::ProjectNo project = of.project;
  CO_TRY(std::vector<LoggedRun> entries, co_await entriesOf(store_, std::move(of)));
  const auto entry = std::ranges::find(entries, id, [](const LoggedRun& each) { return each.run.id; });
  if (entry == entries.end()) co_return std::nullopt;
  Logged logged{std::move(entry->run), std::nullopt};
  CO_TRY(const auto stored, co_await store_.get(in(project, kRunInputs), entry->id));
  CO_TRY(std::optional<StoredInput> input, store::fromStore<StoredInput>(stored));
  // The place may have been written again since.
  if (input && input->run == id) logged.input = RunInput{input->depth, std::move(input->event)};
  co_return logged;
}

Task<std::vector<FunctionStats>> RunLog::stats(store::ProjectNo project, std::vector<RunOf> functions) {
  CO_RETURN_IF_ERROR(co_await flush());
  std::vector<std::string> ids;
  for (const RunOf& each : functions) ids.push_back(each.functionId);
  CO_TRY(const auto stored, co_await store_.getMany(in(project, kStats), std::move(ids)));
  std::vector<FunctionStats> all;
  for (size_t i = 0; i < functions.size(); ++i) {
    CO_TRY(std::optional<Figures> figures, store::fromStore<Figures>(stored[i]));
    FunctionStats& stats = all.emplace_back();
    stats.name = functions[i].name;
    if (!figures) continue;
    stats.runs = figures->runs;
    stats.errors = figures->errors;
    stats.timeouts = figures->timeouts;
    stats.p50Ms = percentile(figures->durations, 50);
    stats.p95Ms = percentile(figures->durations, 95);
    stats.lastRunAt = {figures->lastRunAt};
  }
  co_return all;
}

std::vector<store::WriteTarget> RunLog::allOf(store::ProjectNo project, const std::string& functionId) {
  std::vector<store::WriteTarget> targets{{in(project, kStats), functionId}};
  for (int64_t seq = 0; seq < kMaxRuns; ++seq) {
    targets.push_back({in(project, kRuns), placeOf(functionId, seq)});
    targets.push_back({in(project, kRunInputs), placeOf(functionId, seq)});
  }
  return targets;
}

}  // namespace mb::functions
