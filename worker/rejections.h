// Promises that were rejected and that nobody handles, while a run goes on.
#pragma once

#include <v8.h>

#include <vector>

namespace mb::worker {

// Keeps the first kMaxRejections; what a run makes of them beyond is dropped, as lines of the console are.
class Rejections {
 public:
  // Hears of them from now on, for Guest::of(isolate).
  static void watch(v8::Isolate* isolate);

  // Whoever waits for it handles it, though not by a handler of the language's.
  void handled(v8::Local<v8::Promise> promise);
  // Why, of those that are left, in the order in which they came.
  std::vector<v8::Global<v8::Value>> take();
  void clear() { open_.clear(); }

 private:
  struct Open {
    v8::Global<v8::Promise> promise;
    v8::Global<v8::Value> reason;
  };
  static void hear(v8::PromiseRejectMessage message);
  void forget(v8::Local<v8::Promise> promise);

  std::vector<Open> open_;
};

}  // namespace mb::worker
