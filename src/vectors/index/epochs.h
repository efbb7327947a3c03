// Epochs decides when a slot that left the graph may be reused: once every view that was open when it left is closed.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "vectors/index/slot_set.h"

namespace mb::vectors {

// Counts the open views of those that were opened between two retirements, and holds the slots that were retired at its
// end.
struct Epoch {
  std::atomic<uint32_t> views{0};
  std::vector<Slot> retired;
};

class Epochs {
 public:
  Epochs() { epochs_.push_back(std::make_unique<Epoch>()); }

  // Returns the current epoch with one more view; `read` is called under the same lock.
  template <class Read>
  Epoch* enter(const Read& read) const {
    const std::lock_guard lock(mutex_);
    read();
    epochs_.back()->views.fetch_add(1, std::memory_order_relaxed);
    return epochs_.back().get();
  }
  // Calls `change`, which writes what `read` reads, under the same lock.
  template <class Change>
  void publish(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
  }
  static void leave(Epoch* epoch) { epoch->views.fetch_sub(1, std::memory_order_release); }

  // Adds slots that no list, entry or id names any more. Only for the writer.
  void retire(std::vector<Slot> slots) {
    const std::lock_guard lock(mutex_);
    epochs_.back()->retired = std::move(slots);
    epochs_.push_back(std::make_unique<Epoch>());
  }
  // Removes and returns the retired slots that no open view may hold. Only for the writer.
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
