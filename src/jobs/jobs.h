// The one durable queue. A committed job runs at least once, also after a crash of the process.
//
// A job is a row of a system collection of the control project, so a module inserts it in its own commit:
//
//   CO_TRY(store::Insert job, queue.insertOf({.kind = "mail", .project = realm.number, .payload = mail}));
//   std::string id = job.id();
//   write.insert(std::move(job));
//   ... co_await store.write(std::move(write), ...) ...
//   queue.wake({std::move(id)});  // after the commit; without it a sweep finds the job in seconds
//
// The row is removed when the job completes, not when it starts. The process that runs a job holds its lease
// (leases.h); a crash loses the lease, and the job is offered again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

// Numbers 70 to 79 of the system collections belong to this module; all its rows are in the control project.
inline constexpr store::CollectionNo kJobs = 70;
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

// A whole user document, and a consumer's metadata about it.
inline constexpr size_t kMaxPayloadBytes = 1280 << 10;

// Every member has a default, so that a job can be written as {.kind = ..., .payload = ...}.
struct JobSpec {
  std::string kind = {};  // of a declared Kind
  store::ProjectNo project = store::kControlProject;
  // "": the queue generates one. An id set by the caller (at most 200 bytes, no control characters) deduplicates: see
  // put() and insertOf().
  std::string id = {};
  doc::Document payload = {};  // at most kMaxPayloadBytes
  // Seals the payload under the master secret: for data that must not be readable on the disk, such as one-time tokens.
  bool sealed = false;
  std::optional<Timestamp> notBefore = {};
  // At most 200 bytes, no control characters. Jobs of one kind, project and key run one after another, in the
  // order of their creation; a job that waits for its retry or repetition holds back the later ones. "": no order.
  std::string orderKey = {};
  // At most 200 bytes, no control characters. Groups jobs that fail together, such as the deliveries to one
  // receiver. Kind::perGroup bounds the runs of a group, so that a slow or dead receiver does not delay other groups.
  // "": only the project's bound applies.
  std::string group = {};
  // Above zero: after completion (or the last failed attempt) the job is due again. Its fires are its first due time
  // plus multiples of this; those that have passed by then are skipped.
  std::chrono::milliseconds repeatEvery{0};
  std::string trace = {};  // the trace context of its cause (base/trace_context.h), or ""
};

// The job once more, with another payload of at most kMaxPayloadBytes.
struct Repetition {
  Timestamp dueAt;
  doc::Document payload;
};

// Changes that a handler adds to the commit that ends its run: the one that removes the job's row, or changes it for a
// repetition. They are made only if the row is as it was when the run began. So of the runs of a job that is offered
// several times, such as after a crash, the changes of one are made.
struct ExtraChanges {
  static constexpr size_t kMaxTargets = 8;
  // At most kMaxTargets; with more the attempt fails.
  std::vector<store::WriteTarget> targets;
  // Computes their changes; `targets` are in the order of those above. Bound like a store::WriteCallback: it may run
  // several times, and must not wait.
  std::function<void(const store::PreImages& before, std::span<const store::Target> targets, store::Changes& changes)>
      compute;
  // Called once the run has ended in a commit. False: without the changes, since the store refused them (unavailable,
  // such as where the disk is nearly full) and accepted the end of the run alone. Destroyed uncalled if the job runs
  // again, or did not exist any more. On the core of the run; must not wait.
  std::move_only_function<void(bool committed)> ended;
};

// The argument of a handler.
struct JobRun {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  doc::Document payload;  // unsealed
  int attempt = 1;        // 1 is the first
  bool last = false;      // no attempt follows a failure of this one
  Timestamp createdAt;
  std::string trace;         // JobSpec::trace
  store::Deadline deadline;  // the run counts as failed from then on
  // Set by a handler that then succeeds: the job stays in place of being removed, has all its attempts again, and holds
  // back the later ones of its order key until then. Never null.
  std::shared_ptr<std::optional<Repetition>> repetition;
  // Set by a handler that then succeeds. Never null.
  std::shared_ptr<std::optional<ExtraChanges>> extraChanges;
};
// An error ends the attempt. Its message and cause are stored with the job, so they must hold no secret. Delivery is at
// least once: a handler may get a job again whose work is done. The error projectSuspended, while the job's project is
// suspended, does not count as an attempt: the job waits for the resume.
using Handler = std::function<Task<>(JobRun)>;

