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

// An error's own properties are not seen by JSON.
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

// Text as it stands, all else as JSON, and what JSON has no word for in the language's own. Nothing where that is
// interrupted.
v8::MaybeLocal<v8::String> wordsOf(v8::Local<v8::Context> context, v8::Local<v8::Value> value) {
  if (value->IsString()) return value.As<v8::String>();
  v8::Isolate* isolate = context->GetIsolate();
  const v8::TryCatch caught(isolate);
  v8::Local<v8::String> words;
  if (!value->IsUndefined() && !value->IsFunction() && !value->IsSymbol() && !value->IsBigInt()) {
    if (v8::JSON::Stringify(context, legible(context, value)).ToLocal(&words)) return words;
    if (caught.HasTerminated()) return {};
  }
  // Circles, BigInts inside, toJSON that throws: its kind at least. A function is not shown whole.
  if (value->IsFunction()) return text(isolate, "[function]");
  if (value->IsObject()) return value.As<v8::Object>()->GetConstructorName();
  return value->ToDetailString(context);
}

void tell(const Arguments& arguments, LogLevel level) {
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
  tellLine(guest, level, line);
}

template <LogLevel level>
void tellAt(const Arguments& arguments) {
  tell(arguments, level);
}

}  // namespace

bool hasCapacity(const Guest& guest) {
  return !guest.quiet && guest.logLines < clone::kMaxLogLines;
}

void tellLine(Guest& guest, LogLevel level, std::string_view line) {
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
  addFunction(isolate, console, "log", tellAt<LogLevel::log>);
  addFunction(isolate, console, "info", tellAt<LogLevel::info>);
  addFunction(isolate, console, "warn", tellAt<LogLevel::warn>);
  addFunction(isolate, console, "error", tellAt<LogLevel::error>);
  addFunction(isolate, console, "debug", tellAt<LogLevel::debug>);
  native->Set(text(isolate, "console"), console);
}

}  // namespace mb::worker
