// A WorkerHandle is the state of one worker process, from its start to its end. Guarded by the pool's mutex. Private to
// workers/.
#pragma once

#include <sys/types.h>

#include <memory>

#include "workers/job.h"

namespace mb::workers {

class WorkerConnection;

enum class WorkerState : uint8_t {
  starting,  // its process has not reported that it is ready
  blank,     // of no project yet
  idle,
  running,
  leaving,  // it gets no more jobs; its slot is free once it is removed
};

struct WorkerHandle {
  WorkerState state = WorkerState::starting;
  int core = 0;                  // where its socket is
  store::ProjectNo project = 0;  // 0: none yet
  Time since{};                  // of the state
  Time given{};                  // when it was assigned to its project
  uint32_t runs = 0;
  RunClass runClass = RunClass::normal;  // while it runs

  // Its process, and the watch over its run.
  pid_t pid = 0;
  Time killAt{};
  bool watched = false;                   // cpuBefore is known
  std::chrono::microseconds cpuBefore{};  // CPU time of its process at the first sample of the run
  bool lowered = false;                   // to the lowest priority
  bool overtime = false;                  // killed, since its run did not end
  bool reaped = false;
  bool drained = false;  // it has no open calls
  std::shared_ptr<WorkerConnection> connection;
};
using WorkerHandlePtr = std::shared_ptr<WorkerHandle>;

}  // namespace mb::workers
