#include <charconv>

#include "api/native.h"
#include "engine.h"
#include "plain_json.h"
#include "values.h"

namespace mb::worker {

namespace {

using clone::Reader;
using clone::Tag;

// The largest index of an element; a larger number is a name.
constexpr uint32_t kMaxIndex = UINT32_MAX - 1;

// The index of a name in canonical form (ECMA-262, 6.1.7 "array index").
std::optional<uint32_t> indexOf(std::string_view name) {
  if (name.empty() || name.front() < '0' || name.front() > '9' || (name.front() == '0' && name.size() > 1)) return {};
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size() || index > kMaxIndex) return {};
  return index;
}

class ValueReader {
 public:
  ValueReader(v8::Local<v8::Context> context, Reader& in)
      : isolate_(context->GetIsolate()), context_(context), in_(in) {}

  v8::MaybeLocal<v8::Value> any(int depth);

 private:
  v8::MaybeLocal<v8::String> string(std::string_view bytes, v8::NewStringType type = v8::NewStringType::kNormal);
  v8::MaybeLocal<v8::Value> bigInt();
  v8::MaybeLocal<v8::Value> bytes();
  v8::MaybeLocal<v8::Value> array(int depth);
  v8::MaybeLocal<v8::Value> object(int depth);
  v8::MaybeLocal<v8::Value> map(int depth);
  v8::MaybeLocal<v8::Value> set(int depth);
  v8::MaybeLocal<v8::Value> regexp();
  v8::MaybeLocal<v8::Value> error();

  v8::Isolate* isolate_;
  v8::Local<v8::Context> context_;
  Reader& in_;
};

v8::MaybeLocal<v8::Value> ValueReader::any(int depth) {
  switch (in_.tag()) {
    case Tag::undefined:
      return v8::Undefined(isolate_);
    case Tag::null:
      return v8::Null(isolate_);
    case Tag::no:
      return v8::False(isolate_);
    case Tag::yes:
      return v8::True(isolate_);
    case Tag::integer:
      return v8::Integer::New(isolate_, in_.integer());
    case Tag::real:
      return v8::Number::New(isolate_, in_.real());
    case Tag::bigInt:
      return bigInt();
    case Tag::string: {
      v8::Local<v8::String> value;
      if (!string(in_.text()).ToLocal(&value)) return {};
      return value;
    }
    case Tag::date:
      return v8::Date::New(context_, in_.real());
    case Tag::bytes:
      return bytes();
    case Tag::array:
      return array(depth);
    case Tag::object:
      return object(depth);
    case Tag::map:
      return map(depth);
    case Tag::set:
      return set(depth);
    case Tag::regexp:
      return regexp();
    case Tag::error:
      return error();
  }
  return {};
}

v8::MaybeLocal<v8::String> ValueReader::string(std::string_view bytes, v8::NewStringType type) {
  return v8::String::NewFromUtf8(isolate_, bytes.data(), type, static_cast<int>(bytes.size()));
}

v8::MaybeLocal<v8::Value> ValueReader::bigInt() {
  std::string_view digits = in_.bigInt();
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  // In words of 64 bits: each digit multiplies the number so far by ten.
  uint64_t words[24] = {};
  int used = 1;
  for (const char digit : digits) {
    auto carry = static_cast<unsigned __int128>(digit - '0');
    for (int i = 0; i < used; ++i) {
      carry += static_cast<unsigned __int128>(words[i]) * 10;
      words[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    if (carry != 0) words[used++] = static_cast<uint64_t>(carry);
  }
  v8::Local<v8::BigInt> value;
  if (!v8::BigInt::NewFromWords(context_, negative ? 1 : 0, used, words).ToLocal(&value)) return {};
  return value;
}

v8::MaybeLocal<v8::Value> ValueReader::bytes() {
  return bytesValue(isolate_, in_.raw());
}

v8::MaybeLocal<v8::Value> ValueReader::array(int depth) {
  const uint32_t length = depth > 0 ? in_.count() : 0;
  if (depth == 0) in_.fail();
  const v8::Local<v8::Array> result = v8::Array::New(isolate_, 0);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> value;
    if (!any(depth - 1).ToLocal(&value) || in_.failed()) return {};
    if (!result->CreateDataProperty(context_, i, value).FromMaybe(false)) return {};
  }
  return result;
}

v8::MaybeLocal<v8::Value> ValueReader::object(int depth) {
  const uint32_t length = depth > 0 ? in_.count(2) : 0;
  if (depth == 0) in_.fail();
  const v8::Local<v8::Object> result = v8::Object::New(isolate_);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    const std::string_view key = in_.text();
    // As a name, an index would enter the engine's string table, which hashes indexes without a seed: a sender could
    // choose keys that all collide there. Elements have a seeded hash.
    const std::optional<uint32_t> index = indexOf(key);
    v8::Local<v8::String> name;
    v8::Local<v8::Value> value;
    if (!index && !string(key, v8::NewStringType::kInternalized).ToLocal(&name)) return {};
    if (!any(depth - 1).ToLocal(&value) || in_.failed()) return {};
    // Never through a setter: "__proto__" is a name like any other.
    const v8::Maybe<bool> set =
        index ? result->CreateDataProperty(context_, *index, value) : result->CreateDataProperty(context_, name, value);
    if (!set.FromMaybe(false)) return {};
  }
  return result;
}

v8::MaybeLocal<v8::Value> ValueReader::map(int depth) {
  const uint32_t length = depth > 0 ? in_.count(2) : 0;
  if (depth == 0) in_.fail();
  const v8::Local<v8::Map> result = v8::Map::New(isolate_);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> key;
    v8::Local<v8::Value> value;
    if (!any(depth - 1).ToLocal(&key) || !any(depth - 1).ToLocal(&value) || in_.failed()) return {};
    if (result->Set(context_, key, value).IsEmpty()) return {};
  }
  return result;
}

