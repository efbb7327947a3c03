// The Engine is V8 with one isolate, a bounded heap, and no background tasks.
#pragma once

#include <v8.h>

#include <functional>
#include <memory>

#include "buffers.h"

namespace mb::worker {

class Engine {
 public:
  // Once per process, before lockDown(). `jit`: allow machine code, which needs executable memory.
  explicit Engine(bool jit);

  v8::Isolate* isolate() const { return isolate_; }
  static const char* name();

  // Whether the heap's limit was reached. The run was interrupted, and the process must be ended soon.
  bool outOfMemory() const { return outOfMemory_; }
  // Called if the interruption did not help, before the engine ends the process.
  void onLastWords(std::function<void()> lastWords) { lastWords_ = std::move(lastWords); }

 private:
  static size_t nearHeapLimit(void* engine, size_t current, size_t initial);
  static void failedAllocation(const char* location, bool heap);

  std::unique_ptr<v8::Platform> platform_;
  std::unique_ptr<Buffers> buffers_;
  v8::Isolate* isolate_ = nullptr;
  bool outOfMemory_ = false;
  std::function<void()> lastWords_;
};

inline v8::Local<v8::String> text(v8::Isolate* isolate, std::string_view words) {
  return v8::String::NewFromUtf8(isolate, words.data(), v8::NewStringType::kNormal, static_cast<int>(words.size()))
      .ToLocalChecked();
}

}  // namespace mb::worker
