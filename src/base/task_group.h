// Spawned coroutines that stop waits for: enter before spawning, refuse once closing (Seastar's gate).
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/task.h"

namespace mb {

class TaskGroup {
 public:
  // Spawns `task` on `executor` unless closed; false then, and the task never starts. An exception that leaves the task
  // is logged as a bug. Any thread.
  bool spawn(const Executor& executor, Async<void> task);
  // Counts work that is not a coroutine. tryEnter() true must be matched by one leave().
  bool tryEnter();
  void leave();
  size_t running() const;
  // Refuses new work and blocks until all of it has ended or the deadline has passed; false when some is left. Never
  // from a core.
  bool closeAndWait(std::chrono::milliseconds limit);

 private:
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;
  bool closed_ = false;
};

}  // namespace mb
