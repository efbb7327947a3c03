// The implementation of Queue. All members belong to the queue's own core, core 0, unless marked otherwise; runs happen
// on all cores and report to core 0.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "base/fair_queue.h"
#include "base/lru_cache.h"
#include "base/task_group.h"
#include "jobs/buffered_jobs.h"
#include "jobs/jobs.h"

namespace mb::jobs {

inline constexpr store::CollectionRef kRows{store::kControlProject, kJobs, 0};
store::Deadline storeDeadline();
store::WriteOptions asServer();

// Rows whose `path` is in [from, end), ascending, at most `limit`: fewer if their payloads are large, but at least one
// if one exists. With `whole` false there may be more.
struct Page {
  std::vector<doc::Document> rows;
  bool whole = true;
};
Task<Page> rowsBetween(store::DocumentStore& store, std::string_view path, std::string from, std::string end,
                       uint64_t limit);
// The smallest text above `place`.
std::string next(std::string place);

struct KindState;

// A job in memory. Its row is read again when it runs.
struct Entry {
  KindState* kind = nullptr;
  std::string id;
  std::string seq;
  store::ProjectNo project = 0;
  std::string group;
  FairnessKey fairnessKey;
  std::string chain;
  Timestamp dueAt;

  LineKeys keys() const { return {std::to_string(project), chain, group}; }
};

struct KindState {
  explicit KindState(Kind declared);
  // How many jobs of a group may run now.
  size_t limitOf(const std::string& project, const std::string& group) const;

  const Kind kind;
  FairQueue<Entry> queue;
  // Any thread.
  std::atomic<uint64_t> queued = 0;
  std::atomic<uint64_t> running = 0;
  std::atomic<uint64_t> completed = 0;
  std::atomic<uint64_t> failed = 0;
  std::atomic<uint64_t> dead = 0;
};

// How one attempt ended.
struct AttemptEnd {
  enum class Outcome {
    completed,
    retried,  // due again at `dueAt`
    dead,
    obsolete,   // nothing to do: cancelled, completed elsewhere, or not due any more
    postponed,  // another process runs it, the store failed, or the queue stops: the sweep finds it again
    suspended,  // its project is suspended: the row stays as it is
  } outcome = Outcome::postponed;
  Timestamp dueAt = {};
  bool failed = false;
  bool overdue = false;  // the handler still runs and keeps its slot
  bool another = false;  // of `obsolete`: another job is stored under the id
};

struct Queue::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(QueueDeps d);

  // ---- any thread
  Result<Row> rowOf(JobSpec spec);
  KindState* kindOf(const std::string& name) const;
  void announce(std::vector<std::string> ids);
  // Caches a created row until it is announced, so that it need not be read then.
  void remember(const Row& row);
  std::optional<Row> remembered(const std::string& id);
  bool stop(std::chrono::milliseconds limit);

  // ---- queue_loop.cc
  static Async<void> loop(std::shared_ptr<Impl> self);
  Async<void> takeAnnounced();
  Async<void> readAnnounced(std::vector<std::string> ids);
  Async<void> takeChains();
  // Takes the job into memory, or the first of its chain. If the rest of a part cannot be taken, returns the prefix of
  // the part's places: the caller skips all places that begin with it.
  Async<std::optional<std::string>> offer(Row row);
  std::optional<std::string> take(Row row);
  // Takes the first job of the chain at or after `from`.
  Async<void> takeHead(std::string chain, std::string from);
  // Keeps a job for its retry, regardless of the bounds of `buffered`: it was counted there before its run.
  void requeue(Entry entry, Timestamp dueAt);
  // Adds a job, counted in `buffered`, to `delayed` or to its kind's queue.
  void enqueue(Entry entry);
  void forget(const Entry& entry);
  void offerDelayed();
  void startRuns();
  Async<void> waitForWork();
  void wakeLoop();  // ends waitForWork()

  // ---- queue_sweep.cc
  struct Walk {
    std::string at;  // "": at the end
    size_t pages = 0;
    bool failed = false;  // the store failed
  };
  Async<Walk> walk(std::string prefix, std::string from, size_t pages);
  Async<void> sweep();
  Async<void> fill();

