// What a run asks of its host. At most clone::kMaxCallsAtOnce are told at a time, the others wait here; the bounds of
// clone/frames.h reject a call's promise.
#pragma once

#include <v8.h>

#include <deque>
#include <string>
#include <unordered_map>

#include "wire.h"

namespace mb::worker {

class Calls {
 public:
  explicit Calls(Wire& wire) : wire_(wire) {}

  // A promise that is settled by the answer, or at once where the call is refused. Empty: the guest threw.
  v8::MaybeLocal<v8::Promise> start(v8::Local<v8::Context> context, std::string_view operation,
                                    v8::Local<v8::Value> arguments);
  // An answer's frame. One to a call that is not open is for a run that is over.
  void answer(v8::Local<v8::Context> context, clone::Reader& frame);
  bool idle() const { return open_.empty(); }
  // The end of a run: what is open is never answered.
  void clear();

 private:
  struct Open {
    v8::Global<v8::Promise::Resolver> resolver;
    std::string trace;  // where it was called
  };
  struct Waiting {
    uint32_t id;
    std::string operation;
    std::string arguments;
  };

  void tell(uint32_t id, std::string_view operation, std::string_view arguments);
  const char* refusal() const;

  Wire& wire_;
  std::unordered_map<uint32_t, Open> open_;  // with those that wait
  std::deque<Waiting> waiting_;
  uint32_t told_ = 0;  // how many the host has before it
  uint32_t made_ = 0;  // in this run
  size_t bytes_ = 0;   // both ways, in this run
  uint32_t last_ = 0;  // ids go up as long as the process lives
};

// The function that boot/bridge.js calls.
void addCalls(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);

}  // namespace mb::worker
