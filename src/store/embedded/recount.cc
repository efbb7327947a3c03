#include "store/embedded/recount.h"

#include "base/log.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr std::chrono::minutes kRecountLimit{10};
// Between attempts while another recount runs, or the commit queue is full.
constexpr std::chrono::milliseconds kRecountPause{50};
// The corrections of one commit, and those of a project that are logged one by one.
constexpr size_t kCorrectionBatch = 1000;
constexpr size_t kMaxLoggedCorrections = 100;

std::unexpected<Error> recountStopped() {
  return fail(ErrorCode::unavailable, "the recount of counters was stopped");
}

// Owns the flag of a running recount.
class RecountHold {
 public:
  explicit RecountHold(std::atomic<bool>& flag) : flag_(flag) {}
  RecountHold(const RecountHold&) = delete;
  RecountHold& operator=(const RecountHold&) = delete;
  ~RecountHold() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

void logCorrections(ProjectNo project, const CounterRecount& recount) {
  for (const CounterCorrection& each :
       std::span(recount.corrections).first(std::min(recount.corrections.size(), kMaxLoggedCorrections))) {
    logWarn("a counter differed from its documents and was corrected", {{"project", project},
                                                                        {"counter", each.name},
                                                                        {"group", each.counter.group},
                                                                        {"was", each.was},
                                                                        {"is", each.is}});
  }
  logInfo("the counters of a project were corrected",
          {{"project", project}, {"counters", recount.counters}, {"corrections", recount.corrections.size()}});
}

}  // namespace

Recount::Recount(Database& database, const Catalogue& catalogue, ProjectNo project, std::function<bool()> ended)
    : database_(database), catalogue_(catalogue), project_(project), ended_(std::move(ended)) {
  for (const auto& [_, schema] : catalogue.systemCollections()) {
    if (!schema->counters.empty()) counted_.push_back(schema);
  }
}

bool Recount::run(const std::function<bool()>& expired) {
  Result<bool> all = read(expired);
  if (all && !*all) return false;
  if (!all) outcome_ = fail(std::move(all).error());
  snapshot_.reset();
  return true;
}

Result<bool> Recount::read(const std::function<bool()>& expired) {
  if (!snapshot_) {
    snapshot_.emplace(database_.db());
    RETURN_IF_ERROR(readRows());
  }
  rocksdb::ReadOptions options = Database::reading(Tier::disk);
  options.snapshot = snapshot_->get();
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(database_.db().NewIterator(options, database_.family(Family::documents)));
  for (; reading_ < counted_.size(); ++reading_, from_.clear()) {
    const Schema& schema = *counted_[reading_];
    const std::string prefix = rangePrefix(project_, schema.number);
    for (at->Seek(from_.empty() ? prefix : from_); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      if (ended_()) return recountStopped();
      addCounted(schema.counters, project_, doc::DocumentView(view(at->value())), sums_);
      if (!expired()) continue;
      // The smallest key after this one.
      from_ = view(at->key());
      from_ += '\0';
      return false;
    }
    if (!at->status().ok()) return fail(readError(at->status()));
  }
  return true;
}

Result<> Recount::readRows() {
  rocksdb::ReadOptions options = Database::reading(Tier::disk);
  options.snapshot = snapshot_->get();
  const std::string prefix = row::of(row::kCounter, project_);
  const std::unique_ptr<rocksdb::Iterator> at(database_.db().NewIterator(options, database_.family(Family::system)));
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::optional<CounterKey> key = counterOfRow(view(at->key()));
    if (!key || at->value().size() != sizeof(uint64_t)) return fail(ErrorCode::internal, "a counter row is corrupt");
    if (!catalogue_.counterName(key->counter).empty())
      stored_[*key] = static_cast<int64_t>(readU64(at->value().data()));
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  return {};
}

Result<CounterRecount> Recount::result() {
  RETURN_IF_ERROR(std::move(outcome_));
  CounterRecount recount;
  const auto compare = [&](const CounterKey& key, int64_t was, int64_t is) {
    ++recount.counters;
    if (was != is) recount.corrections.push_back({key, catalogue_.counterName(key.counter), was, is});
  };
  for (const auto& [key, was] : stored_) {
    const auto sum = sums_.extract(key);
    compare(key, was, sum ? sum.mapped() : 0);
  }
  for (const auto& [key, is] : sums_) compare(key, 0, is);
  return recount;
}

// ---- the engine

Task<CounterRecount> Engine::recountCounters(ProjectNo project, RecountOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  const Deadline deadline =
      options.deadline == Deadline() ? std::chrono::steady_clock::now() + kRecountLimit : options.deadline;
  const std::function<bool()> ended = [this, deadline, stop = options.stop] {
    return gate_.closed() || (stop && stop->load(std::memory_order_relaxed)) ||
           std::chrono::steady_clock::now() >= deadline;
  };
  // Two recounts of a project would correct the same difference twice.
  while (recounting_.exchange(true)) {
    if (ended()) co_return recountStopped();
    co_await sleepFor(kRecountPause);
  }
  const RecountHold running(recounting_);
  const auto exists = [this, project] {
    const ProjectState* state = catalogue_.project(project);
    return state && !state->dead;
  };
  if (!exists()) co_return fail(ErrorCode::notFound, "no such project");
  Recount recount(*database_, catalogue_, project, ended);
  const bool read = co_await scanPool_->run(
      project, [&recount](const std::function<bool()>& expired) { return recount.run(expired); });
  if (!read && ended()) co_return recountStopped();
  if (!read) co_return fail(ErrorCode::unavailable, "too many scans wait: try again");
  CO_TRY(CounterRecount counted, recount.result());
  // The sweeper removes files of a dropped project, whatever snapshots there are.
  if (!exists()) co_return fail(ErrorCode::notFound, "no such project");
  if (!options.correct || counted.corrections.empty()) co_return counted;
  CO_RETURN_IF_ERROR(co_await applyCorrections(project, counted.corrections, ended));
  logCorrections(project, counted);
  co_return counted;
}

Task<> Engine::applyCorrections(ProjectNo project, std::span<const CounterCorrection> corrections,
                                const std::function<bool()>& ended) {
  while (!corrections.empty()) {
    const auto batch = corrections.first(std::min(corrections.size(), kCorrectionBatch));
    Commit commit;
    commit.project = catalogue_.project(project);
    commit.priority = WritePriority::low;
    for (const CounterCorrection& each : batch) {
      commit.counters.push_back({catalogue_.counters.of(each.counter), each.is - each.was});
      commit.bytes += counterRow(each.counter).size() + sizeof(uint64_t);
    }
    const Result<> committed = co_await this->commit(commit, {});
    if (committed) {
      corrections = corrections.subspan(batch.size());
      continue;
    }
    if (committed.error().code() != ErrorCode::unavailable || ended()) co_return fail(committed.error().clone());
    co_await sleepFor(kRecountPause);
  }
  co_return Result<>();
}

}  // namespace mb::store::embedded
