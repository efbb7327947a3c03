#include "jobs/store_leases.h"

#include <mutex>
#include <unordered_map>

#include "base/log.h"
#include "base/periodic_task.h"
#include "document/shape.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

constexpr store::CollectionRef kLeaseRows{store::kControlProject, kLeases, 0};
constexpr size_t kRemovedAtOnce = 100;
constexpr uint64_t kPage = 500;
// Releases that wait for their commit. Of further ones removeLeft() removes the records.
constexpr size_t kMaxReleased = 4096;
constexpr auto kRetryPause = 1s;
constexpr auto kRemoveLeftEvery = 1min;
constexpr auto kStopLimit = 3s;

struct LeaseRecord {
  std::string id;
  std::string holder;  // store::Peers::self()
  int64_t number = 0;  // of this taking of it, among those of the holder
  static constexpr auto shape() {
    return doc::shape<LeaseRecord>("Lease", doc::field("id", &LeaseRecord::id),
                                   doc::field("holder", &LeaseRecord::holder),
                                   doc::field("number", &LeaseRecord::number));
  }
};

store::WriteOptions writing() {
  store::WriteOptions options;
  options.deadline = std::chrono::steady_clock::now() + 10s;
  options.actor = {store::ActorKind::server, ""};
  return options;
}

// Takes the lease if it is free, or held by this process or by `ended`. Returns the holder; "" for this process.
Task<std::string> takeFrom(store::DocumentStore& store, LeaseRecord own, std::string ended) {
  store::Write write(writing());
  const store::Target row = write.change(kLeaseRows, own.id);
  auto callback = [row, own = std::move(own), ended = std::move(ended)](
                      const store::PreImages& before, store::Changes& changes) -> Result<std::string> {
    TRY(const std::optional<LeaseRecord> held, store::fromStore<LeaseRecord>(before[row]));
    const bool isFree = !held || held->holder == own.holder || held->holder == ended;
    if (!isFree) return held->holder;
    changes.put(row, doc::encode(own));
    return std::string();
  };
  co_return co_await store::writeReturning(store, std::move(write), std::move(callback));
}

// Removes those of the records that are still as they were.
Task<> removeRecords(store::DocumentStore& store, std::vector<LeaseRecord> records) {
  store::Write write(writing());
  std::vector<store::Target> rows;
  rows.reserve(records.size());
  for (const LeaseRecord& each : records) rows.push_back(write.change(kLeaseRows, each.id));
  auto callback = [rows = std::move(rows), records = std::move(records)](const store::PreImages& before,
                                                                         store::Changes& changes) -> Result<> {
    for (size_t i = 0; i < rows.size(); ++i) {
      TRY(const std::optional<LeaseRecord> held, store::fromStore<LeaseRecord>(before[rows[i]]));
      const bool same = held && held->holder == records[i].holder && held->number == records[i].number;
      if (same) changes.remove(rows[i]);
    }
    return {};
  };
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

store::Query pageBehind(const std::string& id) {
  store::Query query = store::queryOf(kLeaseRows, {}, kPage, store::readDeadline());
  query.paged = true;
  query.after = id;
  return query;
}

}  // namespace

store::SystemCollection leaseCollection() {
  return {.number = kLeases, .name = "__leases", .indexes = {}};
}

struct StoreLeases::Shared {
  Shared(store::DocumentStore& s, store::Peers& p, Executor h) : store(s), peers(p), home(std::move(h)) {}

  static Async<void> removeReleased(std::shared_ptr<Shared> self);
  std::vector<LeaseRecord> nextReleased();
  bool holds(const LeaseRecord& record);
  Task<> removeLeft();
  Async<void> loggedRemoveLeft();

  store::DocumentStore& store;
  store::Peers& peers;
  const Executor home;
  TaskGroup tasks;
  PeriodicTask passes;
  std::atomic<bool> stopping = false;
  std::mutex mutex;
  int64_t lastNumber = 0;
  std::unordered_map<std::string, int64_t> held;  // with their numbers; bounded by the number of holders of leases
  std::vector<LeaseRecord> released;              // at most kMaxReleased
  bool removing = false;                          // removeReleased() runs
};

// The next ones to remove. Empty at the end of the removal.
std::vector<LeaseRecord> StoreLeases::Shared::nextReleased() {
  const std::lock_guard lock(mutex);
  const size_t count = std::min(released.size(), kRemovedAtOnce);
  if (count == 0) removing = false;
  const auto end = released.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<LeaseRecord> next(std::make_move_iterator(released.begin()), std::make_move_iterator(end));
  released.erase(released.begin(), end);
  return next;
}

