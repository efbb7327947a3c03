// A WorkerScheduler assigns jobs to workers by the rules of docs/engine.md, "Function workers". It has no processes,
// sockets or threads. Not thread-safe; its owner locks. Private to workers/.
//
// A WorkerHandle represents a process and belongs to one project from its first run to its end. A job that cannot begin
// is queued in its project; projects with queued jobs are served round robin. After each event serve() begins the jobs
// that may begin, and startOrEvictWorkers() starts processes, or ends idle ones, for the jobs that still wait.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "workers/worker_handle.h"

namespace mb::workers {

struct QueueLimits {
  size_t processes = 8;
  size_t ofProject = 4;        // processes of one project
  size_t whileOthersWait = 2;  // processes of one project while other projects wait
  bool keepsOne = true;        // one process runs nothing but pre-hooks
  size_t blanks = 2;           // processes kept ready without a project
  size_t waiting = 1024;
  size_t waitingOfProject = 64;
  std::chrono::milliseconds idle{60'000};  // a process is ended after this idle time
  uint32_t runs = 10'000;                  // a process is ended after so many runs
};

// Actions for the owner to execute after it has released the lock. The connections are copied from the handles under
// the lock.
struct SchedulerActions {
  struct Begin {
    WorkerHandlePtr handle;
    std::shared_ptr<WorkerConnection> connection;
    JobPtr job;
  };
  struct End {
    WorkerHandlePtr handle;
    std::shared_ptr<WorkerConnection> connection;
  };
  std::vector<Begin> begin;
  std::vector<WorkerHandlePtr> start;  // start a process for each
  std::vector<End> end;                // end the process of each
  std::vector<JobPtr> refuse;          // with RunStatus::busy
};

class WorkerScheduler {
 public:
  WorkerScheduler(QueueLimits limits, int cores);

  void submit(JobPtr job, Time now, SchedulerActions& actions);
  // A process is ready for its first job.
  void ready(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions);
  // A run has ended, and it has no open calls; `fit`: the worker may run another.
  void freed(const WorkerHandlePtr& handle, bool fit, Time now, SchedulerActions& actions);
  // Its process has ended or is being ended: the worker gets no more jobs.
  void lost(const WorkerHandlePtr& handle, Time now);
  // Its process is reaped and its calls have ended: the worker's slot is free.
  void removed(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions);
  // No process can be started before `until`.
  void pauseStarts(Time until) { noStartBefore_ = until; }
  bool pausesStarts(Time now) const { return now < noStartBefore_; }

  // Does what depends on time alone: expires queued jobs and idle workers, keeps blank workers ready, and starts more
  // workers for queued jobs.
  void tick(Time now, SchedulerActions& actions);
  // When tick() must be called next, unless another event happens before.
  Time nextTick(Time now) const;
  // Removes and returns all queued jobs.
  std::vector<JobPtr> takeWaiting();
  const std::vector<WorkerHandlePtr>& handles() const { return handles_; }

  size_t waiting() const { return waiting_; }
  size_t count(WorkerState state) const;

 private:
  struct Project {
    std::deque<JobPtr> preHooks, normal;
    std::vector<WorkerHandlePtr> idle;  // in order of last use
    size_t handles = 0;                 // workers of the project, except leaving ones
    size_t running = 0;

    size_t waiting() const { return preHooks.size() + normal.size(); }
  };
  using Projects = std::unordered_map<store::ProjectNo, Project>;

  bool othersWait(const Project& project) const;
  size_t limitOf(const Project& project) const;
  bool mayRun(const Project& project, RunClass runClass) const;
  bool mayHaveMore(const Project& project) const;
  // The class of the project's next job that may run now.
  std::optional<RunClass> nextClass(const Project& project) const;
  JobPtr takeNext(Project& project, RunClass runClass, int core);

  void begin(const WorkerHandlePtr& handle, Project& project, JobPtr job, Time now, SchedulerActions& actions);
  WorkerHandlePtr takeIdle(Project& project, int core);
  WorkerHandlePtr takeBlank(store::ProjectNo number, Project& project, int core, Time now);
  bool serveOne(store::ProjectNo number, Project& project, bool withBlanks, Time now, SchedulerActions& actions);
  void serve(Time now, SchedulerActions& actions);
  bool mustLeave(const WorkerHandlePtr& handle, const Project& project, Time now) const;
  size_t wanted(const Project& project, Time now) const;
  void startOrEvictWorkers(Time now, SchedulerActions& actions);
  enum class Spares { none, onlyOnes };
  WorkerHandlePtr oldestIdle(Spares spares, Time now) const;
  void addStart(Time now, SchedulerActions& actions);
  void leave(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions);
  void expire(Time now, SchedulerActions& actions);
  void endLongIdle(Time now, SchedulerActions& actions);
  void keepBlanks(Time now, SchedulerActions& actions);
  void forgetIfEmpty(store::ProjectNo number);

  const QueueLimits limits_;
  const int cores_;
  Projects projects_;                             // those with workers or queued jobs
  std::deque<store::ProjectNo> waitingProjects_;  // those with queued jobs, next first
  std::vector<WorkerHandlePtr> handles_;
  size_t waiting_ = 0;
  size_t runningNormal_ = 0;
  size_t starting_ = 0;
  size_t leaving_ = 0;
  size_t blanks_ = 0;
  int nextCore_ = 0;
  Time blankTaken_{};
  Time noStartBefore_{};
};

}  // namespace mb::workers
