// When a slot that left the graph may be used again: once every view is closed that was open when it left.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "vectors/index/slot_set.h"

namespace mb::vectors {

// Views that opened between two retirements, and what was retired at the end of it.
struct Epoch {
  std::atomic<uint32_t> views{0};
  std::vector<Slot> retired;
};

class Epochs {
 public:
  Epochs() { epochs_.push_back(std::make_unique<Epoch>()); }

  // The current epoch, with one more view; `read` is called under the same lock.
  template <class Read>
  Epoch* enter(const Read& read) const {
    const std::lock_guard lock(mutex_);
    read();
    epochs_.back()->views.fetch_add(1, std::memory_order_relaxed);
    return epochs_.back().get();
  }
  // Changes what `read` reads.
  template <class Change>
  void publish(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
  }
  static void leave(Epoch* epoch) { epoch->views.fetch_sub(1, std::memory_order_release); }

  // Slots that nothing names any more. The writer's.
  void retire(std::vector<Slot> slots) {
    const std::lock_guard lock(mutex_);
    epochs_.back()->retired = std::move(slots);
    epochs_.push_back(std::make_unique<Epoch>());
  }
  // Of what was retired, what no view knows any more. The writer's.
  std::vector<Slot> reclaim() {
    std::vector<Slot> free;
    const std::lock_guard lock(mutex_);
    while (epochs_.size() > 1 && epochs_.front()->views.load(std::memory_order_acquire) == 0) {
      free.insert(free.end(), epochs_.front()->retired.begin(), epochs_.front()->retired.end());
      epochs_.pop_front();
    }
    return free;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Epoch>> epochs_;  // the last is the current one
};

}  // namespace mb::vectors
