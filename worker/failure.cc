#include "failure.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bounds.h"
#include "engine.h"

namespace mb::worker {

namespace {

std::optional<std::string> stringProperty(v8::Local<v8::Context> context, v8::Local<v8::Object> object,
                                          const char* name) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Value> value;
  if (!object->Get(context, text(isolate, name)).ToLocal(&value) || !value->IsString()) return std::nullopt;
  return clippedUtf8(isolate, value.As<v8::String>(), kMaxMessageBytes);
}

std::string messageOf(v8::Local<v8::Context> context, v8::Local<v8::Value> thrown) {
  v8::Isolate* isolate = context->GetIsolate();
  if (thrown->IsObject()) {
    const std::optional<std::string> message = stringProperty(context, thrown.As<v8::Object>(), "message");
    const std::optional<std::string> name = stringProperty(context, thrown.As<v8::Object>(), "name");
    if (message && (!name || *name == "Error" || name->empty())) return *message;
    if (message && name) return message->empty() ? *name : *name + ": " + *message;
  }
  v8::Local<v8::String> words;
  if (thrown->IsString()) return clippedUtf8(isolate, thrown.As<v8::String>(), kMaxMessageBytes);
  if (thrown->IsObject() && !thrown->IsFunction() && v8::JSON::Stringify(context, thrown).ToLocal(&words))
    return clippedUtf8(isolate, words, kMaxMessageBytes);
  if (thrown->ToDetailString(context).ToLocal(&words)) return clippedUtf8(isolate, words, kMaxMessageBytes);
  return "an exception that cannot be described";
}

// The position in "…code:3:14…", and the length of its text.
struct Found {
  size_t begin = 0;
  size_t end = 0;
  Position position;
};

std::optional<Found> positionIn(std::string_view line) {
  const std::string prefix = std::string(kCodeName) + ":";
  const size_t begin = line.rfind(prefix);
  if (begin == std::string_view::npos || begin == 0 || (line[begin - 1] != '(' && line[begin - 1] != ' '))
    return std::nullopt;
  Found found{.begin = begin, .end = 0, .position = {}};
  const char* at = line.data() + begin + prefix.size();
  const char* end = line.data() + line.size();
  const auto [afterLine, wrongLine] = std::from_chars(at, end, found.position.line);
  if (wrongLine != std::errc() || afterLine == end || *afterLine != ':') return std::nullopt;
  const auto [afterColumn, wrongColumn] = std::from_chars(afterLine + 1, end, found.position.column);
  if (wrongColumn != std::errc()) return std::nullopt;
  found.end = static_cast<size_t>(afterColumn - line.data());
  return found;
}

// Calls `each` with the lines of a trace that name a position in the guest's code.
template <class Each>
void eachFrame(std::string_view trace, Each each) {
  while (!trace.empty()) {
    const size_t end = std::min(trace.find('\n'), trace.size());
    std::string_view line = trace.substr(0, end);
    trace.remove_prefix(std::min(end + 1, trace.size()));
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos || !line.substr(first).starts_with("at ")) continue;
    line.remove_prefix(first);
    if (const std::optional<Found> found = positionIn(line)) each(line, *found);
  }
}

}  // namespace

std::string clipped(std::string_view words, size_t max) {
  if (words.size() <= max) return std::string(words);
  size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) --end;
  return std::string(words.substr(0, end));
}

std::string clippedUtf8(v8::Isolate* isolate, v8::Local<v8::String> words, size_t max) {
  // A UTF-16 unit is at most three bytes. A surrogate pair is never split: the engine writes whole characters.
  const size_t size = std::min(max, static_cast<size_t>(words->Length()) * 3);
  std::string bytes(size, '\0');
  bytes.resize(
      static_cast<size_t>(words->WriteUtf8(isolate, bytes.data(), static_cast<int>(size), nullptr,
                                           v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8)));
  return bytes;
}

std::string translated(std::string_view trace, const SourceMap& map) {
  std::string out;
  eachFrame(trace, [&](std::string_view line, const Found& found) {
    if (out.size() >= kMaxStackBytes) return;
    const Position position = map.original(found.position);
    if (!out.empty()) out.push_back('\n');
    out.append(line.substr(0, found.begin));
    out.append(std::to_string(position.line) + ":" + std::to_string(position.column));
    out.append(line.substr(found.end));
  });
  return clipped(out, kMaxStackBytes);
}

Failure describe(v8::Local<v8::Context> context, v8::Local<v8::Value> thrown, const SourceMap& map) {
  v8::Isolate* isolate = context->GetIsolate();
  const v8::HandleScope scope(isolate);
  const v8::TryCatch caught(isolate);
  Failure failure;
  failure.message = messageOf(context, thrown);
  if (!thrown->IsObject()) return failure;
  const std::optional<std::string> trace = stringProperty(context, thrown.As<v8::Object>(), "stack");
  if (!trace) return failure;
  failure.stack = translated(*trace, map);
  eachFrame(*trace, [&](std::string_view, const Found& found) {
    if (failure.at.line == 0) failure.at = map.original(found.position);
  });
  return failure;
}

Failure describe(v8::Local<v8::Context> context, const v8::TryCatch& caught, const SourceMap& map) {
  // An interruption is not an exception. Runner::guarded() sets the reason.
  if (!caught.HasCaught() || caught.HasTerminated() || caught.Exception().IsEmpty())
    return {.reason = clone::FailReason::threw, .message = "interrupted", .stack = {}, .at = {}};
  Failure failure = describe(context, caught.Exception(), map);
  const v8::Local<v8::Message> message = caught.Message();
  if (failure.at.line != 0 || message.IsEmpty()) return failure;
  if (!message->GetScriptResourceName()->StrictEquals(text(context->GetIsolate(), kCodeName))) return failure;
  const int line = message->GetLineNumber(context).FromMaybe(0);
  const int column = message->GetStartColumn(context).FromMaybe(-1) + 1;
  if (line <= 0) return failure;
  failure.at = map.original({.line = static_cast<uint32_t>(line), .column = static_cast<uint32_t>(column)});
  if (failure.stack.empty())
    failure.stack = "at " + std::to_string(failure.at.line) + ":" + std::to_string(failure.at.column);
  return failure;
}

}  // namespace mb::worker
