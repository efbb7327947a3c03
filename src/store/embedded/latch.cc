#include "store/embedded/latch.h"

namespace mb::store::embedded {

bool Latch::tryShared() {
  uint32_t seen = state_.load(std::memory_order_relaxed);
  while ((seen & kSlow) == 0) {
    if (state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  }
  return false;
}

Async<bool> Latch::shared(Deadline deadline) {
  if (tryShared()) co_return true;
  co_return co_await wait(false, deadline);
}

Async<bool> Latch::exclusive(Deadline deadline) {
  co_return co_await wait(true, deadline);
}

Async<bool> Latch::wait(bool exclusive, Deadline deadline) {
  auto waiter = std::make_shared<Waiter>();
  waiter->exclusive = exclusive;
  co_return co_await waitInQueue(
      waiter, deadline, [this](const WaiterPtr& mine) { return enqueue(mine); },
      [this](const WaiterPtr& mine) { return expire(mine); });
}

bool Latch::enqueue(const WaiterPtr& waiter) {
  const std::lock_guard lock(mutex_);
  const uint32_t before = state_.fetch_or(kSlow, std::memory_order_acquire);
  const bool free = !exclusivelyHeld_ && waiting_.empty();
  if (free && !waiter->exclusive) {
    state_.fetch_add(1, std::memory_order_acquire);
    state_.fetch_and(~kSlow, std::memory_order_relaxed);
    return true;
  }
  if (free && (before & ~kSlow) == 0) {
    exclusivelyHeld_ = true;
    return true;
  }
  waiting_.push_back(waiter);
  return false;
}

void Latch::releaseShared() {
  const uint32_t before = state_.fetch_sub(1, std::memory_order_release);
  if ((before & kSlow) != 0 && (before & ~kSlow) == 1) wake();
}

void Latch::releaseExclusive() {
  {
    const std::lock_guard lock(mutex_);
    exclusivelyHeld_ = false;
  }
  wake();
}

bool Latch::expire(const WaiterPtr& waiter) {
  {
    const std::lock_guard lock(mutex_);
    const auto position = std::find(waiting_.begin(), waiting_.end(), waiter);
    if (position == waiting_.end()) return false;
    waiting_.erase(position);
  }
  wake();
  return true;
}

std::vector<WaiterPtr> Latch::grant() {
  const std::lock_guard lock(mutex_);
  std::vector<WaiterPtr> granted;
  while (!waiting_.empty() && !exclusivelyHeld_) {
    if (waiting_.front()->exclusive) {
      if ((state_.load(std::memory_order_acquire) & ~kSlow) != 0) break;
      exclusivelyHeld_ = true;
    } else {
      state_.fetch_add(1, std::memory_order_acquire);
    }
    granted.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (waiting_.empty() && !exclusivelyHeld_) state_.fetch_and(~kSlow, std::memory_order_release);
  return granted;
}

void Latch::wake() {
  for (const WaiterPtr& waiter : grant()) waiter->grant();
}

}  // namespace mb::store::embedded
