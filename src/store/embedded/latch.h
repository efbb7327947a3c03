// The latch of a collection: writes hold it shared from their catalogue lookup to their commit, alterations hold it
// exclusively for the swap. First come, first served, so that neither starves. An uncontended shared hold costs two
// atomic operations. Any thread; only coroutines wait.
#pragma once

#include <deque>

#include "store/waiter.h"

namespace mb::store::embedded {

class Latch {
 public:
  bool tryShared();
  Async<bool> shared(Deadline deadline);  // false past the deadline
  void releaseShared();
  Async<bool> exclusive(Deadline deadline);
  void releaseExclusive();

 private:
  // Set while the latch is held or awaited exclusively: then all operations use mutex_.
  static constexpr uint32_t kSlow = uint32_t{1} << 31;
  Async<bool> wait(bool exclusive, Deadline deadline);
  bool enqueue(const WaiterPtr& waiter);
  bool expire(const WaiterPtr& waiter);
  // Grants all requests that can be granted; the caller resumes them after mutex_ is released.
  std::vector<WaiterPtr> grant();
  void wake();

  std::atomic<uint32_t> state_{0};  // shared holders, and kSlow
  std::mutex mutex_;
  bool exclusivelyHeld_ = false;
  std::deque<WaiterPtr> waiting_;
};

// Owns a hold and releases it.
class LatchHold {
 public:
  LatchHold() = default;
  LatchHold(Latch& latch, bool exclusive) : latch_(&latch), exclusive_(exclusive) {}
  LatchHold(LatchHold&& other) noexcept : latch_(std::exchange(other.latch_, nullptr)), exclusive_(other.exclusive_) {}
  LatchHold& operator=(LatchHold&& other) noexcept {
    std::swap(latch_, other.latch_);
    std::swap(exclusive_, other.exclusive_);
    return *this;
  }
  ~LatchHold() {
    if (latch_) exclusive_ ? latch_->releaseExclusive() : latch_->releaseShared();
  }

 private:
  Latch* latch_ = nullptr;
  bool exclusive_ = false;
};

}  // namespace mb::store::embedded
