// KeyLocks is a striped table of asynchronous locks: keys that hash to one stripe share its lock. A lock is held
// exclusively by one holder or shared by any number. First come, first served: a shared request waits behind an
// exclusive one, so that neither starves. A free stripe costs one compare-and-swap. Any thread; only coroutines wait.
#pragma once

#include <boost/container/small_vector.hpp>
#include <deque>
#include <unordered_map>

#include "store/waiter.h"

namespace mb::store {

class KeyLocks {
 public:
  enum class Mode : uint8_t { exclusive, shared };

  explicit KeyLocks(uint32_t stripes) : states_(stripes) {}

  uint32_t stripeOf(std::string_view key) const {
    return static_cast<uint32_t>(std::hash<std::string_view>()(key) % states_.size());
  }
  bool tryLock(uint32_t stripe, Mode mode);
  // Waits for the lock; false past the deadline.
  Async<bool> lock(uint32_t stripe, Mode mode, Deadline deadline);
  void unlock(uint32_t stripe, Mode mode);

 private:
  // A state is the number of shared holders, or kExclusive, plus kContended while there are waiters. A contended state
  // is changed only under mutex_, and so is kContended itself.
  static constexpr uint32_t kContended = uint32_t{1} << 31;
  static constexpr uint32_t kExclusive = uint32_t{1} << 30;
  using Queue = std::deque<WaiterPtr>;
  static bool isFree(uint32_t state, Mode mode);
  static uint32_t withHolder(uint32_t state, Mode mode);
  static uint32_t withoutHolder(uint32_t state, Mode mode);
  bool unlockUncontended(uint32_t stripe, Mode mode);  // false: there are waiters
  bool enqueue(uint32_t stripe, const WaiterPtr& waiter);
  bool expire(uint32_t stripe, const WaiterPtr& waiter);
  // REQUIRES: mutex_ is held. Grants the stripe, currently held as in `state`, to the first compatible waiters of its
  // queue and returns them; the caller resumes them after mutex_ is released.
  std::vector<WaiterPtr> grant(uint32_t stripe, uint32_t state);

  std::vector<std::atomic<uint32_t>> states_;
  std::mutex mutex_;                             // guards waiting_
  std::unordered_map<uint32_t, Queue> waiting_;  // no queue is empty
};

// The stripes that one write holds in one table; the destructor releases them.
class HeldStripes {
 public:
  explicit HeldStripes(KeyLocks& locks) : locks_(&locks) {}
  HeldStripes(const HeldStripes&) = delete;
  HeldStripes& operator=(const HeldStripes&) = delete;
  ~HeldStripes() { release(); }

  void add(std::string_view key, KeyLocks::Mode mode = KeyLocks::Mode::exclusive) {
    stripes_.push_back({locks_->stripeOf(key), mode});
  }
  void reserve(size_t keys) { stripes_.reserve(keys); }
  // Sorts the added stripes and locks them in that order until one is not free; true if all are held. A stripe that was
  // added in both modes is locked exclusively.
  bool tryAll();
  bool allHeld() const { return held_ == stripes_.size(); }
  // Locks the remaining stripes; false past the deadline.
  Async<bool> waitAll(Deadline deadline);
  void release();

 private:
  struct Stripe {
    uint32_t number;
    KeyLocks::Mode mode;
    auto operator<=>(const Stripe&) const = default;
  };
  KeyLocks* locks_;
  boost::container::small_vector<Stripe, 4> stripes_;
  size_t held_ = 0;
};

}  // namespace mb::store
