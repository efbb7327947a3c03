// A Runner executes one run of guest code: it evaluates the JS module, calls the handler, waits for its promise, and
// sends the result or failure. The watchdog is armed during all of it.
#pragma once

#include <v8.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  clone::BridgeKind bridge = clone::BridgeKind::none;
  std::optional<std::string_view> rawBody = {};  // of the context's request; in the received frame
};

class Runner {
 public:
  // `other` handles frames that arrive while a run waits, except for replies to calls.
  Runner(Engine& engine, Watchdog& watchdog, Guest& guest, Modules& modules, Realms& realms,
         std::function<void(Incoming&)> other);

  // Executes the run and sends its result. `values`: event and context.
  void run(RunCommand command, clone::Reader& values);

  // ---- for checks, which run guest code, too
  // Calls `work` with the watchdog armed. An interruption is a failure: timedOut or outOfMemory.
  std::optional<Failure> guarded(std::chrono::milliseconds timeout, bool withoutLines,
                                 const std::function<std::optional<Failure>()>& work);
  // Waits until the promise is settled; returns its value, or a failure. `map` is the source map of the running code.
  using Settled = std::variant<v8::Local<v8::Value>, Failure>;
  Settled settle(Realm& realm, v8::Local<v8::Value> promise, const std::string& map);
  // Instantiates and evaluates the JS module; returns its default export.
  using Evaluated = std::variant<v8::Local<v8::Function>, Failure>;
  Evaluated evaluate(Realm& realm, v8::Local<v8::Module> module, const std::string& map);

 private:
  std::optional<Failure> perform(Module& module, const RunCommand& command, clone::Reader& values, std::string& result);
  std::optional<Failure> prepare(Module& module);
  // Adds the body's bytes and the functions of the bridge to the context of a run.
  v8::MaybeLocal<v8::Value> completed(v8::Local<v8::Context> context, const Realm& realm, const RunCommand& command,
                                      v8::Local<v8::Value> given, v8::Local<v8::Value> rawBody);
  std::optional<Failure> write(v8::Local<v8::Context> context, v8::Local<v8::Value> value, std::string& result,
                               const Module& module);
  void sendRejections(Module& module);
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
