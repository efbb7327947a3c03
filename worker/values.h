// Converts the engine's values to and from the format between server and worker (clone/format.h).
#pragma once

#include <v8.h>

#include <string>

#include "bounds.h"
#include "clone/format.h"

namespace mb::worker {

enum class Written {
  whole,
  threw,         // a getter or a proxy threw: the exception is pending
  notCloneable,  // ValueWriter::problem() names the value and its path
  tooLarge,
};

// Writes one value by the rules of the structured clone algorithm, except that class instances become plain objects,
// boxed primitives become primitives, and views of buffers become bytes. Runs getters of the guest.
class ValueWriter {
 public:
  // Appends at most about `maxBytes` to `out`.
  ValueWriter(v8::Local<v8::Context> context, clone::Writer& out, size_t maxBytes);

  Written write(v8::Local<v8::Value> value);
  // After notCloneable: "a function cannot be passed (items.0.done)".
  std::string problem() const;

 private:
  Written any(v8::Local<v8::Value> value);
  Written primitive(v8::Local<v8::Value> value);
  Written object(v8::Local<v8::Object> object);
  Written contents(v8::Local<v8::Object> object);
  Written array(v8::Local<v8::Array> array);
  Written properties(v8::Local<v8::Object> object);
  Written entries(v8::Local<v8::Array> entries, clone::Tag tag, uint32_t valuesEach);
  Written bigInt(v8::Local<v8::BigInt> value);
  Written error(v8::Local<v8::Object> error);
  Written regexp(v8::Local<v8::RegExp> regexp);
  Written buffer(v8::Local<v8::Value> value);
  Written string(v8::Local<v8::String> value);  // without a tag
  Written refuse(const char* what);
  Written within(Written inner, std::string_view step);
  bool fits(size_t bytes) const;

  v8::Isolate* isolate_;
  v8::Local<v8::Context> context_;
  clone::Writer& out_;
  size_t end_;                                  // of out_, at most
  v8::Local<v8::Object> open_[kMaxGuestDepth];  // the containers being written, to detect cycles
  int depth_ = 0;
  std::string what_;
  std::string where_;
};

// A Uint8Array with a copy of the bytes. Empty if there is no memory for it.
v8::MaybeLocal<v8::Value> bytesValue(v8::Isolate* isolate, std::string_view bytes);

// Reads one value as objects of `context`. Empty if the bytes are malformed, or the engine has no memory for it.
v8::MaybeLocal<v8::Value> readValue(v8::Local<v8::Context> context, clone::Reader& in);

}  // namespace mb::worker
