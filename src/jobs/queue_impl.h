// The queue, inside. Everything but what is marked otherwise belongs to the queue's own core, core 0; runs happen on
// all cores and report there.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <unordered_set>

#include "base/fair_line.h"
#include "base/task_group.h"
#include "jobs/jobs.h"
#include "jobs/leases.h"
#include "jobs/row.h"

namespace mb::jobs {

inline constexpr store::CollectionRef kRows{store::kControlProject, kJobs, 0};
store::Deadline storeDeadline();
store::WriteOptions asServer();

struct KindState;

// What stands in memory of a job: its row is read again when it runs.
struct Entry {
  KindState* kind = nullptr;
  std::string id;
  std::string seq;
  store::ProjectNo project = 0;
  std::string chain;
  Timestamp dueAt;

  LineKeys keys() const { return {std::to_string(project), chain}; }
};

struct KindState {
  explicit KindState(Kind declared);

  const Kind kind;
  FairLine<Entry> line;
  // Any thread.
  std::atomic<uint64_t> queued = 0;
  std::atomic<uint64_t> running = 0;
  std::atomic<uint64_t> completed = 0;
  std::atomic<uint64_t> failed = 0;
  std::atomic<uint64_t> dead = 0;
};

// How one attempt ended.
struct Ended {
  enum class How {
    completed,
    retried,  // due again at `dueAt`
    dead,
    gone,       // nothing was to do: cancelled, done elsewhere, not due any more
    postponed,  // the store did not answer, or the queue stops: the sweep finds it again
  } how = How::postponed;
  Timestamp dueAt = {};
  bool failed = false;
  bool overdue = false;  // the handler still runs and keeps its place
};

struct Queue::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(QueueDeps d);

  // ---- any thread
  Result<Row> rowOf(JobSpec spec);
  KindState* kindOf(const std::string& name) const;
  void announce(std::vector<std::string> ids);
  bool stop(std::chrono::milliseconds limit);

  // ---- queue_loop.cc
  static Async<void> loop(std::shared_ptr<Impl> self);
  Async<void> takeAnnounced();
  Async<void> takeChains();
  Async<void> sweep();
  void offer(Row row);
  void take(Row row);
  Task<std::optional<Row>> headOf(std::string chain);
  void enter(Entry entry);
  void offerDelayed();
  void startRuns();
  Async<void> rest();
  void look();  // ends the rest
  size_t queuedNow() const;

  // ---- queue_run.cc
  void begin(Entry entry);
  void onEnded(const Entry& entry, const Ended& ended);
  void freePlace(const Entry& entry);
  // The rest on the core of the run.
  struct Attempt;
  static Async<void> runOne(std::shared_ptr<Impl> self, Entry entry);
  static Async<void> runHandler(std::shared_ptr<Impl> self, std::shared_ptr<Attempt> attempt, JobRun run);
  Async<Ended> attempt(Entry entry);
  Result<JobRun> jobRun(const Row& row, const Kind& kind) const;
  Async<Ended> settle(Row row, const KindState& kind, Result<> result);
  Ended afterFailure(Row& row, const KindState& kind, const Error& error) const;

  // ---- dead_letters.cc
  Async<void> trimDead();
  Task<size_t> removeDead(std::string below, uint64_t limit);

  const QueueDeps deps;
  const Executor home;
  LocalLeases leases;
  TaskGroup tasks;
  std::map<std::string, std::unique_ptr<KindState>> kinds;  // complete before start()
  std::atomic<bool> stopping = false;

  asio::steady_timer timer;
  bool again = false;                            // something came up since the last look
  std::vector<std::string> announced;            // at most kMaxAnnounced
  std::unordered_set<std::string> chainsToLook;  // whose first job may not be in memory
  std::unordered_set<std::string> known;         // ids in memory or running
  std::unordered_set<std::string> chains;        // with a job in memory or running
  std::multimap<Timestamp, Entry> delayed;
  std::string cursor;  // place where the sweep goes on; "" at its beginning
  bool more = false;   // the store holds due jobs that had no room
  size_t pagesOfPass = 0;
  std::chrono::steady_clock::time_point nextSweep;
  std::chrono::steady_clock::time_point nextTrim;
  size_t nextCore = 0;
};

}  // namespace mb::jobs
