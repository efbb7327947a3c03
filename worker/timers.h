// The timers of a run (setTimeout). They do not outlive the run.
#pragma once

#include <v8.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "wire.h"

namespace mb::worker {

class Timers {
 public:
  struct Timer {
    v8::Global<v8::Function> function;
    std::vector<v8::Global<v8::Value>> arguments;
  };

  // An id that no other timer of this process has; 0 if kMaxTimers are pending.
  uint32_t add(Timer timer, std::chrono::milliseconds delay);
  void remove(uint32_t id);
  void clear() {
    timers_.clear();
    times_.clear();
  }
  bool empty() const { return timers_.empty(); }
  std::optional<SteadyTime> next() const;
  // Removes and returns the first due timer.
  std::optional<Timer> takeDue(SteadyTime now);

 private:
  uint32_t last_ = 0;
  std::map<std::pair<SteadyTime, uint32_t>, Timer> timers_;
  std::map<uint32_t, SteadyTime> times_;
};

// The globals setTimeout, clearTimeout and queueMicrotask.
void addTimers(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> global);

}  // namespace mb::worker
