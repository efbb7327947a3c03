// The queue, inside. Everything but what is marked otherwise belongs to the queue's own core, core 0; runs happen on
// all cores and report there.
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

// Rows whose `path` is `from` or behind it and before `end`, ascending, at most `limit`: fewer where their payloads are
// large, but at least one where there is one. With `whole` false there may be more.
struct Page {
  std::vector<doc::Document> rows;
  bool whole = true;
};
Task<Page> rowsBetween(store::DocumentStore& store, std::string_view path, std::string from, std::string end,
                       uint64_t limit);
// The first text behind `place` alone.
std::string next(std::string place);

struct KindState;

// What stands in memory of a job: its row is read again when it runs.
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
  // How many of a group may run now.
  size_t limitOf(const std::string& project, const std::string& group) const;

  const Kind kind;
  FairQueue<Entry> line;
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
    postponed,  // another process runs it, the store did not answer, or the queue stops: the sweep finds it again
    suspended,  // its project is: the row stays as it is
  } how = How::postponed;
  Timestamp dueAt = {};
  bool failed = false;
  bool overdue = false;  // the handler still runs and keeps its place
  bool another = false;  // of `gone`: another job stands under the id
};

struct Queue::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(QueueDeps d);

  // ---- any thread
  Result<Row> rowOf(JobSpec spec);
  KindState* kindOf(const std::string& name) const;
  void announce(std::vector<std::string> ids);
  // Until it is announced, so that it need not be read then.
  void remember(const Row& row);
  std::optional<Row> remembered(const std::string& id);
  bool stop(std::chrono::milliseconds limit);

  // ---- queue_loop.cc
  static Async<void> loop(std::shared_ptr<Impl> self);
  Async<void> takeAnnounced();
  Async<void> readAnnounced(std::vector<std::string> ids);
  Async<void> takeChains();
  // Takes the job into memory, or the first of its chain. Where there is no use in reading on, a prefix: what stands
  // behind places that begin with it is next.
  Async<std::optional<std::string>> offer(Row row);
  std::optional<std::string> take(Row row);
  // The first of the chain from there on.
  Async<void> takeHead(std::string chain, std::string from);
  // A retry, which had a place before its run.
  void tryAgain(Entry entry, Timestamp dueAt);
  // With a place taken: until it is due, or its turn comes.
  void wait(Entry entry);
  void forget(const Entry& entry);
  void offerDelayed();
  void startRuns();
  Async<void> rest();
  void look();  // ends the rest

  // ---- queue_sweep.cc
  struct Walk {
    std::string at;  // "": at the end
    size_t pages = 0;
    bool failed = false;  // the store did not answer
  };
  Async<Walk> walk(std::string prefix, std::string from, size_t pages);
  Async<void> sweep();
  Async<void> fill();

  // ---- queue_run.cc
  void begin(Entry entry);
  void onEnded(const Entry& entry, const Ended& ended);
  void freePlace(const Entry& entry);
  // The rest on the core of the run.
  struct Attempt;
  static Async<void> runOne(std::shared_ptr<Impl> self, Entry entry);
  static Async<void> runHandler(std::shared_ptr<Impl> self, std::shared_ptr<Attempt> attempt, JobRun run);
  Async<Ended> attempt(Entry entry);
  Result<doc::Document> payloadOf(const Row& row) const;
  Result<JobRun> jobRun(const Row& row, const Kind& kind) const;
  Async<Ended> settle(Row row, const KindState& kind, Result<> result);
  Ended afterFailure(Row& row, const KindState& kind, const Error& error) const;

  // ---- queue_suspension.cc
  // Any core.
  Task<bool> isSuspended(store::ProjectNo project);
  // Without the store: nullopt where the state was not read since it may have changed.
  std::optional<bool> knownSuspended(store::ProjectNo project);
  // The next turn of the loop compares what is in memory of the project with its state.
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
  std::mutex madeMutex;
  std::unordered_map<std::string, Row> made;  // without payloads, at most kMaxMade
  std::deque<std::string> madeInOrder;
  struct ProjectState {
    uint64_t epoch = 0;
    bool suspended = false;
  };
  static constexpr size_t kMaxStates = 4096;
  std::mutex statesMutex;
  LruCache<ProjectState> states{kMaxStates};  // by project number

  asio::steady_timer timer;
  bool again = false;                              // something came up since the last look
  std::vector<std::string> announced;              // at most kMaxAnnounced
  std::unordered_set<store::ProjectNo> toRecheck;  // at most kMaxStates
  std::unordered_set<std::string> known;           // ids in memory or running
  std::unordered_set<std::string> running;         // of these, those that run
  // Chains whose first job is not in memory any more, and from where in them to look for the next: behind what is done.
  std::unordered_map<std::string, std::string> chainsToLook;
  struct ChainHead {
    std::string seq;       // of the job that is in memory or runs
    bool more = false;     // others were seen
    bool earlier = false;  // and one that was made before it
  };
  std::unordered_map<std::string, ChainHead> chains;
  BufferedJobs buffered;
  std::multimap<Timestamp, Entry> delayed;
  std::string sweepKind;                   // where the sweep goes on; "" at its beginning
  std::string sweepCursor;                 // and at which place of that kind
  std::chrono::milliseconds sweepTook{0};  // of the pass under way
  std::chrono::steady_clock::time_point nextSweep;
  std::chrono::steady_clock::time_point nextTrim;
  bool sweepAnew = false;  // from the beginning, at once
  size_t nextCore = 0;
};

}  // namespace mb::jobs
