#include "watchdog.h"

#include <v8-isolate.h>

#include <thread>

#include "bounds.h"

namespace mb::worker {

Watchdog::Watchdog() {
  std::thread([this] { loop(); }).detach();
}

void Watchdog::watch(v8::Isolate* isolate) {
  const std::lock_guard lock(mutex_);
  isolate_ = isolate;
}

void Watchdog::arm(SteadyTime deadline) {
  bool sooner = false;
  {
    const std::lock_guard lock(mutex_);
    wentOff_ = false;
    deadline_ = deadline;
    sooner = deadline < wakes_;
  }
  if (sooner) changed_.notify_one();
}

bool Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  deadline_ = SteadyTime::max();
  return wentOff_;
}

bool Watchdog::wentOff() {
  const std::lock_guard lock(mutex_);
  return wentOff_;
}

void Watchdog::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= deadline_) {
      // Some loops of the engine itself (over sparse arrays, in parsers) cannot be interrupted.
      if (wentOff_) endProcess(kEndedStuck, "a run that cannot be interrupted");
      wentOff_ = true;
      deadline_ = now + kInterruptGrace;
      isolate_->TerminateExecution();
    }
    wakes_ = deadline_;
    if (wakes_ == SteadyTime::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, wakes_);
    }
  }
}

}  // namespace mb::worker
