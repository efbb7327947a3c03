// The one durable queue: what is to be done later, at least once, whatever happens to the process.
//
// A job is a row of a system collection of the control project, so any module puts it into its own commit:
//
//   CO_TRY(store::Insert job, queue.insertOf({.kind = "mail", .project = realm.number, .payload = mail}));
//   std::string id = job.id();
//   write.insert(std::move(job));
//   ... co_await store.write(std::move(write), ...) ...
//   queue.wake({std::move(id)});  // after the commit; without it a sweep finds the job in seconds
//
// The row goes with the job's completion, never with its hand-over. Who runs a job holds its lease (leases.h); a crash
// loses the lease, and the job is offered again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/task.h"
#include "jobs/leases.h"
#include "store/sealed_fields.h"
#include "store/store.h"

namespace mb::jobs {

// Numbers 70 to 79 of the system collections belong to this module; all its rows stand in the control project.
inline constexpr store::CollectionNo kJobs = 70;
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

// A whole document of a user's, and what a consumer says of it.
inline constexpr size_t kMaxPayloadBytes = 1280 << 10;

// Every member has a default, so that a job can be written as {.kind = ..., .payload = ...}.
struct JobSpec {
  std::string kind = {};  // of a declared Kind
  store::ProjectNo project = store::kControlProject;
  // "": one is made. A given id (1 to 200 characters) deduplicates: see put() and insertOf().
  std::string id = {};
  doc::Document payload = {};  // at most kMaxPayloadBytes
  // Seals the payload under the master secret: for what must not be read from the disk, such as one-time tokens.
  bool sealed = false;
  std::optional<Timestamp> notBefore = {};
  // At most 200 characters, none of them control. Jobs of one kind, project and key run one after another, in the order
  // of their making; one that waits for its retry holds back those behind it. "": no order.
  std::string orderKey = {};
  // At most 200 characters, none of them control. What shares a fate, such as the deliveries to one receiver: bounded
  // by Kind::perGroup, so that one that is slow or dead takes no turn from the others. "": bounded by the project
  // alone.
  std::string group = {};
  // Above zero: after completion (or the last failed attempt) the job is due again, at its first time and so many times
  // this after it; what of these has passed by then is left out.
  std::chrono::milliseconds repeatEvery{0};
};

// What a handler gets.
struct JobRun {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  doc::Document payload;  // unsealed
  int attempt = 1;        // 1 is the first
  bool last = false;      // no attempt follows a failure of this one
  Timestamp createdAt;
  store::Deadline deadline;  // the run is given up then
};
// An error ends the attempt; its message and cause are kept with the job, so they hold no secret. At least once: a
// handler may meet a job again whose work it has done. projectSuspended from a job of a suspended project counts as no
// attempt: the job waits for the resume.
using Handler = std::function<Task<>(JobRun)>;

struct Kind {
  std::string name;
  Handler handler;
  // Pauses between attempts; its size + 1 is the number of attempts.
  std::vector<std::chrono::milliseconds> backoff;
  // A run that takes longer counts as failed and is offered again; until it really ends it keeps its place in
  // `concurrency`. Handlers keep their own waits below it.
  std::chrono::milliseconds timeout{30'000};
  int concurrency = 8;  // runs of this kind at a time
  int perProject = 4;   // of these, runs of one project; projects take turns, and in each the groups
  int perGroup = 4;     // and of these, runs of one group
  // How many of a group may run now, in place of perGroup; 0 for none. Asked as turns come up, on the queue's core;
  // must return at once. Each end of a run has it asked again. Unset: perGroup.
  std::function<int(store::ProjectNo project, const std::string& group)> groupLimit;
  // Whether an error makes further attempts pointless. Unset: never.
  std::function<bool(const Error&)> isFinal;
};

struct KindStats {
  std::string kind;
  uint64_t queued = 0;     // in memory, due or due soon
  uint64_t running = 0;    // runs that have not ended, overdue ones included
  uint64_t completed = 0;  // since the start
  uint64_t failed = 0;     // attempts
  uint64_t dead = 0;       // jobs given up
};

// What a group has in the store: jobs that wait or run, and the bytes of their rows.
struct GroupLoad {
  uint64_t jobs = 0;
  uint64_t bytes = 0;
};

struct WaitingJob {
  std::string id;
  doc::Document payload;  // unsealed
  int failedAttempts = 0;
  Timestamp createdAt;
};

// A job that was given up. Its payload is nobody's to see.
struct DeadJob {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  int attempts = 0;
  std::string error;  // of the last
  Timestamp createdAt;
  Timestamp failedAt;
};

struct QueueDeps {
  store::DocumentStore& store;
  Cores& cores;
  IdGenerator& ids;
  const Clock& clock;
  const MasterSecret& master;
  // What processes on one store share; null where this is the only one. Outlives the queue.
  Leases* leases = nullptr;
  // Whether a project is suspended. The queue caches the result for as long as the project's epoch stays the same.
  // Unset: no project is. Any core.
  std::function<Task<bool>(store::ProjectNo)> isSuspended = {};
};

// In memory stand at most 1,024 jobs of a kind that are due or due within a minute: 256 of one project, 64 of one
// group; retries come on top, as many as may run at a time. All others wait in the store until there is room for them.
// Jobs given up stay in the store for 7 days, 10,000 at most.
//
// Jobs of a suspended project wait in the store, none of them in memory, with the attempts that they have left. Those
// of a deleted project run, since its deletion ends a suspension. The control project is never suspended.
class Queue {
 public:
  explicit Queue(QueueDeps deps);
  // After stop(); handlers that outlived it must have ended, or their cores been joined.
  ~Queue();

