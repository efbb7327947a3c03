// Counts spawned coroutines so that a stop can wait for them: enter before spawning, refuse once closing (Seastar's
// gate).
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/task.h"

namespace mb {

class TaskGroup {
 public:
  // Spawns `task` on `executor`; when closed, returns false and the task never starts. An exception that leaves the
  // task is a bug and is logged as an error. Any thread.
  bool spawn(const Executor& executor, Async<void> task);
  // Counts work that is not a coroutine. Each tryEnter() that returned true is matched by one leave().
  bool tryEnter();
  void leave();
  size_t running() const;
  // Refuses new work and blocks until all work has ended or `limit` has passed; false if some is left. Must not run on
  // a core.
  bool closeAndWait(std::chrono::milliseconds limit);

 private:
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;
  bool closed_ = false;
};

}  // namespace mb
