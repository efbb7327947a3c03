// A background pass that repeats on one core until it is stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/task_group.h"

namespace mb {

// Runs a pass, waits for the interval after its end, and runs it again. stop() ends the wait at once; a pass that is
// running then ends by itself and should check stopping() where it is long. One start() per object.
class PeriodicTask {
 public:
  using Pass = std::function<Async<void>()>;
  struct Schedule {
    std::chrono::milliseconds interval{0};
    std::optional<std::chrono::milliseconds> firstAfter = {};  // until the first pass; nullopt: the interval
    bool atStop = false;                                       // true: a last pass runs after stop()
  };

  PeriodicTask();
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;
  // REQUIRES: the executor's cores still exist, where start() was called.
  ~PeriodicTask();  // calls stop(); REQUIRES: the task group has ended

  // The passes run in `tasks`, whose owner waits for their end. What `pass` refers to must outlive them.
  void start(const Executor& executor, TaskGroup& tasks, Schedule schedule, Pass pass);
  // Starts the next pass at once; if a pass is running, another one follows it. Any thread.
  void trigger();
  // Any thread, also before start().
  void stop();
  bool stopping() const { return stopping_; }
  const std::atomic<bool>& stopFlag() const { return stopping_; }

 private:
  struct Timer;
  static Async<void> loop(PeriodicTask* self, std::shared_ptr<Timer> timer, Schedule schedule, Pass pass);
  void cancelWait();

  std::atomic<bool> stopping_ = false;
  std::atomic<bool> triggered_ = false;
  std::atomic<std::shared_ptr<Timer>> timer_;  // set by start(); before it there is no wait to cancel
};

}  // namespace mb
