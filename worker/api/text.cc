// Encodes and decodes text, by the Encoding standard (decode, encode) and the Infra standard (forgiving-base64).
#include <array>
#include <cstring>

#include "api/native.h"
#include "clone/format.h"
#include "engine.h"

namespace mb::worker {

namespace {

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// ---- shared

// Replaces lone surrogates by U+FFFD; false if it has replaced any.
bool replaceLoneSurrogates(std::u16string& units) {
  bool well = true;
  for (size_t i = 0; i < units.size(); ++i) {
    const bool high = units[i] >= 0xD800 && units[i] <= 0xDBFF;
    const bool low = units[i] >= 0xDC00 && units[i] <= 0xDFFF;
    if (high && i + 1 < units.size() && units[i + 1] >= 0xDC00 && units[i + 1] <= 0xDFFF) {
      ++i;
    } else if (high || low) {
      units[i] = 0xFFFD;
      well = false;
    }
  }
  return well;
}

// ---- base64

void encodeBase64(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const v8::Local<v8::String> string = arguments[0].As<v8::String>();
  if (!string->ContainsOnlyOneByte()) return;  // undefined: the boot script throws the error
  std::string bytes(static_cast<size_t>(string->Length()), '\0');
  string->WriteOneByte(isolate, reinterpret_cast<uint8_t*>(bytes.data()), 0, string->Length(),
                       v8::String::NO_NULL_TERMINATION);
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out.push_back(i + j > bytes.size() ? '=' : kBase64[three >> (18 - 6 * j) & 63]);
  }
  arguments.GetReturnValue().Set(text(isolate, out));
}

int valueOf(uint16_t unit) {
  const char* found = unit != 0 && unit < 128 ? std::strchr(kBase64, unit) : nullptr;
  return found == nullptr ? -1 : static_cast<int>(found - kBase64);
}

bool isBlank(uint16_t unit) {
  return unit == ' ' || unit == '\t' || unit == '\n' || unit == '\f' || unit == '\r';
}

std::optional<std::string> fromBase64(std::u16string units) {
  std::erase_if(units, isBlank);
  if (units.size() % 4 == 0) {
    for (int i = 0; i < 2 && units.ends_with(u'='); ++i) units.pop_back();
  }
  if (units.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char16_t unit : units) {
    const int value = valueOf(unit);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<char>(bits >> (held -= 8)));
  }
  return bytes;
}

void decodeBase64(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const v8::Local<v8::String> string = arguments[0].As<v8::String>();
  std::u16string units(static_cast<size_t>(string->Length()), u'\0');
  string->Write(isolate, reinterpret_cast<uint16_t*>(units.data()), 0, string->Length(),
                v8::String::NO_NULL_TERMINATION);
  const std::optional<std::string> bytes = fromBase64(std::move(units));
  if (!bytes) return;
  v8::Local<v8::String> decoded;
  if (v8::String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(bytes->data()), v8::NewStringType::kNormal,
                                 static_cast<int>(bytes->size()))
          .ToLocal(&decoded)) {
    arguments.GetReturnValue().Set(decoded);
  }
}

// ---- encode

// (value) to a string without lone surrogates.
void toUsv(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  v8::Local<v8::String> string;
  if (!arguments[0]->ToString(isolate->GetCurrentContext()).ToLocal(&string)) return;
  if (!string->ContainsOnlyOneByte()) {
    std::u16string units(static_cast<size_t>(string->Length()), u'\0');
    string->Write(isolate, reinterpret_cast<uint16_t*>(units.data()), 0, string->Length(),
                  v8::String::NO_NULL_TERMINATION);
    if (!replaceLoneSurrogates(units) &&
        !v8::String::NewFromTwoByte(isolate, reinterpret_cast<const uint16_t*>(units.data()),
                                    v8::NewStringType::kNormal, static_cast<int>(units.size()))
             .ToLocal(&string)) {
      return;
    }
  }
  arguments.GetReturnValue().Set(string);
}

void encode(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const std::optional<std::string> bytes = utf8Of(isolate, arguments[0]);
  v8::Local<v8::ArrayBuffer> buffer;
  if (!bytes || !bufferOf(isolate, *bytes).ToLocal(&buffer)) return;
  arguments.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, bytes->size()));
}

// (string, Uint8Array) to [read, written].
void encodeInto(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const auto bytes = bytesOf(arguments[1]);
  if (!bytes) return;
  int read = 0;
  const int written = arguments[0].As<v8::String>()->WriteUtf8(
      isolate, const_cast<char*>(bytes->data()), static_cast<int>(std::min(bytes->size(), size_t{INT32_MAX})), &read,
      v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8);
  v8::Local<v8::Value> both[] = {v8::Integer::New(isolate, read), v8::Integer::New(isolate, written)};
  arguments.GetReturnValue().Set(v8::Array::New(isolate, both, 2));
}

// ---- decode

// The state of a decoder between its calls, in a Uint8Array of the boot script.
struct DecoderState {
  uint8_t held;  // number of bytes of an incomplete sequence
  std::array<uint8_t, 3> bytes;
  uint8_t begun;  // whether it has produced output, so that a byte order mark is no longer removed
};

