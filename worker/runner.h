// One run of guest code from beginning to end: its module made ready, its handler called, everything awaited that it
// waits for, its result or failure put into words. The watchdog is armed over all of it.
#pragma once

#include <v8.h>

#include <functional>
#include <string>
#include <variant>

#include "engine.h"
#include "failure.h"
#include "guest.h"
#include "modules.h"
#include "watchdog.h"

namespace mb::worker {

struct RunCommand {
  uint64_t run = 0;
  std::string module;
  std::chrono::milliseconds timeout{0};
  bool bridge = false;
};

class Runner {
 public:
  // Frames that come while a run waits, and that are no answers: handled by `other`.
  Runner(Engine& engine, Watchdog& watchdog, Guest& guest, Modules& modules, Realms& realms,
         std::function<void(Incoming&)> other);

  // Runs, and tells the server. `values`: event and context.
  void run(RunCommand command, clone::Reader& values);

  // ---- for checks, which run guest code too
  // Arms the watchdog, calls, and disarms; what was interrupted is a failure: timedOut or outOfMemory.
  std::optional<Failure> guarded(std::chrono::milliseconds timeout, bool withoutLines,
                                 const std::function<std::optional<Failure>()>& work);
  // Waits until the promise is settled: its value, or why there is none. `map` is the source map of what runs.
  using Settled = std::variant<v8::Local<v8::Value>, Failure>;
  Settled settle(Realm& realm, v8::Local<v8::Value> promise, const std::string& map);
  // Instantiates and evaluates: its default export.
  using Evaluated = std::variant<v8::Local<v8::Function>, Failure>;
  Evaluated evaluate(Realm& realm, v8::Local<v8::Module> module, const std::string& map);

 private:
  std::optional<Failure> perform(Module& module, const RunCommand& command, clone::Reader& values, std::string& result);
  std::optional<Failure> prepare(Module& module);
  // The context of a run that may call its host.
  v8::MaybeLocal<v8::Value> withBridge(v8::Local<v8::Context> context, const Realm& realm, v8::Local<v8::Value> given);
  std::optional<Failure> write(v8::Local<v8::Context> context, v8::Local<v8::Value> value, std::string& result,
                               const Module& module);
  void tellRejections(Module& module);
  bool interrupted();
  bool wait(v8::Local<v8::Context> context);
  std::optional<Failure> runTimer(v8::Local<v8::Context> context, const std::string& map);
  void drain(Realm& realm);

  Engine& engine_;
  Watchdog& watchdog_;
  Guest& guest_;
  Modules& modules_;
  Realms& realms_;
  std::function<void(Incoming&)> other_;
  v8::Isolate* isolate_;
  SteadyTime deadline_;
};

}  // namespace mb::worker
