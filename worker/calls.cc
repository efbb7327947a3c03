#include "calls.h"

#include "api/native.h"
#include "engine.h"
#include "failure.h"
#include "guest.h"
#include "values.h"

namespace mb::worker {

namespace {

constexpr int kTraceFrames = 8;

// A trace in the form of the engine's own traces, so that its positions are translated like theirs.
std::string traceOf(v8::Isolate* isolate) {
  std::string trace;
  const v8::Local<v8::StackTrace> frames = v8::StackTrace::CurrentStackTrace(isolate, kTraceFrames);
  for (int i = 0; i < frames->GetFrameCount(); ++i) {
    const v8::Local<v8::StackFrame> frame = frames->GetFrame(isolate, static_cast<uint32_t>(i));
    const v8::String::Utf8Value script(isolate, frame->GetScriptName());
    if (*script == nullptr || std::string_view(*script) != kCodeName) continue;
    const v8::String::Utf8Value function(isolate, frame->GetFunctionName());
    const std::string place = std::string(kCodeName) + ":" + std::to_string(frame->GetLineNumber()) + ":" +
                              std::to_string(frame->GetColumn());
    trace += "\n    at ";
    trace += function.length() > 0 ? clipped(*function, 100) + " (" + place + ")" : place;
  }
  return trace;
}

v8::Local<v8::Value> errorOf(v8::Local<v8::Context> context, std::string_view code, std::string_view message,
                             std::string_view trace) {
  v8::Isolate* isolate = context->GetIsolate();
  const v8::Local<v8::Object> error = v8::Exception::Error(text(isolate, message)).As<v8::Object>();
  const std::string stack = "Error: " + std::string(message) + std::string(trace);
  // Both only fail if the run is interrupted, and then it ends anyway.
  [[maybe_unused]] const auto named = error->DefineOwnProperty(context, text(isolate, "code"), text(isolate, code));
  [[maybe_unused]] const auto traced =
      error->DefineOwnProperty(context, text(isolate, "stack"), text(isolate, stack), v8::DontEnum);
  return error;
}

// (run, operation, arguments). A call of a run that is over is rejected.
void call(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  Guest& guest = Guest::of(isolate);
  v8::Local<v8::Promise> promise;
  if (arguments[0].As<v8::Uint32>()->Value() == guest.serial) {
    const v8::String::Utf8Value operation(isolate, arguments[1]);
    if (!guest.calls.start(context, {*operation, static_cast<size_t>(operation.length())}, arguments[2])
             .ToLocal(&promise)) {
      return;
    }
  } else {
    v8::Local<v8::Promise::Resolver> resolver;
    if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return;
    const auto error = errorOf(context, "RUN_OVER", "The run that this belongs to is over", traceOf(isolate));
    if (resolver->Reject(context, error).IsNothing()) return;
    promise = resolver->GetPromise();
  }
  arguments.GetReturnValue().Set(promise);
}

}  // namespace

const char* Calls::refusal() const {
  if (started_ >= limit_) {
    return limit_ == clone::kMaxLookups ? "More than 5 lookups in one run" : "More than 1000 calls in one run";
  }
  if (bytes_ > clone::kMaxBridgeBytes) return "More than 64 MiB passed in the calls of one run";
  return nullptr;
}

v8::MaybeLocal<v8::Promise> Calls::start(v8::Local<v8::Context> context, std::string_view operation,
                                         v8::Local<v8::Value> arguments) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
  std::string trace = traceOf(isolate);
  const auto refuse = [&](const char* code, std::string_view why) -> v8::MaybeLocal<v8::Promise> {
    if (resolver->Reject(context, errorOf(context, code, why, trace)).IsNothing()) return {};
    return resolver->GetPromise();
  };
  if (const char* why = refusal()) return refuse("LIMIT", why);

  std::string bytes;
  clone::Writer out(bytes);
  const uint32_t maxBytes = clone::maxCallBytes(operation);
  ValueWriter writer(context, out, maxBytes);
  switch (writer.write(arguments)) {
    case Written::whole:
      break;
    case Written::threw:
      return {};
    case Written::notCloneable:
      return refuse("DATA_CLONE", writer.problem());
    case Written::tooLarge:
      return refuse("LIMIT", "The arguments of this call are larger than " + std::to_string(maxBytes >> 20) + " MiB");
  }
  bytes_ += bytes.size();
  if (const char* why = refusal()) return refuse("LIMIT", why);
  ++started_;
  const uint32_t id = ++last_;
  open_.emplace(id, Open{.resolver = {isolate, resolver}, .trace = std::move(trace)});
  if (sent_ < clone::kMaxCallsAtOnce) {
    send(id, operation, bytes);
  } else {
    waiting_.push_back({.id = id, .operation = std::string(operation), .arguments = std::move(bytes)});
  }
  return resolver->GetPromise();
}

void Calls::send(uint32_t id, std::string_view operation, std::string_view arguments) {
  ++sent_;
  clone::Writer frame = wire_.begin(clone::FrameKind::call);
  frame.u32(id);
  frame.text(operation);
  wire_.raw(arguments);
  wire_.end();
}

void Calls::onReply(v8::Local<v8::Context> context, clone::Reader& frame) {
  v8::Isolate* isolate = context->GetIsolate();
  bytes_ += frame.left();
  const uint32_t id = frame.u32();
  const bool well = frame.byte() == 1;
  const auto found = open_.find(id);
  if (found == open_.end() || frame.failed()) return;
  const Open call = std::move(found->second);
  open_.erase(found);
  --sent_;
  if (!waiting_.empty()) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    send(next.id, next.operation, next.arguments);
  }
  const v8::Local<v8::Promise::Resolver> resolver = call.resolver.Get(isolate);
  const v8::TryCatch caught(isolate);
  v8::Local<v8::Value> value;
  if (!well) {
    const std::string code(frame.text());
    const std::string message(frame.text());
    [[maybe_unused]] const auto done = resolver->Reject(context, errorOf(context, code, message, call.trace));
  } else if (readValue(context, frame).ToLocal(&value)) {
    [[maybe_unused]] const auto done = resolver->Resolve(context, value);
  } else if (!frame.failed() && !caught.HasTerminated() && caught.HasCaught()) {
    [[maybe_unused]] const auto done = resolver->Reject(context, caught.Exception());  // no memory for its buffers
  } else if (!caught.HasTerminated()) {
    endProcess(kEndedByBreach, "a reply without a valid value");
  }
}

void Calls::clear() {
  open_.clear();
  waiting_.clear();
  sent_ = 0;
  started_ = 0;
  limit_ = clone::kMaxCalls;
  bytes_ = 0;
}

void addCalls(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  addFunction(isolate, native, "call", call);
}

}  // namespace mb::worker
