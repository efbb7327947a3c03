#include <algorithm>
#include <cmath>

#include "engine.h"
#include "values.h"

namespace mb::worker {

namespace {

using clone::Tag;

constexpr int kUtf8 = v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8;
constexpr size_t kLongestStep = 64;  // of a name in a problem

}  // namespace

ValueWriter::ValueWriter(v8::Local<v8::Context> context, clone::Writer& out, size_t maxBytes)
    : isolate_(context->GetIsolate()), context_(context), out_(out), end_(out.size() + maxBytes) {}

bool ValueWriter::fits(size_t bytes) const {
  return out_.size() <= end_ && bytes <= end_ - out_.size();
}

Written ValueWriter::write(v8::Local<v8::Value> value) {
  return any(value);
}

std::string ValueWriter::problem() const {
  return where_.empty() ? what_ : what_ + " (" + where_ + ")";
}

Written ValueWriter::refuse(const char* what) {
  what_ = what;
  return Written::notCloneable;
}

// Records the path to a value that cannot be passed, from inside to outside.
Written ValueWriter::within(Written inner, std::string_view step) {
  if (inner == Written::notCloneable)
    where_ = std::string(step.substr(0, kLongestStep)) + (where_.empty() ? "" : "." + where_);
  return inner;
}

Written ValueWriter::any(v8::Local<v8::Value> value) {
  if (!fits(16)) return Written::tooLarge;
  return value->IsObject() ? object(value.As<v8::Object>()) : primitive(value);
}

Written ValueWriter::primitive(v8::Local<v8::Value> value) {
  if (value->IsString()) {
    out_.tag(Tag::string);
    return string(value.As<v8::String>());
  }
  if (value->IsInt32()) {
    out_.integer(value.As<v8::Int32>()->Value());
  } else if (value->IsNumber()) {
    out_.real(value.As<v8::Number>()->Value());
  } else if (value->IsBoolean()) {
    out_.tag(value->IsTrue() ? Tag::yes : Tag::no);
  } else if (value->IsNull()) {
    out_.tag(Tag::null);
  } else if (value->IsBigInt()) {
    return bigInt(value.As<v8::BigInt>());
  } else if (value->IsSymbol()) {
    return refuse("a symbol cannot be passed");
  } else {
    out_.tag(Tag::undefined);
  }
  return Written::whole;
}

Written ValueWriter::string(v8::Local<v8::String> value) {
  // Checks the count of characters first, since counting the bytes of a very long string is slow.
  if (!fits(static_cast<size_t>(value->Length()))) return Written::tooLarge;
  char small[256];
  if (value->Length() <= static_cast<int>(sizeof small / 3)) {
    const int size = value->WriteUtf8(isolate_, small, sizeof small, nullptr, kUtf8);
    out_.text({small, static_cast<size_t>(size)});
    return Written::whole;
  }
  const auto size = static_cast<size_t>(value->Utf8Length(isolate_));
  if (!fits(size)) return Written::tooLarge;
  std::string bytes(size, '\0');
  bytes.resize(static_cast<size_t>(value->WriteUtf8(isolate_, bytes.data(), static_cast<int>(size), nullptr, kUtf8)));
  out_.text(bytes);
  return Written::whole;
}

Written ValueWriter::bigInt(v8::Local<v8::BigInt> value) {
  // 21 words of 64 bits are 404 digits; a longer number is too long without counting its digits.
  constexpr int kMaxWords = 21;
  v8::Local<v8::String> digits;
  if (value->WordCount() > kMaxWords) return refuse("a BigInt of more than 400 digits cannot be passed");
  if (!value->ToString(context_).ToLocal(&digits)) return Written::threw;
  if (digits->Length() > static_cast<int>(clone::kMaxBigIntDigits))
    return refuse("a BigInt of more than 400 digits cannot be passed");
  out_.tag(Tag::bigInt);
  return string(digits);
}

Written ValueWriter::object(v8::Local<v8::Object> object) {
  if (object->IsFunction()) return refuse("a function cannot be passed");
  if (object->IsProxy()) return refuse("a proxy cannot be passed");
  if (object->IsPromise()) return refuse("a promise cannot be passed: it was not awaited");
  if (object->IsDate()) {
    out_.date(object.As<v8::Date>()->ValueOf());
    return Written::whole;
  }
  if (object->IsArrayBuffer() || object->IsArrayBufferView()) return buffer(object);
  if (object->IsNumberObject()) return primitive(v8::Number::New(isolate_, object.As<v8::NumberObject>()->ValueOf()));
  if (object->IsBooleanObject())
    return primitive(v8::Boolean::New(isolate_, object.As<v8::BooleanObject>()->ValueOf()));
  if (object->IsStringObject()) return primitive(object.As<v8::StringObject>()->ValueOf());
  if (object->IsBigIntObject()) return primitive(object.As<v8::BigIntObject>()->ValueOf());
  if (object->IsSymbolObject()) return refuse("a symbol cannot be passed");
  if (object->IsNativeError()) return error(object);
  if (object->IsRegExp()) return regexp(object.As<v8::RegExp>());
  if (object->IsWeakMap() || object->IsWeakSet()) return refuse("a weak collection cannot be passed");
  return contents(object);
}

Written ValueWriter::regexp(v8::Local<v8::RegExp> regexp) {
  constexpr std::pair<int, char> kLetters[] = {
      {v8::RegExp::kHasIndices, 'd'}, {v8::RegExp::kGlobal, 'g'}, {v8::RegExp::kIgnoreCase, 'i'},
      {v8::RegExp::kMultiline, 'm'},  {v8::RegExp::kDotAll, 's'}, {v8::RegExp::kUnicode, 'u'},
      {v8::RegExp::kSticky, 'y'},
  };
  out_.tag(Tag::regexp);
  if (const Written written = string(regexp->GetSource()); written != Written::whole) return written;
  std::string flags;
  for (const auto& [flag, letter] : kLetters) {
    if (regexp->GetFlags() & flag) flags.push_back(letter);
  }
  out_.text(flags);
  return Written::whole;
}

// A container of other values.
Written ValueWriter::contents(v8::Local<v8::Object> object) {
  if (std::find(open_, open_ + depth_, object) != open_ + depth_) return refuse("an object that holds itself");
  if (depth_ == kMaxGuestDepth) return refuse("more than 100 objects inside each other cannot be passed");
  const v8::HandleScope scope(isolate_);
  open_[depth_++] = object;
  Written written;
  if (object->IsArray()) {
    written = array(object.As<v8::Array>());
  } else if (object->IsMap()) {
    written = entries(object.As<v8::Map>()->AsArray(), Tag::map, 2);
  } else if (object->IsSet()) {
    written = entries(object.As<v8::Set>()->AsArray(), Tag::set, 1);
  } else {
    written = properties(object);
  }
  --depth_;
  return written;
}

Written ValueWriter::array(v8::Local<v8::Array> array) {
  const uint32_t length = array->Length();
  if (!fits(size_t{length} + 8)) return Written::tooLarge;
  out_.tag(Tag::array);
  out_.count(length);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> value;
    if (!array->Get(context_, i).ToLocal(&value)) return Written::threw;
    if (const Written written = any(value); written != Written::whole) return within(written, std::to_string(i));
  }
  return Written::whole;
}

