#include "console.h"

#include <algorithm>
#include <string>

#include "api/native.h"
#include "bounds.h"
#include "engine.h"
#include "failure.h"
#include "guest.h"

namespace mb::worker {

namespace {

using clone::LogLevel;

// An error as a plain object: JSON does not include an error's own properties.
v8::Local<v8::Value> legible(v8::Local<v8::Context> context, v8::Local<v8::Value> value) {
  if (!value->IsNativeError()) return value;
  v8::Isolate* isolate = context->GetIsolate();
  const v8::Local<v8::Object> both = v8::Object::New(isolate);
  for (const char* part : {"name", "message"}) {
    v8::Local<v8::Value> words;
    if (!value.As<v8::Object>()->Get(context, text(isolate, part)).ToLocal(&words)) return value;
    if (both->CreateDataProperty(context, text(isolate, part), words).IsNothing()) return value;
  }
  return both;
}

// Text is unchanged, other values become JSON, and values that JSON cannot represent are named as in JavaScript. Empty
// if the run is interrupted.
v8::MaybeLocal<v8::String> wordsOf(v8::Local<v8::Context> context, v8::Local<v8::Value> value) {
  if (value->IsString()) return value.As<v8::String>();
  v8::Isolate* isolate = context->GetIsolate();
  const v8::TryCatch caught(isolate);
  v8::Local<v8::String> words;
  if (!value->IsUndefined() && !value->IsFunction() && !value->IsSymbol() && !value->IsBigInt()) {
    if (v8::JSON::Stringify(context, legible(context, value)).ToLocal(&words)) return words;
    if (caught.HasTerminated()) return {};
  }
  // For cycles, BigInts inside, or a toJSON that throws: the name of the class. The code of a function is left out.
  if (value->IsFunction()) return text(isolate, "[function]");
  if (value->IsObject()) return value.As<v8::Object>()->GetConstructorName();
  return value->ToDetailString(context);
}

void sendArguments(const Arguments& arguments, LogLevel level) {
  v8::Isolate* isolate = arguments.GetIsolate();
  Guest& guest = Guest::of(isolate);
  if (!hasCapacity(guest)) return;
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  std::string line;
  for (int i = 0; i < arguments.Length() && line.size() < clone::kMaxLogBytes; ++i) {
    v8::Local<v8::String> words;
    if (i > 0) line.push_back(' ');
    if (!wordsOf(context, arguments[i]).ToLocal(&words)) return;
    line += clippedUtf8(isolate, words, clone::kMaxLogBytes - std::min<size_t>(line.size(), clone::kMaxLogBytes));
  }
  sendLine(guest, level, line);
}

template <LogLevel level>
void sendAt(const Arguments& arguments) {
  sendArguments(arguments, level);
}

}  // namespace

bool hasCapacity(const Guest& guest) {
  return !guest.quiet && guest.logLines < clone::kMaxLogLines;
}

void sendLine(Guest& guest, LogLevel level, std::string_view line) {
  if (!hasCapacity(guest)) return;
  ++guest.logLines;
  clone::Writer frame = guest.wire.begin(clone::FrameKind::log);
  frame.byte(static_cast<uint8_t>(level));
  frame.text(clipped(line, clone::kMaxLogBytes));
  guest.wire.end();
  if (guest.wire.waiting() > kFlushBytes) guest.wire.flush();
}

void addConsole(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  const v8::Local<v8::ObjectTemplate> console = v8::ObjectTemplate::New(isolate);
  addFunction(isolate, console, "log", sendAt<LogLevel::log>);
  addFunction(isolate, console, "info", sendAt<LogLevel::info>);
  addFunction(isolate, console, "warn", sendAt<LogLevel::warn>);
  addFunction(isolate, console, "error", sendAt<LogLevel::error>);
  addFunction(isolate, console, "debug", sendAt<LogLevel::debug>);
  native->Set(text(isolate, "console"), console);
}

}  // namespace mb::worker
