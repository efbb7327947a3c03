// Bounds how many of a core's coroutines do something at a time, such as holding a page of the change log in memory;
// the others wait, first come first served.
#pragma once

#include <deque>

#include "base/task.h"

namespace mb::realtime {

// One instance a core.
class CoreSemaphore {
 public:
  explicit CoreSemaphore(size_t permits) : free_(permits) {}

  // Releases the permit in its destructor.
  class Permit {
   public:
    explicit Permit(CoreSemaphore& semaphore) : semaphore_(semaphore) {}
    Permit(const Permit&) = delete;
    ~Permit() { semaphore_.give(); }

   private:
    CoreSemaphore& semaphore_;
  };

  // Waits for a permit. The caller then owns it and constructs a Permit.
  Async<void> take() {
    if (free_ > 0) {
      --free_;
      co_return;
    }
    co_await suspend<bool>([this](Resumer<bool> resumer) { line_.push_back(std::move(resumer)); });
  }

 private:
  void give() {
    if (line_.empty()) {
      ++free_;
      return;
    }
    Resumer<bool> next = std::move(line_.front());
    line_.pop_front();
    next.resume(true);
  }

  size_t free_;
  std::deque<Resumer<bool>> line_;  // at most kMaxSubscriptions + 1 a socket
};

}  // namespace mb::realtime
