// One worker process, as those see it who decide what it does. Guarded by the pool's mutex. Private to workers/.
#pragma once

#include <sys/types.h>

#include <memory>

#include "workers/job.h"

namespace mb::workers {

class WorkerConnection;

enum class WorkerState : uint8_t {
  starting,  // its process has not said that it is ready
  blank,     // of no project yet
  idle,
  running,
  leaving,  // it gets nothing any more; its place is free when it is gone
};

struct WorkerHandle {
  WorkerState state = WorkerState::starting;
  int core = 0;                  // where its socket is
  store::ProjectNo project = 0;  // 0: none yet
  Time since{};                  // of the state
  Time given{};                  // to its project
  uint32_t runs = 0;
  RunClass runClass = RunClass::normal;  // while it runs

  // Its process, and the watch over what it runs.
  pid_t pid = 0;
  Time killAt{};
  bool watched = false;                   // cpuBefore is known
  std::chrono::microseconds cpuBefore{};  // of its process, when the run was first looked at
  bool lowered = false;                   // to the lowest priority
  bool overtime = false;                  // killed, since its run did not end
  bool reaped = false;
  bool drained = false;  // no call of it is open
  std::shared_ptr<WorkerConnection> connection;
};
using WorkerHandlePtr = std::shared_ptr<WorkerHandle>;

}  // namespace mb::workers
