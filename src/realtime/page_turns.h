// How many of a core's sockets may have a page of the change log in memory: some at a time, the others in line.
#pragma once

#include <deque>

#include "base/task.h"

namespace mb::realtime {

// Of one core.
class PageTurns {
 public:
  explicit PageTurns(size_t turns) : free_(turns) {}

  // Gives its turn back when it goes.
  class Turn {
   public:
    explicit Turn(PageTurns& turns) : turns_(turns) {}
    Turn(const Turn&) = delete;
    ~Turn() { turns_.give(); }

   private:
    PageTurns& turns_;
  };

  // Waits for a turn, which is then the caller's to give back (Turn).
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
  std::deque<Resumer<bool>> line_;  // kMaxSubscriptions a socket at most
};

}  // namespace mb::realtime
