// The engine's values from and to what passes between server and worker (clone/format.h).
#pragma once

#include <v8.h>

#include <string>

#include "bounds.h"
#include "clone/format.h"

namespace mb::worker {

enum class Written {
  whole,
  threw,         // a getter or a proxy did: the exception is pending
  notCloneable,  // Writing::problem says what, and where in the value
  tooLarge,
};

// One value, by the rules of the structured clone algorithm, but that class instances become plain objects, boxed
// primitives what they hold, and views of buffers bytes. Runs getters of the guest.
class ValueWriter {
 public:
  // Appends through `out` at most about `maxBytes`.
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
  v8::Local<v8::Object> open_[kMaxGuestDepth];  // the containers that are being written, for circles
  int depth_ = 0;
  std::string what_;
  std::string where_;
};

// One value, as objects of `context`. Empty where the bytes are none, or the engine has no memory for it.
v8::MaybeLocal<v8::Value> readValue(v8::Local<v8::Context> context, clone::Reader& in);

}  // namespace mb::worker