  // Before start().
  void declare(Kind kind);
  // Begins to run jobs, those of earlier runs of the server too. Handlers run on all cores, in turn.
  void start();

  // The job as an insert of the caller's write; its id is what wake() takes. With an id of the caller's a job that is
  // there already stays as it is. Fails with validation (kind not declared, payload too large, id too long). Any core.
  Result<store::Insert> insertOf(JobSpec spec);
  // The same for several; their ids must be distinct.
  Result<std::vector<store::Insert>> insertsOf(std::vector<JobSpec> specs);
  // A commit of its own for one job, and wakes the queue; a job whose id is there already stays as it is. The job's id.
  Task<std::string> put(JobSpec spec);
  // Tells of jobs just committed; without ids: look now. Any thread.
  void wake(std::vector<std::string> ids = {});
  // Call after the commit that suspends, resumes or deletes a project: its jobs leave memory, or are taken in again. A
  // lost call costs time alone: each run checks the project before it begins, and a sweep finds resumed jobs. Any
  // thread.
  void projectChanged(store::ProjectNo project);
  // Removes a job that has not begun, or that waits for its retry; a run that is under way goes on. False when there is
  // no such job.
  Task<bool> cancel(std::string id);

  // The job's row, for a handler that completes its job in a write of its own: its callback removes the document.
  static store::WriteTarget rowOf(const JobRun& run);

  // ---- of a group: exact, and as cheap as a look at one record.
  Task<GroupLoad> load(std::string kind, store::ProjectNo project, std::string group);
  // Those that do not run, first due first, at most `limit` and 200.
  Task<std::vector<WaitingJob>> oldest(std::string kind, store::ProjectNo project, std::string group, uint64_t limit);

  // ---- jobs given up, last first. Both changes commit `extraInserts` with
  // theirs; false, and nothing is committed, when there is no such job.
  Task<std::vector<DeadJob>> dead(uint64_t limit, uint64_t skip);
  // Due now, with all its attempts before it.
  Task<bool> retryDead(std::string id, std::vector<store::Insert> extraInserts);
  Task<bool> discardDead(std::string id, std::vector<store::Insert> extraInserts);

  // Starts no more jobs and waits for those that run; false when some are left after `limit` (they are offered again at
  // the next start). Not from a core. May be called again to wait on.
  bool stop(std::chrono::milliseconds limit);

  // Any thread.
  std::vector<KindStats> stats() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mb::jobs
