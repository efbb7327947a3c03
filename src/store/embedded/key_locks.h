// A table of asynchronous locks, striped: what hashes to one stripe excludes each other. First come, first served. A
// free stripe costs one compare-and-swap. Any thread; waiting is for coroutines.
#pragma once

#include <boost/container/small_vector.hpp>
#include <deque>
#include <unordered_map>

#include "store/embedded/waiter.h"

namespace mb::store::embedded {

class KeyLocks {
 public:
  explicit KeyLocks(uint32_t stripes) : states_(stripes) {}

  uint32_t stripeOf(std::string_view key) const {
    return static_cast<uint32_t>(std::hash<std::string_view>()(key) % states_.size());
  }
  bool tryLock(uint32_t stripe);
  // Waits; false past the deadline.
  Async<bool> lock(uint32_t stripe, Deadline deadline);
  void unlock(uint32_t stripe);

 private:
  enum State : uint8_t { free, held, contended };
  bool enqueue(uint32_t stripe, const WaiterPtr& waiter);
  bool expire(uint32_t stripe, const WaiterPtr& waiter);

  std::vector<std::atomic<uint8_t>> states_;
  std::mutex mutex_;  // of waiting_, and of every change from or to contended
  std::unordered_map<uint32_t, std::deque<WaiterPtr>> waiting_;
};

// The stripes that one write holds in one table, given back when it goes.
class HeldStripes {
 public:
  explicit HeldStripes(KeyLocks& locks) : locks_(&locks) {}
  HeldStripes(const HeldStripes&) = delete;
  HeldStripes& operator=(const HeldStripes&) = delete;
  ~HeldStripes() { release(); }

  void add(std::string_view key) { stripes_.push_back(locks_->stripeOf(key)); }
  void reserve(size_t keys) { stripes_.reserve(keys); }
  // Sorts what was added and takes it in that order, as far as it is free; true when all is held.
  bool tryAll();
  bool allHeld() const { return held_ == stripes_.size(); }
  // Takes the rest; false past the deadline.
  Async<bool> waitAll(Deadline deadline);
  void release();

 private:
  KeyLocks* locks_;
  boost::container::small_vector<uint32_t, 4> stripes_;
  size_t held_ = 0;
};

}  // namespace mb::store::embedded