// The number of bytes at the end of the text that may be the beginning of a sequence, 0 to 3.
size_t unfinishedUtf8(std::string_view bytes) {
  for (size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto first = static_cast<uint8_t>(bytes[bytes.size() - back]);
    if ((first & 0xC0) == 0x80) continue;
    const size_t wanted = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
    if (first > 0xF4 || back >= wanted) return 0;
    // The beginning of a sequence counts only if it can be completed to a valid one.
    std::string completed(bytes.substr(bytes.size() - back));
    for (const char second : {'\x80', '\x90', '\xA0'}) {
      std::string whole = completed;
      if (whole.size() == 1) whole.push_back(second);
      whole.resize(wanted, '\x80');
      if (clone::wellFormed(whole)) return back;
    }
    return 0;
  }
  return 0;
}

// The number of bytes of an incomplete unit or pair at the end: a single byte, or the first half of a pair.
size_t unfinishedUtf16(std::string_view bytes) {
  const size_t odd = bytes.size() % 2;
  if (bytes.size() < 2 + odd) return odd;
  const auto high = static_cast<uint8_t>(bytes[bytes.size() - odd - 1]);
  return odd + (high >= 0xD8 && high <= 0xDB ? 2 : 0);
}

std::u16string unitsOf(std::string_view bytes) {
  std::u16string units(bytes.size() / 2, u'\0');
  if (!units.empty()) std::memcpy(units.data(), bytes.data(), units.size() * 2);
  return units;
}

v8::MaybeLocal<v8::String> decodedUtf16(v8::Isolate* isolate, std::string_view bytes, bool fatal, bool& well) {
  std::u16string units = unitsOf(bytes);
  well = replaceLoneSurrogates(units) && bytes.size() % 2 == 0;
  if (!well && fatal) return {};
  if (bytes.size() % 2 == 1) units.push_back(0xFFFD);
  return v8::String::NewFromTwoByte(isolate, reinterpret_cast<const uint16_t*>(units.data()),
                                    v8::NewStringType::kNormal, static_cast<int>(units.size()));
}

v8::MaybeLocal<v8::String> decodedUtf8(v8::Isolate* isolate, std::string_view bytes, bool fatal, bool& well) {
  well = !fatal || clone::wellFormed(bytes);
  if (!well) return {};
  return v8::String::NewFromUtf8(isolate, bytes.data(), v8::NewStringType::kNormal, static_cast<int>(bytes.size()));
}

// (bytes, state, utf16, fatal, ignoreBOM, stream) to a string; null if `fatal` and the bytes are malformed; undefined
// if the first argument is not a BufferSource.
void decode(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const auto input = bytesOf(arguments[0]);
  const auto held = bytesOf(arguments[1]);
  if (!input || !held || held->size() != sizeof(DecoderState)) return;
  const bool utf16 = arguments[2]->IsTrue();
  const bool fatal = arguments[3]->IsTrue();
  const bool keepMark = arguments[4]->IsTrue();
  const bool more = arguments[5]->IsTrue();
  DecoderState state;
  std::memcpy(&state, held->data(), sizeof state);

  std::string joined;
  std::string_view bytes = *input;
  if (state.held > 0) {
    joined.assign(reinterpret_cast<const char*>(state.bytes.data()), std::min<size_t>(state.held, 3));
    joined.append(bytes);
    bytes = joined;
  }
  const size_t rest = more ? (utf16 ? unfinishedUtf16(bytes) : unfinishedUtf8(bytes)) : 0;
  std::string_view whole = bytes.substr(0, bytes.size() - rest);
  const std::string_view mark = utf16 ? "\xFF\xFE" : "\xEF\xBB\xBF";
  const bool first = state.begun == 0;
  DecoderState next{};
  if (more) {
    next.held = static_cast<uint8_t>(rest);
    std::copy_n(bytes.end() - static_cast<ptrdiff_t>(rest), rest, next.bytes.begin());
    next.begun = state.begun != 0 || !whole.empty();
  }
  std::memcpy(const_cast<char*>(held->data()), &next, sizeof next);
  if (first && !keepMark && whole.starts_with(mark)) whole.remove_prefix(mark.size());
  bool well = true;
  v8::Local<v8::String> result;
  if ((utf16 ? decodedUtf16(isolate, whole, fatal, well) : decodedUtf8(isolate, whole, fatal, well)).ToLocal(&result)) {
    arguments.GetReturnValue().Set(result);
  } else if (!well) {
    arguments.GetReturnValue().SetNull();
  } else {
    isolate->ThrowException(v8::Exception::RangeError(text(isolate, "The string is too long")));
  }
}

}  // namespace

void addText(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  addFunction(isolate, native, "encodeBase64", encodeBase64);
  addFunction(isolate, native, "decodeBase64", decodeBase64);
  addFunction(isolate, native, "toUsv", toUsv);
  addFunction(isolate, native, "encode", encode);
  addFunction(isolate, native, "encodeInto", encodeInto);
  addFunction(isolate, native, "decode", decode);
}

}  // namespace mb::worker