  // ---- queue_run.cc
  void begin(Entry entry);
  void onAttemptEnd(const Entry& entry, const AttemptEnd& end);
  void releaseSlot(const Entry& entry);
  // The following on the core of the run.
  struct Attempt;
  static Async<void> runOne(std::shared_ptr<Impl> self, Entry entry);
  static Async<void> runHandler(std::shared_ptr<Impl> self, std::shared_ptr<Attempt> attempt, JobRun run);
  Async<AttemptEnd> attempt(Entry entry);
  Result<doc::Document> payloadOf(const Row& row) const;
  void setPayload(Row& row, doc::Document payload) const;
  Result<JobRun> jobRun(const Row& row, const Kind& kind) const;
  // What a handler has set for its success.
  struct OnSuccess {
    std::optional<Repetition> repetition = {};
    std::optional<ExtraChanges> extraChanges = {};
  };
  Async<AttemptEnd> finishAttempt(Row row, const KindState& kind, Result<> result, OnSuccess onSuccess);
  // Removes or stores the row, with the extra changes (null for none). False, and nothing is written, if the stored row
  // is not in the state `began` any more: cancelled, replaced, or changed by an attempt of another process.
  Task<bool> writeEnd(const Row& row, const RowState& began, bool removes, const ExtraChanges* extra);
  // Notifies the owner of the extra changes of their commit.
  Task<bool> writeEndWith(const Row& row, const RowState& began, bool removes, std::optional<ExtraChanges> extra);
  AttemptEnd afterFailure(Row& row, const KindState& kind, const Error& error) const;

  // ---- queue_suspension.cc
  // Any core.
  Task<bool> isSuspended(store::ProjectNo project);
  // Reads no store: nullopt if the cached state may be stale.
  std::optional<bool> knownSuspended(store::ProjectNo project);
  // Has the next iteration of the loop unload or reload the project's jobs, according to its state.
  void recheck(store::ProjectNo project);
  Async<void> recheckProjects();
  // Removes a suspended project's jobs from memory.
  void unload(store::ProjectNo project);
  // Reads an active project's jobs from the store.
  void reload(store::ProjectNo project);

  // ---- dead_letters.cc
  Async<void> trimDead();
  Task<size_t> removeDead(std::string below, uint64_t limit);
  Task<bool> changeDead(std::string id, std::vector<store::Insert> extraInserts, bool retry);

  // ---- queue_group.cc
  Async<std::unordered_set<std::string>> idsRunning();

  const QueueDeps deps;
  const Executor home;
  TaskGroup tasks;
  std::map<std::string, std::unique_ptr<KindState>> kinds;  // complete before start()
  std::atomic<bool> stopping = false;
  std::shared_ptr<void> listening;  // to other processes
  std::mutex createdMutex;
  std::unordered_map<std::string, Row> created;  // without payloads, at most kMaxCreated
  std::deque<std::string> createdInOrder;
  struct ProjectState {
    uint64_t epoch = 0;
    bool suspended = false;
  };
  static constexpr size_t kMaxStates = 4096;
  std::mutex statesMutex;
  LruCache<ProjectState> states{kMaxStates};  // by project number

  asio::steady_timer timer;
  bool again = false;                              // work arrived since the loop's last iteration began
  std::vector<std::string> announced;              // at most kMaxAnnounced
  std::unordered_set<store::ProjectNo> toRecheck;  // at most kMaxStates
  std::unordered_set<std::string> known;           // ids in memory or running
  std::unordered_set<std::string> running;         // of these, those that run
  // Chains whose first job is not in memory any more, and where to scan for the next: after the completed ones.
  std::unordered_map<std::string, std::string> chainsToScan;
  struct ChainHead {
    std::string seq;       // of the job that is in memory or runs
    bool more = false;     // other jobs of the chain were seen
    bool earlier = false;  // and one that was created before it
  };
  std::unordered_map<std::string, ChainHead> chains;
  BufferedJobs buffered;
  std::multimap<Timestamp, Entry> delayed;
  std::string sweepKind;                   // where the sweep continues; "" at its beginning
  std::string sweepCursor;                 // and at which place of that kind
  std::chrono::milliseconds sweepTook{0};  // of the pass under way
  std::chrono::steady_clock::time_point nextSweep;
  std::chrono::steady_clock::time_point nextTrim;
  bool restartSweep = false;  // from the beginning, at once
  size_t nextCore = 0;
};

}  // namespace mb::jobs
