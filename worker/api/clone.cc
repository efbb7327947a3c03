// structuredClone: the engine's own serializer, to memory and back. Source: the HTML standard.
#include <cstdlib>
#include <vector>

#include "api/native.h"
#include "bounds.h"
#include "engine.h"

namespace mb::worker {

namespace {

class Delegate : public v8::ValueSerializer::Delegate {
 public:
  Delegate(v8::Isolate* isolate, v8::Local<v8::Function> fail) : isolate_(isolate), fail_(fail) {}

  // The boot script's function throws a DOMException.
  void ThrowDataCloneError(v8::Local<v8::String> message) override {
    v8::Local<v8::Value> words[] = {message};
    const v8::Local<v8::Context> context = isolate_->GetCurrentContext();
    [[maybe_unused]] const auto thrown = fail_->Call(context, v8::Undefined(isolate_), 1, words);
  }
  void* ReallocateBufferMemory(void* old, size_t size, size_t* actual) override {
    if (size > kBufferBytes) return nullptr;
    *actual = size;
    return std::realloc(old, size);
  }
  void FreeBufferMemory(void* buffer) override { std::free(buffer); }

 private:
  v8::Isolate* isolate_;
  v8::Local<v8::Function> fail_;
};

struct Bytes {
  ~Bytes() { std::free(data); }
  uint8_t* data = nullptr;
  size_t size = 0;
};

// (value, [buffers to transfer], function that throws a DataCloneError).
void clone(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  const auto transfer = arguments[1].As<v8::Array>();
  std::vector<v8::Local<v8::ArrayBuffer>> buffers;
  for (uint32_t i = 0; i < transfer->Length(); ++i) {
    v8::Local<v8::Value> buffer;
    if (!transfer->Get(context, i).ToLocal(&buffer) || !buffer->IsArrayBuffer()) return;
    buffers.push_back(buffer.As<v8::ArrayBuffer>());
  }
  Delegate delegate(isolate, arguments[2].As<v8::Function>());
  Bytes bytes;
  {
    v8::ValueSerializer serializer(isolate, &delegate);
    serializer.WriteHeader();
    for (uint32_t i = 0; i < buffers.size(); ++i) serializer.TransferArrayBuffer(i, buffers[i]);
    if (!serializer.WriteValue(context, arguments[0]).FromMaybe(false)) return;
    std::tie(bytes.data, bytes.size) = serializer.Release();
  }
  v8::ValueDeserializer deserializer(isolate, bytes.data, bytes.size);
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    const auto store = buffers[i]->GetBackingStore();
    buffers[i]->Detach();
    deserializer.TransferArrayBuffer(i, v8::ArrayBuffer::New(isolate, store));
  }
  v8::Local<v8::Value> copy;
  if (!deserializer.ReadHeader(context).FromMaybe(false)) return;
  if (deserializer.ReadValue(context).ToLocal(&copy)) arguments.GetReturnValue().Set(copy);
}

// Whether the value is an ArrayBuffer that can be transferred.
void isBuffer(const Arguments& arguments) {
  arguments.GetReturnValue().Set(arguments[0]->IsArrayBuffer() && arguments[0].As<v8::ArrayBuffer>()->IsDetachable());
}

}  // namespace

void addClone(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  addFunction(isolate, native, "clone", clone);
  addFunction(isolate, native, "isBuffer", isBuffer);
}

}  // namespace mb::worker
