#include "engine.h"

#include <libplatform/libplatform.h>
#include <sys/random.h>
#include <unistd.h>

#include <string>

#include "wire.h"

namespace mb::worker {

namespace {

// No WebAssembly and no shared memory; a single thread; half of the usual stack is left for native code.
constexpr const char* kFlags = "--single-threaded --no-expose-wasm --no-harmony-sharedarraybuffer --stack-size=900";

Engine* theEngine = nullptr;

bool randomBytes(unsigned char* buffer, size_t size) {
  return getentropy(buffer, size) == 0;
}

}  // namespace

Engine::Engine(bool jit) {
  theEngine = this;
  v8::V8::SetFlagsFromString((std::string(kFlags) + (jit ? "" : " --jitless")).c_str());
  v8::V8::SetEntropySource(randomBytes);
  v8::V8::InitializeICU();
  platform_ = v8::platform::NewSingleThreadedDefaultPlatform();
  v8::V8::InitializePlatform(platform_.get());
  v8::V8::Initialize();

  buffers_ = std::make_unique<Buffers>();
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator = buffers_.get();
  params.constraints.ConfigureDefaultsFromHeapSize(0, kHeapBytes);
  isolate_ = v8::Isolate::New(params);
  isolate_->AddNearHeapLimitCallback(nearHeapLimit, this);
  isolate_->SetOOMErrorHandler(failedAllocation);
  isolate_->SetAllowAtomicsWait(false);
  isolate_->SetCaptureStackTraceForUncaughtExceptions(false);
}

const char* Engine::name() {
  return v8::V8::GetVersion();
}

size_t Engine::nearHeapLimit(void* self, size_t current, size_t initial) {
  auto* engine = static_cast<Engine*>(self);
  engine->outOfMemory_ = true;
  engine->isolate_->TerminateExecution();
  return std::max(current, initial + kHeapGraceBytes);
}

void Engine::failedAllocation(const char*, bool) {
  theEngine->outOfMemory_ = true;
  if (theEngine->lastWords_) theEngine->lastWords_();
  endProcess(kEndedOutOfMemory, "out of memory");
}

}  // namespace mb::worker
