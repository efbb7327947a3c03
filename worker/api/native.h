// What the boot scripts (boot/) are built on: the parts of the globals that are native. None of it reaches outside the
// process.
#pragma once

#include <v8.h>

#include <optional>
#include <string>
#include <string_view>

namespace mb::worker {

using Arguments = v8::FunctionCallbackInfo<v8::Value>;

void addFunction(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> to, const char* name,
                 v8::FunctionCallback function, v8::PropertyAttribute attributes = v8::None);

// Each adds its functions to the object that the boot scripts are given.
void addText(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);    // TextEncoder, TextDecoder, atob, btoa
void addUrl(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);     // URL, URLSearchParams
void addCrypto(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);  // crypto
void addClone(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);   // structuredClone

// Whatever the crypto library loads when it is first used: before the process is locked down.
void warmCrypto();

// The bytes of a BufferSource, where it is one; they may change with the next call of guest code.
std::optional<std::string_view> bytesOf(v8::Local<v8::Value> value);
// As UTF-8, lone surrogates replaced; nullopt past 16 MiB, with a RangeError thrown.
std::optional<std::string> utf8Of(v8::Isolate* isolate, v8::Local<v8::Value> value);
// A new ArrayBuffer, or an exception where the budget is spent.
v8::MaybeLocal<v8::ArrayBuffer> bufferOf(v8::Isolate* isolate, std::string_view bytes);

}  // namespace mb::worker
