#include "store/own/breaker.h"

namespace mb::store::own {

bool Breaker::admits(Time now) {
  const std::lock_guard lock(mutex_);
  if (!open_) return true;
  if (now < nextTrial_) return false;
  nextTrial_ = now + kTrialInterval;
  return true;
}

bool Breaker::isOpen() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

void Breaker::fail(Time now) {
  const std::lock_guard lock(mutex_);
  if (open_) return;
  failures_.push_back(now);
  while (failures_.front() < now - kFailureWindow) failures_.pop_front();
  if (failures_.size() < kFailures) return;
  failures_.clear();
  open_ = true;
  nextTrial_ = now + kTrialInterval;
}

void Breaker::succeed() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  failures_.clear();
}

}  // namespace mb::store::own
