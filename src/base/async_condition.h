// A condition variable for coroutines.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/task.h"

namespace mb {

// Coroutines wait for a predicate over state that others change. They are woken by the change; no thread waits, and no
// lock is held during a wait. A thread that changes the state calls notifyAll() after the change; the state is atomic
// or has a mutex of its own.
class AsyncCondition {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using Predicate = std::function<bool()>;

  AsyncCondition() = default;
  AsyncCondition(const AsyncCondition&) = delete;
  AsyncCondition& operator=(const AsyncCondition&) = delete;

  // Lets all waiting coroutines check their predicates again. Any thread, also with locks held that predicates take.
  void notifyAll();
  // Returns true once `predicate` holds, false once the deadline has passed; at once if either is so already. The
  // predicate is called on the coroutine's core, without locks; it may be called when nothing has changed. Any core.
  // REQUIRES: this object and what `predicate` refers to outlive the wait.
  Async<bool> waitUntil(Deadline deadline, Predicate predicate);

 private:
  struct Waiter;
  class Registration;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Waiter>> waiting_;  // at most one per waiting coroutine
};

}  // namespace mb
