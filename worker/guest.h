// The Guest is the state of the current run, which the native functions use. One run at a time.
#pragma once

#include <v8.h>

#include "calls.h"
#include "rejections.h"
#include "timers.h"
#include "wire.h"

namespace mb::worker {

struct Guest {
  explicit Guest(Wire& to) : wire(to), calls(to) {}
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  static Guest& of(v8::Isolate* isolate) { return *static_cast<Guest*>(isolate->GetData(0)); }
  void installIn(v8::Isolate* isolate) { isolate->SetData(0, this); }

  // The beginning and the end of a run. No state is left for the next run.
  void begin(bool withoutLines);
  void end();

  Wire& wire;
  uint32_t serial = 0;  // of the run; never 0
  bool quiet = false;   // lines are dropped
  uint32_t logLines = 0;
  Timers timers;
  Calls calls;
  Rejections rejections;
  v8::Global<v8::Value> uncaught;  // thrown in a microtask, where no code could catch it
};

inline void Guest::begin(bool withoutLines) {
  if (++serial == 0) ++serial;
  quiet = withoutLines;
  logLines = 0;
}

inline void Guest::end() {
  timers.clear();
  calls.clear();
  rejections.clear();
  uncaught.Reset();
}

}  // namespace mb::worker
