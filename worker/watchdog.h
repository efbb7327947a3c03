// Ends guest code that runs too long: a thread of its own that interrupts the engine, and ends the process where that
// does not help. It starts before anything else, since the confinement forbids to start threads. Arming costs a lock;
// the thread wakes only when a deadline is over or an earlier one is set than it waits for.
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
  // Whether it has gone off since arm().
  bool disarm();
  bool wentOff();

 private:
  [[noreturn]] void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  v8::Isolate* isolate_ = nullptr;
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime wakes_ = SteadyTime::max();  // when the thread looks next by itself
  bool wentOff_ = false;
};

}  // namespace mb::worker