struct Kind {
  std::string name;
  Handler handler;
  // Pauses between attempts; its size + 1 is the number of attempts.
  std::vector<std::chrono::milliseconds> backoff;
  // A run that takes longer counts as failed and is offered again; until it really ends it keeps its slot in
  // `concurrency`. A handler's own timeouts must be shorter.
  std::chrono::milliseconds timeout{30'000};
  int concurrency = 8;  // runs of this kind at a time
  int perProject = 4;   // of these, runs of one project; projects are served round robin, and so are their groups
  int perGroup = 4;     // and of these, runs of one group
  // How many jobs of a group may run now, instead of perGroup; 0 for none. Called whenever the group is considered, and
  // after each end of a run, on the queue's core. Must not block. Unset: perGroup.
  std::function<int(store::ProjectNo project, const std::string& group)> groupLimit;
  // Whether an error makes further attempts pointless. Unset: never.
  std::function<bool(const Error&)> isFinal;
};

struct KindStats {
  std::string kind;
  uint64_t queued = 0;     // in memory, due or due soon
  uint64_t running = 0;    // runs that have not ended, including overdue ones
  uint64_t completed = 0;  // since the start
  uint64_t failed = 0;     // attempts
  uint64_t dead = 0;       // jobs dead-lettered
};

// A group's stored jobs, waiting or running, and the bytes of their rows.
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

// A job whose attempts are exhausted. Its payload is not returned to any caller.
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
  // Shared by the processes of one store; null if this is the only one. Outlives the queue.
  Leases* leases = nullptr;
  // Whether a project is suspended. The queue caches the result for as long as the project's epoch stays the same.
  // Unset: no project is. Any core.
  std::function<Task<bool>(store::ProjectNo)> isSuspended = {};
};

// A Queue stores jobs and runs their handlers. At most 1,024 jobs of a kind that are due or due within a minute are in
// memory: 256 of one project, 64 of one group; retries come on top, as many as may run at a time. All others wait in
// the store until memory has capacity for them. Dead-lettered jobs stay in the store for 7 days, 10,000 at most.
//
// Jobs of a suspended project wait in the store, none of them in memory, with the attempts that they have left. Those
// of a deleted project run, since its deletion ends a suspension. The control project is never suspended.
class Queue {
 public:
  explicit Queue(QueueDeps deps);
  // REQUIRES: stop() was called, and handlers that outlived it have ended or their cores were joined.
  ~Queue();

  // Before start().
  void declare(Kind kind);
  // Starts running jobs, including those of earlier runs of the server. Handlers run on all cores, round robin.
  void start();

  // The job as an insert of the caller's write; pass its id to wake(). If the caller sets an id that is stored already,
  // the stored job stays as it is. Fails with validation (kind not declared, payload too large, id too long). Any core.
  Result<store::Insert> insertOf(JobSpec spec);
  // The same for several; their ids must be distinct.
  Result<std::vector<store::Insert>> insertsOf(std::vector<JobSpec> specs);
  // Commits one job and wakes the queue; returns the job's id. If the id is stored already, the stored job stays as it
  // is.
  Task<std::string> put(JobSpec spec);
  // Announces jobs just committed; without ids it starts a sweep. Any thread.
  void wake(std::vector<std::string> ids = {});
  // Call after the commit that suspends, resumes or deletes a project: its jobs leave memory, or are read again. A
  // lost call only costs time: each run checks the project before it begins, and a sweep finds resumed jobs. Any
  // thread.
  void projectChanged(store::ProjectNo project);
  // Removes a job that has not begun, or that waits for its retry; a running handler continues. False if the job does
  // not exist.
  Task<bool> cancel(std::string id);

  // The job's row, for a handler that completes its job in a write of its own: its callback removes the document.
  static store::WriteTarget rowOf(const JobRun& run);

  // ---- of a group: exact, at the cost of reading one record.
  Task<GroupLoad> load(std::string kind, store::ProjectNo project, std::string group);
  // The jobs that do not run, first due first, at most `limit` and 200.
  Task<std::vector<WaitingJob>> oldest(std::string kind, store::ProjectNo project, std::string group, uint64_t limit);

  // ---- dead-lettered jobs, last first. Both changes commit `extraInserts` in the same write; false, and nothing is
  // committed, if the job does not exist.
  Task<std::vector<DeadJob>> dead(uint64_t limit, uint64_t skip);
  // Makes the job due now, with all its attempts again.
  Task<bool> retryDead(std::string id, std::vector<store::Insert> extraInserts);
  Task<bool> discardDead(std::string id, std::vector<store::Insert> extraInserts);

  // Starts no more jobs and waits for those that run; false if some still run after `limit` (they are offered again at
  // the next start). Not from a core. May be called again to continue waiting.
  bool stop(std::chrono::milliseconds limit);

  // Any thread.
  std::vector<KindStats> stats() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mb::jobs