// The entries of a map or a set: a copy, so that getters do not change them.
Written ValueWriter::entries(v8::Local<v8::Array> entries, Tag tag, uint32_t valuesEach) {
  const uint32_t length = entries->Length();
  if (!fits(size_t{length} + 8)) return Written::tooLarge;
  out_.tag(tag);
  out_.count(length / valuesEach);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> value;
    if (!entries->Get(context_, i).ToLocal(&value)) return Written::threw;
    if (const Written written = any(value); written != Written::whole)
      return within(written, std::to_string(i / valuesEach));
  }
  return Written::whole;
}

Written ValueWriter::properties(v8::Local<v8::Object> object) {
  v8::Local<v8::Array> names;
  if (!object
           ->GetOwnPropertyNames(context_, static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS),
                                 v8::KeyConversionMode::kConvertToString)
           .ToLocal(&names)) {
    return Written::threw;
  }
  const uint32_t length = names->Length();
  if (!fits(size_t{length} * 2 + 8)) return Written::tooLarge;
  out_.tag(Tag::object);
  out_.count(length);
  for (uint32_t i = 0; i < length; ++i) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> name;
    v8::Local<v8::Value> value;
    if (!names->Get(context_, i).ToLocal(&name) || !object->Get(context_, name).ToLocal(&value)) return Written::threw;
    if (const Written written = string(name.As<v8::String>()); written != Written::whole) return written;
    if (const Written written = any(value); written != Written::whole)
      return within(written, *v8::String::Utf8Value(isolate_, name));
  }
  return Written::whole;
}

Written ValueWriter::error(v8::Local<v8::Object> error) {
  out_.tag(Tag::error);
  for (const char* part : {"name", "message"}) {
    v8::Local<v8::Value> value;
    if (!error->Get(context_, text(isolate_, part)).ToLocal(&value)) return Written::threw;
    const v8::Local<v8::String> words = value->IsString() ? value.As<v8::String>() : v8::String::Empty(isolate_);
    if (const Written written = string(words); written != Written::whole) return written;
  }
  return Written::whole;
}

Written ValueWriter::buffer(v8::Local<v8::Value> value) {
  const v8::Local<v8::ArrayBuffer> buffer =
      value->IsArrayBufferView() ? value.As<v8::ArrayBufferView>()->Buffer() : value.As<v8::ArrayBuffer>();
  const size_t offset = value->IsArrayBufferView() ? value.As<v8::ArrayBufferView>()->ByteOffset() : 0;
  const size_t size = value->IsArrayBufferView() ? value.As<v8::ArrayBufferView>()->ByteLength() : buffer->ByteLength();
  if (!fits(size + 8)) return Written::tooLarge;
  out_.bytes({static_cast<const char*>(buffer->GetBackingStore()->Data()) + offset, size});
  return Written::whole;
}

}  // namespace mb::worker
