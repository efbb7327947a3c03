// The message of an exception, and its positions in the code as it was written.
#pragma once

#include <v8.h>

#include <string>

#include "clone/frames.h"
#include "source_map.h"

namespace mb::worker {

struct Failure {
  clone::FailReason reason = clone::FailReason::threw;
  std::string message;
  std::string stack;  // "at name (line:column)", one line per frame
  Position at;        // of the first frame
};

// The name of a JS module's source in traces.
inline constexpr const char* kCodeName = "code";

// An error is "name: message", or the message alone if the name is Error; text is unchanged; other values are JSON.
// Runs guest code (getters): call under the watchdog.
Failure describe(v8::Local<v8::Context> context, v8::Local<v8::Value> thrown, const SourceMap& map);

// The same for the exception of `caught`, including the position of a syntax error.
Failure describe(v8::Local<v8::Context> context, const v8::TryCatch& caught, const SourceMap& map);

// The lines of a trace that are in the guest's code, with positions in the code as it was written.
std::string translated(std::string_view trace, const SourceMap& map);

// At most `max` bytes of UTF-8, truncated at a character.
std::string clipped(std::string_view words, size_t max);
std::string clippedUtf8(v8::Isolate* isolate, v8::Local<v8::String> words, size_t max);

}  // namespace mb::worker
