#include "store/embedded/backlog.h"

namespace mb::store::embedded {

void Backlog::add(TaskSubject subject) {
  {
    const std::lock_guard lock(mutex_);
    const auto [at, isNew] = states_.try_emplace(subject, State::waiting);
    if (!isNew && at->second == State::running) at->second = State::runningToBeRepeated;
    if (!isNew) return;
    waiting_.push_back(subject);
    if (running_ == limit_) return;
    ++running_;
  }
  // Refused when the store stops, which ends the backlog too.
  group_.spawn(executor_, drain());
}

Async<void> Backlog::drain() {
  while (const auto subject = next()) {
    co_await work_(*subject);
    done(*subject);
  }
}

std::optional<TaskSubject> Backlog::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    --running_;
    return std::nullopt;
  }
  const TaskSubject subject = waiting_.front();
  waiting_.pop_front();
  states_[subject] = State::running;
  return subject;
}

void Backlog::done(const TaskSubject& subject) {
  const std::lock_guard lock(mutex_);
  const auto at = states_.find(subject);
  if (std::exchange(at->second, State::waiting) == State::running) {
    states_.erase(at);
  } else {
    waiting_.push_back(subject);
  }
}

}  // namespace mb::store::embedded
