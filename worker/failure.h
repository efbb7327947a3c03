// What was thrown, in words: a message, and where in what was written.
#pragma once

#include <v8.h>

#include <string>

#include "clone/frames.h"
#include "source_map.h"

namespace mb::worker {

struct Failure {
  clone::FailReason reason = clone::FailReason::threw;
  std::string message;
  std::string stack;  // "at name (line:column)", a line a frame
  Position at;        // of the first
};

// The name of a module's source in traces.
inline constexpr const char* kCodeName = "code";

// Of an error "name: message", or the message alone where the name is Error; text as it stands; other values as JSON.
// Runs code of the guest (getters): under the watchdog.
Failure describe(v8::Local<v8::Context> context, v8::Local<v8::Value> thrown, const SourceMap& map);

// The same of what `caught` holds, which knows the position of a syntax error too.
Failure describe(v8::Local<v8::Context> context, const v8::TryCatch& caught, const SourceMap& map);

// The lines of a trace that stand in the guest's code, with positions of what was written.
std::string translated(std::string_view trace, const SourceMap& map);

// At most `most` bytes of UTF-8, cut at a character.
std::string clipped(std::string_view words, size_t max);
std::string clippedUtf8(v8::Isolate* isolate, v8::Local<v8::String> words, size_t max);

}  // namespace mb::worker
