// The native functions below the boot scripts (boot/). None has effects outside the process.
#pragma once

#include <v8.h>

#include <optional>
#include <string>
#include <string_view>

namespace mb::worker {

using Arguments = v8::FunctionCallbackInfo<v8::Value>;

void addFunction(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> to, const char* name,
                 v8::FunctionCallback function, v8::PropertyAttribute attributes = v8::None);

// Each adds its functions to the native object of the boot scripts.
void addText(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);    // TextEncoder, TextDecoder, atob, btoa
void addUrl(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);     // URL, URLSearchParams
void addCrypto(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);  // crypto
void addClone(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native);   // structuredClone

// Has the crypto library load all that it loads at its first use. Call before lockDown().
void warmCrypto();

// The bytes of a BufferSource; nullopt for any other value. The next call of guest code may change them.
std::optional<std::string_view> bytesOf(v8::Local<v8::Value> value);
// As UTF-8, lone surrogates replaced; nullopt past 16 MiB, with a RangeError thrown.
std::optional<std::string> utf8Of(v8::Isolate* isolate, v8::Local<v8::Value> value);
// A new ArrayBuffer; throws a RangeError if the budget is spent.
v8::MaybeLocal<v8::ArrayBuffer> bufferOf(v8::Isolate* isolate, std::string_view bytes);

}  // namespace mb::worker
