// The engine, set up for guests: one isolate, its heap bounded, no tasks of its own.
#pragma once

#include <v8.h>

#include <functional>
#include <memory>

#include "buffers.h"

namespace mb::worker {

class Engine {
 public:
  // Once a process, before lockDown(). `jit`: machine code may be made, which needs executable memory.
  explicit Engine(bool jit);

  v8::Isolate* isolate() const { return isolate_; }
  static const char* name();

  // Whether the heap's limit was met: what runs then was interrupted, and the process has not much longer to live.
  bool outOfMemory() const { return outOfMemory_; }
  // Called where not even that helped, before the engine ends the process.
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
