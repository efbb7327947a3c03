#include "runner.h"

#include <time.h>

#include <algorithm>
#include <thread>

#include "bounds.h"
#include "console.h"
#include "values.h"

namespace mb::worker {

namespace {

using clone::FailReason;

std::chrono::nanoseconds cpuTime() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

Failure failureOf(FailReason reason, std::string message) {
  return {.reason = reason, .message = std::move(message), .stack = {}, .at = {}};
}

}  // namespace

Runner::Runner(Engine& engine, Watchdog& watchdog, Guest& guest, Modules& modules, Realms& realms,
               std::function<void(Incoming&)> other)
    : engine_(engine),
      watchdog_(watchdog),
      guest_(guest),
      modules_(modules),
      realms_(realms),
      other_(std::move(other)),
      isolate_(engine.isolate()) {}

void Runner::run(RunCommand command, clone::Reader& values) {
  const std::chrono::nanoseconds began = cpuTime();
  std::string result;
  const std::shared_ptr<Module> module = modules_.find(command.module);
  std::optional<Failure> failure;
  if (module == nullptr) {
    failure = failureOf(FailReason::notLoadable, "the module was not loaded");
  } else {
    // Not under the watchdog: the boot scripts must not be interrupted.
    if (!module->realm) module->realm.emplace(realms_.make());
    failure = guarded(command.timeout, false, [&] {
      std::optional<Failure> of = perform(*module, command, values, result);
      sendRejections(*module);
      return of;
    });
    if (failure && !clone::leavesModuleUsable(failure->reason)) module->forget();
  }
  const auto cpu = std::chrono::duration_cast<std::chrono::microseconds>(cpuTime() - began);
  clone::Writer frame = guest_.wire.begin(failure ? clone::FrameKind::failed : clone::FrameKind::done);
  frame.u64(command.run);
  frame.u64(static_cast<uint64_t>(cpu.count()));
  if (failure) {
    frame.byte(static_cast<uint8_t>(failure->reason));
    frame.text(failure->message);
    frame.text(failure->stack);
  } else {
    guest_.wire.raw(result);
  }
  guest_.wire.end();
  guest_.wire.flush();
}

std::optional<Failure> Runner::guarded(std::chrono::milliseconds timeout, bool withoutLines,
                                       const std::function<std::optional<Failure>()>& work) {
  guest_.begin(withoutLines);
  deadline_ = std::chrono::steady_clock::now() + timeout;
  std::optional<Failure> failure;
  if (!engine_.outOfMemory()) {
    watchdog_.arm(deadline_);
    {
      const v8::HandleScope scope(isolate_);
      failure = work();
    }
    const bool late = watchdog_.disarm();
    if (late || engine_.outOfMemory()) isolate_->CancelTerminateExecution();
    if (late) failure = failureOf(FailReason::timedOut, "timed out after " + std::to_string(timeout.count()) + " ms");
  }
  if (engine_.outOfMemory()) failure = failureOf(FailReason::outOfMemory, "out of memory: a run has 64 MiB");
  guest_.end();
  return failure;
}

bool Runner::interrupted() {
  return engine_.outOfMemory() || watchdog_.wentOff();
}

std::optional<Failure> Runner::perform(Module& module, const RunCommand& command, clone::Reader& values,
                                       std::string& result) {
  const v8::Local<v8::Context> context = module.realm->context(isolate_);
  const v8::Context::Scope entered(context);
  v8::TryCatch caught(isolate_);

  // Before another frame is received, which would overwrite them.
  v8::Local<v8::Value> rawBody = v8::Undefined(isolate_);
  if (command.rawBody && !bytesValue(isolate_, *command.rawBody).ToLocal(&rawBody)) {
    return describe(context, caught, {});
  }
  v8::Local<v8::Value> given[2];
  for (v8::Local<v8::Value>& value : given) {
    if (readValue(context, values).ToLocal(&value)) continue;
    if (values.failed()) endProcess(kEndedByBreach, "a run with malformed values");
    return describe(context, caught, {});
  }
  if (!given[1]->IsObject()) endProcess(kEndedByBreach, "a run whose context is not an object");
  if (std::optional<Failure> failure = prepare(module)) return failure;

  if (!completed(context, *module.realm, command, given[1], rawBody).ToLocal(&given[1]))
    return describe(context, caught, {});
  v8::Local<v8::Value> returned;
  if (!module.handler.Get(isolate_)->Call(context, v8::Undefined(isolate_), 2, given).ToLocal(&returned)) {
    if (interrupted()) return Failure{};
    Failure failure = describe(context, caught, positionsOf(context, module.map));
    drain(*module.realm);
    return failure;
  }
  if (returned->IsObject()) {
    Settled settled = settle(*module.realm, returned, module.map);
    if (auto* failure = std::get_if<Failure>(&settled)) return std::move(*failure);
    returned = std::get<v8::Local<v8::Value>>(settled);
  }
  std::optional<Failure> failure = write(context, returned, result, module);
  drain(*module.realm);
  return failure;
}

v8::MaybeLocal<v8::Value> Runner::completed(v8::Local<v8::Context> context, const Realm& realm,
                                            const RunCommand& command, v8::Local<v8::Value> given,
                                            v8::Local<v8::Value> rawBody) {
  if (command.bridge == clone::BridgeKind::none && !command.rawBody) return given;
  guest_.calls.setLimit(clone::maxCallsOf(command.bridge));
  v8::Local<v8::Value> arguments[] = {v8::Integer::NewFromUnsigned(isolate_, guest_.serial), given,
                                      v8::Integer::New(isolate_, static_cast<int>(command.bridge)), rawBody};
  return realm.bridge(isolate_)->Call(context, v8::Undefined(isolate_), 4, arguments);
}

std::optional<Failure> Runner::prepare(Module& module) {
  if (!module.handler.IsEmpty()) return std::nullopt;
  const v8::Local<v8::Context> context = module.realm->context(isolate_);
  v8::TryCatch caught(isolate_);
  v8::Local<v8::Module> compiled;
  std::optional<Failure> failure;
  if (!compileModule(context, module.source).ToLocal(&compiled)) {
    failure = describe(context, caught, positionsOf(context, module.map));
  } else {
    Evaluated evaluated = evaluate(*module.realm, compiled, module.map);
    if (auto* handler = std::get_if<v8::Local<v8::Function>>(&evaluated)) {
      module.handler.Reset(isolate_, *handler);
    } else {
      failure = std::get<Failure>(std::move(evaluated));
    }
  }
  if (failure) failure->reason = FailReason::notLoadable;
  return failure;
}

Runner::Evaluated Runner::evaluate(Realm& realm, v8::Local<v8::Module> module, const std::string& map) {
  const v8::Local<v8::Context> context = realm.context(isolate_);
  v8::TryCatch caught(isolate_);
  v8::Local<v8::Value> promise;
  if (!module->InstantiateModule(context, refuseImport).FromMaybe(false) ||
      !module->Evaluate(context).ToLocal(&promise))
    return describe(context, caught, positionsOf(context, map));
  Settled settled = settle(realm, promise, map);
  if (auto* failure = std::get_if<Failure>(&settled)) return std::move(*failure);
  v8::Local<v8::Value> handler;
  if (!module->GetModuleNamespace().As<v8::Object>()->Get(context, text(isolate_, "default")).ToLocal(&handler))
    return describe(context, caught, positionsOf(context, map));
  if (!handler->IsFunction())
    return failureOf(FailReason::notLoadable, "There is no default export that is a function");
  return handler.As<v8::Function>();
}

Runner::Settled Runner::settle(Realm& realm, v8::Local<v8::Value> value, const std::string& map) {
  const v8::Local<v8::Context> context = realm.context(isolate_);
  v8::TryCatch caught(isolate_);
  if (!value->IsPromise()) {
    // Like await: a value with a function `then` is a promise as well.
    v8::Local<v8::Promise::Resolver> resolver;
    if (!v8::Promise::Resolver::New(context).ToLocal(&resolver) || resolver->Resolve(context, value).IsNothing())
      return describe(context, caught, positionsOf(context, map));
    value = resolver->GetPromise();
  }
  const auto promise = value.As<v8::Promise>();
  guest_.rejections.handled(promise);
  for (;;) {
    realm.queue().PerformCheckpoint(isolate_);
    if (interrupted()) return Failure{};
    if (!guest_.uncaught.IsEmpty()) return describe(context, guest_.uncaught.Get(isolate_), positionsOf(context, map));
    if (promise->State() == v8::Promise::kFulfilled) return promise->Result();
    if (promise->State() == v8::Promise::kRejected)
      return describe(context, promise->Result(), positionsOf(context, map));
    if (guest_.timers.empty() && guest_.calls.idle())
      return failureOf(FailReason::neverSettles, "The promise never settles: nothing is left that it could wait for");
    if (!wait(context)) return Failure{};
    if (std::optional<Failure> failure = runTimer(context, map)) return std::move(*failure);
  }
}

// Waits for a reply, the next timer or the deadline; false once the deadline is over.
bool Runner::wait(v8::Local<v8::Context> context) {
  const v8::HandleScope scope(isolate_);
  guest_.wire.flush();
  const SteadyTime until = std::min(deadline_, guest_.timers.next().value_or(deadline_));
  if (std::optional<Incoming> frame = guest_.wire.receive(until)) {
    if (frame->kind == clone::FrameKind::answer) {
      guest_.calls.onReply(context, frame->body);
    } else {
      other_(*frame);
    }
  }
  if (std::chrono::steady_clock::now() < deadline_) return true;
  // The watchdog's thread may be late: wait until it has interrupted the run.
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return false;
}

std::optional<Failure> Runner::runTimer(v8::Local<v8::Context> context, const std::string& map) {
  const v8::HandleScope scope(isolate_);
  const std::optional<Timers::Timer> timer = guest_.timers.takeDue(std::chrono::steady_clock::now());
  if (!timer) return std::nullopt;
  v8::TryCatch caught(isolate_);
  std::vector<v8::Local<v8::Value>> arguments;
  for (const auto& argument : timer->arguments) arguments.push_back(argument.Get(isolate_));
  const auto called = timer->function.Get(isolate_)->Call(context, v8::Undefined(isolate_),
                                                          static_cast<int>(arguments.size()), arguments.data());
  if (!called.IsEmpty() || interrupted()) return std::nullopt;
  return describe(context, caught, positionsOf(context, map));
}

// Runs the microtasks that are still queued, before the run is over.
void Runner::drain(Realm& realm) {
  if (!interrupted()) realm.queue().PerformCheckpoint(isolate_);
}

// At the end of the run, when no code can handle them any more.
void Runner::sendRejections(Module& module) {
  const std::vector<v8::Global<v8::Value>> reasons = guest_.rejections.take();
  if (reasons.empty() || interrupted()) return;
  const v8::Local<v8::Context> context = module.realm->context(isolate_);
  const v8::Context::Scope entered(context);
  const SourceMap map = positionsOf(context, module.map);
  for (const v8::Global<v8::Value>& reason : reasons) {
    if (!hasCapacity(guest_)) return;
    const v8::HandleScope scope(isolate_);
    const Failure failure = describe(context, reason.Get(isolate_), map);
    if (interrupted()) return;
    const std::string where = failure.stack.empty() ? "" : "\n" + failure.stack;
    sendLine(guest_, clone::LogLevel::error, "Unhandled rejection: " + failure.message + where);
  }
}

std::optional<Failure> Runner::write(v8::Local<v8::Context> context, v8::Local<v8::Value> value, std::string& result,
                                     const Module& module) {
  const v8::TryCatch caught(isolate_);
  clone::Writer out(result);
  ValueWriter writer(context, out, clone::kMaxResultBytes);
  switch (writer.write(value)) {
    case Written::whole:
      return std::nullopt;
    case Written::threw:
      return interrupted() ? Failure{} : describe(context, caught, positionsOf(context, module.map));
    case Written::notCloneable:
      return failureOf(FailReason::notCloneable, "The result cannot be passed: " + writer.problem());
    case Written::tooLarge:
      return failureOf(FailReason::tooLarge, "The result is larger than 6 MiB");
  }
  return std::nullopt;
}

}  // namespace mb::worker