v8::MaybeLocal<v8::Value> ValueReader::set(int depth) {
  const uint32_t length = depth > 0 ? in_.count() : 0;
  if (depth == 0) in_.fail();
  const v8::Local<v8::Set> result = v8::Set::New(isolate_);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> value;
    if (!any(depth - 1).ToLocal(&value) || in_.failed()) return {};
    if (result->Add(context_, value).IsEmpty()) return {};
  }
  return result;
}

v8::MaybeLocal<v8::Value> ValueReader::regexp() {
  v8::Local<v8::String> source;
  if (!string(in_.text()).ToLocal(&source)) return {};
  int flags = v8::RegExp::kNone;
  for (const char letter : in_.text()) {
    switch (letter) {
      case 'g':
        flags |= v8::RegExp::kGlobal;
        break;
      case 'i':
        flags |= v8::RegExp::kIgnoreCase;
        break;
      case 'm':
        flags |= v8::RegExp::kMultiline;
        break;
      case 's':
        flags |= v8::RegExp::kDotAll;
        break;
      case 'u':
        flags |= v8::RegExp::kUnicode;
        break;
      default:
        break;  // flags of other languages ("x", "l") are dropped
    }
  }
  const v8::TryCatch caught(isolate_);
  v8::Local<v8::RegExp> result;
  if (v8::RegExp::New(context_, source, static_cast<v8::RegExp::Flags>(flags)).ToLocal(&result)) return result;
  // A pattern that the engine rejects is returned as text.
  return source;
}

v8::MaybeLocal<v8::Value> ValueReader::error() {
  v8::Local<v8::String> name;
  v8::Local<v8::String> message;
  if (!string(in_.text()).ToLocal(&name) || !string(in_.text()).ToLocal(&message)) return {};
  const v8::Local<v8::Object> result = v8::Exception::Error(message).As<v8::Object>();
  if (!result->CreateDataProperty(context_, text(isolate_, "name"), name).FromMaybe(false)) return {};
  return result;
}

}  // namespace

v8::MaybeLocal<v8::Value> bytesValue(v8::Isolate* isolate, std::string_view bytes) {
  v8::Local<v8::ArrayBuffer> buffer;
  if (!bufferOf(isolate, bytes).ToLocal(&buffer)) return {};
  return v8::Uint8Array::New(buffer, 0, bytes.size());
}

v8::MaybeLocal<v8::Value> readValue(v8::Local<v8::Context> context, Reader& in) {
  v8::EscapableHandleScope scope(context->GetIsolate());
  v8::Local<v8::Value> value;
  if (const std::optional<std::string> plain = plainJson(in)) {
    v8::Local<v8::String> json;
    if (!v8::String::NewFromUtf8(context->GetIsolate(), plain->data(), v8::NewStringType::kNormal,
                                 static_cast<int>(plain->size()))
             .ToLocal(&json) ||
        !v8::JSON::Parse(context, json).ToLocal(&value))
      return {};
    return scope.Escape(value);
  }
  ValueReader reader(context, in);
  if (!reader.any(clone::kMaxDepth).ToLocal(&value) || in.failed()) return {};
  return scope.Escape(value);
}

}  // namespace mb::worker
