// Who gets a worker: the rules of docs/engine.md, "Workers", without processes, sockets or threads. Its owner locks.
// Private to workers/.
//
// A seat stands for a process and belongs to one project from its first run to its end. What cannot begin waits in its
// project's line; projects with a line take turns. Whenever something changes, serve() begins what may begin, and
// makeRoom() has processes started, or idle ones ended, for what still waits.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "workers/seat.h"

namespace mb::workers {

struct LineLimits {
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
struct Orders {
  struct Begin {
    SeatPtr seat;
    std::shared_ptr<Link> link;
    JobPtr job;
  };
  struct End {
    SeatPtr seat;
    std::shared_ptr<Link> link;
  };
  std::vector<Begin> begin;
  std::vector<SeatPtr> start;  // a process for each
  std::vector<End> end;        // the process of each
  std::vector<JobPtr> refuse;  // busy
};

class Line {
 public:
  Line(LineLimits limits, int cores);

  void submit(JobPtr job, Time now, Orders& orders);
  // A process is ready for its first job.
  void ready(const SeatPtr& seat, Time now, Orders& orders);
  // A run has ended, and nothing of it is left; `fit`: the worker may run another.
  void freed(const SeatPtr& seat, bool fit, Time now, Orders& orders);
  // Its process has ended or is being ended: it gets nothing any more.
  void lost(const SeatPtr& seat, Time now);
  // Nothing is left of it.
  void gone(const SeatPtr& seat, Time now, Orders& orders);
  // No process can be started before `until`.
  void pauseStarts(Time until) { noStartBefore_ = until; }
  bool pausesStarts(Time now) const { return now < noStartBefore_; }

  // What time alone brings about: lines that have waited too long, seats that were idle too long, blanks, growth.
  void look(Time now, Orders& orders);
  // When it is to be called next, where nothing else happens meanwhile.
  Time nextLook(Time now) const;
  // Everything that waits, and every seat.
  std::vector<JobPtr> takeWaiting();
  const std::vector<SeatPtr>& seats() const { return seats_; }

  size_t waiting() const { return waiting_; }
  size_t count(SeatState state) const;

 private:
  struct Project {
    std::deque<JobPtr> preHooks, normal;
    std::vector<SeatPtr> idle;  // last used last
    size_t seats = 0;           // that are its and do not leave
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

  void begin(const SeatPtr& seat, Project& project, JobPtr job, Time now, Orders& orders);
  SeatPtr takeIdle(Project& project, int core);
  SeatPtr takeBlank(store::ProjectNo number, Project& project, int core, Time now);
  bool serveOne(store::ProjectNo number, Project& project, bool withBlanks, Time now, Orders& orders);
  void serve(Time now, Orders& orders);
  bool mustLeave(const SeatPtr& seat, const Project& project, Time now) const;
  size_t wanted(const Project& project, Time now) const;
  void makeRoom(Time now, Orders& orders);
  enum class Spares { none, onlyOnes };
  SeatPtr oldestIdle(Spares spares, Time now) const;
  void addStart(Time now, Orders& orders);
  void leave(const SeatPtr& seat, Time now, Orders& orders);
  void expire(Time now, Orders& orders);
  void endLongIdle(Time now, Orders& orders);
  void keepBlanks(Time now, Orders& orders);
  void forgetIfEmpty(store::ProjectNo number);

  const LineLimits limits_;
  const int cores_;
  Projects projects_;                   // with seats or a line
  std::deque<store::ProjectNo> turns_;  // those with a line, next first
  std::vector<SeatPtr> seats_;
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
