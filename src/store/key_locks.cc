#include "store/key_locks.h"

namespace mb::store {

bool KeyLocks::isFree(uint32_t state, Mode mode) {
  return mode == Mode::shared ? (state & (kContended | kExclusive)) == 0 : state == 0;
}

uint32_t KeyLocks::withHolder(uint32_t state, Mode mode) {
  return mode == Mode::shared ? state + 1 : state | kExclusive;
}

uint32_t KeyLocks::withoutHolder(uint32_t state, Mode mode) {
  return mode == Mode::shared ? state - 1 : state & ~kExclusive;
}

bool KeyLocks::tryLock(uint32_t stripe, Mode mode) {
  std::atomic<uint32_t>& state = states_[stripe];
  if (mode == Mode::exclusive) {
    uint32_t expected = 0;
    return state.compare_exchange_strong(expected, kExclusive, std::memory_order_acquire, std::memory_order_relaxed);
  }
  uint32_t seen = state.load(std::memory_order_relaxed);
  while (isFree(seen, mode)) {
    if (state.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  }
  return false;
}

Async<bool> KeyLocks::lock(uint32_t stripe, Mode mode, Deadline deadline) {
  auto waiter = std::make_shared<Waiter>();
  waiter->exclusive = mode == Mode::exclusive;
  co_return co_await waitInQueue(
      std::move(waiter), deadline, [this, stripe](const WaiterPtr& waiting) { return enqueue(stripe, waiting); },
      [this, stripe](const WaiterPtr& waiting) { return expire(stripe, waiting); });
}

void KeyLocks::unlock(uint32_t stripe, Mode mode) {
  if (unlockUncontended(stripe, mode)) return;
  std::vector<WaiterPtr> granted;
  {
    const std::lock_guard lock(mutex_);
    // The last waiter may have timed out since.
    if (unlockUncontended(stripe, mode)) return;
    granted = grant(stripe, withoutHolder(states_[stripe].load(std::memory_order_relaxed), mode));
  }
  for (const WaiterPtr& waiter : granted) waiter->grant();
}

bool KeyLocks::unlockUncontended(uint32_t stripe, Mode mode) {
  std::atomic<uint32_t>& state = states_[stripe];
  uint32_t seen = state.load(std::memory_order_relaxed);
  while ((seen & kContended) == 0) {
    if (state.compare_exchange_weak(seen, withoutHolder(seen, mode), std::memory_order_release,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

std::vector<WaiterPtr> KeyLocks::grant(uint32_t stripe, uint32_t state) {
  std::vector<WaiterPtr> granted;
  state &= ~kContended;
  const auto queue = waiting_.find(stripe);
  if (queue != waiting_.end()) {
    while (!queue->second.empty()) {
      const Mode mode = queue->second.front()->exclusive ? Mode::exclusive : Mode::shared;
      if (!isFree(state, mode)) break;
      state = withHolder(state, mode);
      granted.push_back(std::move(queue->second.front()));
      queue->second.pop_front();
    }
    if (queue->second.empty()) {
      waiting_.erase(queue);
    } else {
      state |= kContended;
    }
  }
  states_[stripe].store(state, std::memory_order_release);
  return granted;
}

bool KeyLocks::enqueue(uint32_t stripe, const WaiterPtr& waiter) {
  const Mode mode = waiter->exclusive ? Mode::exclusive : Mode::shared;
  const std::lock_guard lock(mutex_);
  uint32_t seen = states_[stripe].load(std::memory_order_relaxed);
  while ((seen & kContended) == 0) {
    const bool free = isFree(seen, mode);
    const uint32_t wanted = free ? withHolder(seen, mode) : seen | kContended;
    if (!states_[stripe].compare_exchange_weak(seen, wanted, std::memory_order_acquire, std::memory_order_relaxed)) {
      continue;
    }
    if (free) return true;
    break;
  }
  waiting_[stripe].push_back(waiter);
  return false;
}

bool KeyLocks::expire(uint32_t stripe, const WaiterPtr& waiter) {
  std::vector<WaiterPtr> granted;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = waiting_.find(stripe);
    if (queue == waiting_.end()) return false;
    const auto position = std::find(queue->second.begin(), queue->second.end(), waiter);
    if (position == queue->second.end()) return false;
    queue->second.erase(position);
    // Waiters that were blocked only by this one can be granted now.
    granted = grant(stripe, states_[stripe].load(std::memory_order_relaxed));
  }
  for (const WaiterPtr& each : granted) each->grant();
  return true;
}

bool HeldStripes::tryAll() {
  // Exclusive sorts before shared, so unique() keeps it.
  std::sort(stripes_.begin(), stripes_.end());
  const auto last = std::unique(stripes_.begin(), stripes_.end(),
                                [](const Stripe& a, const Stripe& b) { return a.number == b.number; });
  stripes_.erase(last, stripes_.end());
  while (held_ < stripes_.size() && locks_->tryLock(stripes_[held_].number, stripes_[held_].mode)) ++held_;
  return held_ == stripes_.size();
}

Async<bool> HeldStripes::waitAll(Deadline deadline) {
  while (held_ < stripes_.size()) {
    const Stripe& next = stripes_[held_];
    if (!locks_->tryLock(next.number, next.mode)) {
      const bool granted = co_await locks_->lock(next.number, next.mode, deadline);
      if (!granted) co_return false;
    }
    ++held_;
  }
  co_return true;
}

void HeldStripes::release() {
  while (held_ > 0) {
    const Stripe& last = stripes_[--held_];
    locks_->unlock(last.number, last.mode);
  }
}

}  // namespace mb::store
