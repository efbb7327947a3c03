// A Watchdog ends guest code that exceeds its deadline: its thread interrupts the engine, and ends the process if that
// does not help. It starts before anything else, since the confinement forbids new threads. Arming costs a lock; the
// thread wakes only at a deadline, or when an earlier one is set.
#pragma once

#include <condition_variable>
#include <mutex>

#include "wire.h"

namespace v8 {
class Isolate;
}

namespace mb::worker {

class Watchdog {
 public:
  Watchdog();  // starts the thread, which lives as long as the process

  void watch(v8::Isolate* isolate);
  void arm(SteadyTime deadline);
  // Both return whether it has interrupted the engine since arm().
  bool disarm();
  bool wentOff();

 private:
  [[noreturn]] void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  v8::Isolate* isolate_ = nullptr;
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime wakes_ = SteadyTime::max();  // when the thread wakes by itself
  bool wentOff_ = false;
};

}  // namespace mb::worker
