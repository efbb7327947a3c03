#include "store/embedded/key_locks.h"

namespace mb::store::embedded {

bool KeyLocks::tryLock(uint32_t stripe) {
  uint8_t expected = free;
  return states_[stripe].compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
}

Async<bool> KeyLocks::lock(uint32_t stripe, Deadline deadline) {
  co_return co_await waitInQueue(
      std::make_shared<Waiter>(), deadline, [this, stripe](const WaiterPtr& waiter) { return enqueue(stripe, waiter); },
      [this, stripe](const WaiterPtr& waiter) { return expire(stripe, waiter); });
}

void KeyLocks::unlock(uint32_t stripe) {
  uint8_t expected = held;
  if (states_[stripe].compare_exchange_strong(expected, free, std::memory_order_release, std::memory_order_relaxed)) {
    return;
  }
  WaiterPtr next;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = waiting_.find(stripe);
    if (queue != waiting_.end()) {
      next = std::move(queue->second.front());
      queue->second.pop_front();
      if (queue->second.empty()) waiting_.erase(queue);
    }
    states_[stripe].store(next ? (waiting_.contains(stripe) ? contended : held) : free, std::memory_order_release);
  }
  if (next) next->grant();
}

bool KeyLocks::enqueue(uint32_t stripe, const WaiterPtr& waiter) {
  const std::lock_guard lock(mutex_);
  uint8_t seen = states_[stripe].load(std::memory_order_relaxed);
  while (seen != contended) {
    const uint8_t wanted = seen == free ? held : contended;
    if (!states_[stripe].compare_exchange_weak(seen, wanted, std::memory_order_acquire, std::memory_order_relaxed)) {
      continue;
    }
    if (wanted == held) return true;
    break;
  }
  waiting_[stripe].push_back(waiter);
  return false;
}

bool KeyLocks::expire(uint32_t stripe, const WaiterPtr& waiter) {
  const std::lock_guard lock(mutex_);
  const auto queue = waiting_.find(stripe);
  if (queue == waiting_.end()) return false;
  const auto place = std::find(queue->second.begin(), queue->second.end(), waiter);
  if (place == queue->second.end()) return false;
  queue->second.erase(place);
  if (queue->second.empty()) waiting_.erase(queue);
  return true;
}

bool HeldStripes::tryAll() {
  std::sort(stripes_.begin(), stripes_.end());
  stripes_.erase(std::unique(stripes_.begin(), stripes_.end()), stripes_.end());
  while (held_ < stripes_.size() && locks_->tryLock(stripes_[held_])) ++held_;
  return held_ == stripes_.size();
}

Async<bool> HeldStripes::waitAll(Deadline deadline) {
  while (held_ < stripes_.size()) {
    if (!locks_->tryLock(stripes_[held_])) {
      const bool granted = co_await locks_->lock(stripes_[held_], deadline);
      if (!granted) co_return false;
    }
    ++held_;
  }
  co_return true;
}

void HeldStripes::release() {
  while (held_ > 0) locks_->unlock(stripes_[--held_]);
}

}  // namespace mb::store::embedded
