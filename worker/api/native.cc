#include "api/native.h"

#include <cstring>

#include "engine.h"

namespace mb::worker {

namespace {

constexpr int kLongestText = 16 << 20;

}  // namespace

void addFunction(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> to, const char* name,
                 v8::FunctionCallback function, v8::PropertyAttribute attributes) {
  const v8::Local<v8::FunctionTemplate> made =
      v8::FunctionTemplate::New(isolate, function, {}, {}, 0, v8::ConstructorBehavior::kThrow);
  made->SetClassName(text(isolate, name));
  to->Set(text(isolate, name), made, attributes);
}

std::optional<std::string_view> bytesOf(v8::Local<v8::Value> value) {
  if (value->IsArrayBuffer()) {
    const auto buffer = value.As<v8::ArrayBuffer>();
    return std::string_view(static_cast<const char*>(buffer->GetBackingStore()->Data()), buffer->ByteLength());
  }
  if (value->IsArrayBufferView()) {
    const auto view = value.As<v8::ArrayBufferView>();
    const auto* data = static_cast<const char*>(view->Buffer()->GetBackingStore()->Data());
    return std::string_view(data + view->ByteOffset(), view->ByteLength());
  }
  return std::nullopt;
}

std::optional<std::string> utf8Of(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  v8::Local<v8::String> string;
  if (!value->ToString(isolate->GetCurrentContext()).ToLocal(&string)) return std::nullopt;
  if (string->Length() > kLongestText) {
    isolate->ThrowException(v8::Exception::RangeError(text(isolate, "The string is too long")));
    return std::nullopt;
  }
  std::string bytes(static_cast<size_t>(string->Utf8Length(isolate)), '\0');
  string->WriteUtf8(isolate, bytes.data(), static_cast<int>(bytes.size()), nullptr,
                    v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8);
  return bytes;
}

v8::MaybeLocal<v8::ArrayBuffer> bufferOf(v8::Isolate* isolate, std::string_view bytes) {
  v8::ArrayBuffer::Allocator* allocator = isolate->GetArrayBufferAllocator();
  void* data = allocator->AllocateUninitialized(bytes.size());
  if (data == nullptr) {
    // Unreachable buffers of the guest may not be collected yet.
    isolate->LowMemoryNotification();
    data = allocator->AllocateUninitialized(bytes.size());
  }
  if (data == nullptr) {
    isolate->ThrowException(v8::Exception::RangeError(text(isolate, "Array buffer allocation failed")));
    return {};
  }
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(data));
  const auto release = [](void* block, size_t size, void* owner) {
    static_cast<v8::ArrayBuffer::Allocator*>(owner)->Free(block, size);
  };
  return v8::ArrayBuffer::New(isolate, v8::ArrayBuffer::NewBackingStore(data, bytes.size(), release, allocator));
}

}  // namespace mb::worker
