// Who gets a worker: the rules of docs/engine.md, "Workers", without processes, sockets or threads. Its owner locks.
// Private to workers/.
//
// A seat stands for a process and belongs to one project from its first run to its end. What cannot begin waits in its
// project's line; projects with a line take turns. Whenever something changes, serve() begins what may begin, and
// startOrEvictWorkers() has processes started, or idle ones ended, for what still waits.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "workers/worker_handle.h"

namespace mb::workers {

struct QueueLimits {
  size_t places = 8;           // processes
  size_t ofProject = 4;        // of them
  size_t whileOthersWait = 2;  // of them, of one project
  bool keepsOne = true;        // one of them runs nothing but pre-hooks
  size_t blanks = 2;           // kept ready
  size_t waiting = 1024;
  size_t waitingOfProject = 64;
  std::chrono::milliseconds idle{60'000};  // then it is ended
  uint32_t runs = 10'000;                  // then it is ended
};

// What is to be done once the lock is let go. The links are the seats' as they were under it.
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
  std::vector<WorkerHandlePtr> start;  // a process for each
  std::vector<End> end;                // the process of each
  std::vector<JobPtr> refuse;          // busy
};

class WorkerScheduler {
 public:
  WorkerScheduler(QueueLimits limits, int cores);

  void submit(JobPtr job, Time now, SchedulerActions& actions);
  // A process is ready for its first job.
  void ready(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions);
  // A run has ended, and nothing of it is left; `fit`: the worker may run another.
  void freed(const WorkerHandlePtr& handle, bool fit, Time now, SchedulerActions& actions);
  // Its process has ended or is being ended: it gets nothing any more.
  void lost(const WorkerHandlePtr& handle, Time now);
  // Nothing is left of it.
  void gone(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions);
  // No process can be started before `until`.
  void pauseStarts(Time until) { noStartBefore_ = until; }
  bool pausesStarts(Time now) const { return now < noStartBefore_; }

  // What time alone brings about: lines that have waited too long, seats that were idle too long, blanks, growth.
  void look(Time now, SchedulerActions& actions);
  // When it is to be called next, where nothing else happens meanwhile.
  Time nextLook(Time now) const;
  // Everything that waits, and every seat.
  std::vector<JobPtr> takeWaiting();
  const std::vector<WorkerHandlePtr>& handles() const { return handles_; }

  size_t waiting() const { return waiting_; }
  size_t count(WorkerState state) const;

 private:
  struct Project {
    std::deque<JobPtr> preHooks, normal;
    std::vector<WorkerHandlePtr> idle;  // last used last
    size_t handles = 0;                 // that are its and do not leave
    size_t running = 0;

    size_t waiting() const { return preHooks.size() + normal.size(); }
  };
  using Projects = std::unordered_map<store::ProjectNo, Project>;

  bool othersWait(const Project& project) const;
  size_t limitOf(const Project& project) const;
  bool mayRun(const Project& project, RunClass runClass) const;
  bool mayHaveMore(const Project& project) const;
  // The class that is next in its line and may run now.
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
  Projects projects_;                   // with seats or a line
  std::deque<store::ProjectNo> turns_;  // those with a line, next first
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
