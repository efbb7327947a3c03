// Calls are a run's calls to its host. At most clone::kMaxCallsAtOnce are sent at a time, the others are queued here. A
// call past a bound of clone/frames.h has its promise rejected.
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

  // A promise that is settled by the reply, or at once if the call is refused. Empty: the guest threw.
  v8::MaybeLocal<v8::Promise> start(v8::Local<v8::Context> context, std::string_view operation,
                                    v8::Local<v8::Value> arguments);
  // Handles the frame of a reply. A reply to a call that is not open belongs to a former run, and is ignored.
  void onReply(v8::Local<v8::Context> context, clone::Reader& frame);
  bool idle() const { return open_.empty(); }
  // How many calls the run may make.
  void setLimit(uint32_t calls) { limit_ = calls; }
  // The end of a run: the promises of open calls are never settled.
  void clear();

 private:
  struct Open {
    v8::Global<v8::Promise::Resolver> resolver;
    std::string trace;  // of the caller
  };
  struct Waiting {
    uint32_t id;
    std::string operation;
    std::string arguments;
  };

  void send(uint32_t id, std::string_view operation, std::string_view arguments);
  const char* refusal() const;

  Wire& wire_;
  std::unordered_map<uint32_t, Open> open_;  // including those that wait
  std::deque<Waiting> waiting_;
  uint32_t sent_ = 0;     // without a reply yet
  uint32_t started_ = 0;  // in this run
  uint32_t limit_ = clone::kMaxCalls;
  size_t bytes_ = 0;   // both ways, in this run
  uint32_t last_ = 0;  // the last id; ids ascend as long as the process lives
};

// The function that boot/bridge.js calls.
void addCalls(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);

}  // namespace mb::worker