Async<void> StoreLeases::Shared::removeReleased(std::shared_ptr<Shared> self) {
  for (auto next = self->nextReleased(); !next.empty(); next = self->nextReleased()) {
    Result<> removed = co_await removeRecords(self->store, next);
    while (!removed && !self->stopping) {
      co_await sleepFor(kRetryPause);
      removed = co_await removeRecords(self->store, next);
    }
  }
}

bool StoreLeases::Shared::holds(const LeaseRecord& record) {
  const std::lock_guard lock(mutex);
  const auto found = held.find(record.id);
  return found != held.end() && found->second == record.number;
}

Task<> StoreLeases::Shared::removeLeft() {
  std::string last;
  while (!stopping) {
    CO_TRY(const store::QueryResult page, co_await store.find(pageBehind(last)));
    CO_TRY(std::vector<LeaseRecord> records, store::fromStore<LeaseRecord>(page.documents));
    if (records.empty()) break;
    last = records.back().id;
    const bool whole = records.size() < kPage;
    std::erase_if(records, [this](const LeaseRecord& each) {
      return each.holder == peers.self() ? holds(each) : peers.isAlive(each.holder);
    });
    for (size_t at = 0; at < records.size(); at += kRemovedAtOnce) {
      const auto from = records.begin() + static_cast<std::ptrdiff_t>(at);
      const auto to = records.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRemovedAtOnce, records.size()));
      CO_RETURN_IF_ERROR(co_await removeRecords(store, std::vector<LeaseRecord>(from, to)));
    }
    if (whole) break;
  }
  co_return Result<>();
}

Async<void> StoreLeases::Shared::loggedRemoveLeft() {
  const Result<> done = co_await removeLeft();
  if (!done) logWarn("leases of ended servers not removed; retried in a minute", {{"problem", done.error().message()}});
}

StoreLeases::StoreLeases(store::DocumentStore& store, store::Peers& peers, Executor home)
    : shared_(std::make_shared<Shared>(store, peers, std::move(home))) {}

StoreLeases::~StoreLeases() {
  StoreLeases::stop();
}

Async<bool> StoreLeases::take(std::string id) {
  const auto shared = shared_;
  LeaseRecord own{id, shared->peers.self(), 0};
  {
    // Before the write, so that removeLeft() keeps the record.
    const std::lock_guard lock(shared->mutex);
    own.number = ++shared->lastNumber;
    shared->held[id] = own.number;
  }
  auto holder = co_await takeFrom(shared->store, own, "");
  const bool ended = holder && !holder->empty() && !shared->peers.isAlive(*holder);
  if (ended) holder = co_await takeFrom(shared->store, own, *holder);
  if (holder && holder->empty()) co_return true;
  const std::lock_guard lock(shared->mutex);
  shared->held.erase(id);
  co_return false;
}

void StoreLeases::release(const std::string& id) {
  {
    const std::lock_guard lock(shared_->mutex);
    const auto taken = shared_->held.extract(id);
    if (!taken || shared_->released.size() >= kMaxReleased) return;
    shared_->released.push_back({id, shared_->peers.self(), taken.mapped()});
    if (std::exchange(shared_->removing, true)) return;
  }
  shared_->tasks.spawn(shared_->home, Shared::removeReleased(shared_));
}

void StoreLeases::notify(const std::vector<std::string>& /*jobIds*/) {
  shared_->peers.wakeOthers();
}

std::shared_ptr<void> StoreLeases::listen(std::function<void(std::vector<std::string>)> listener) {
  return shared_->peers.listenForWakes([listener = std::move(listener)] { listener({}); });
}

void StoreLeases::start() {
  shared_->passes.start(shared_->home, shared_->tasks, {.interval = kRemoveLeftEvery},
                        [shared = shared_.get()] { return shared->loggedRemoveLeft(); });
}

void StoreLeases::stop() {
  if (shared_->stopping.exchange(true)) return;
  shared_->passes.stop();
  if (!shared_->tasks.closeAndWait(kStopLimit)) logWarn("some leases were not released; they end with this process");
}

Task<> StoreLeases::removeLeft() {
  return shared_->removeLeft();
}

}  // namespace mb::jobs
