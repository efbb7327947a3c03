// The promises of the current run that were rejected and have no handler.
#pragma once

#include <v8.h>

#include <vector>

namespace mb::worker {

// Keeps the first kMaxRejections of a run and drops the others.
class Rejections {
 public:
  // Collects rejections from now on, for Guest::of(isolate).
  static void watch(v8::Isolate* isolate);

  // Marks the promise as handled: native code waits for it.
  void handled(v8::Local<v8::Promise> promise);
  // The reasons of the remaining rejections, in their order.
  std::vector<v8::Global<v8::Value>> take();
  void clear() { open_.clear(); }

 private:
  struct Open {
    v8::Global<v8::Promise> promise;
    v8::Global<v8::Value> reason;
  };
  static void onReject(v8::PromiseRejectMessage message);
  void forget(v8::Local<v8::Promise> promise);

  std::vector<Open> open_;
};

}  // namespace mb::worker
