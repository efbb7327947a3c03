// URLs and forms, by the URL standard. The library parses; the classes are in boot/url.js.
#include <array>

#include "api/ada.h"
#include "api/native.h"
#include "engine.h"

namespace mb::worker {

namespace {

// The parts in the order of boot/url.js; origin comes last, and cannot be set.
using Getter = AdaText (*)(void*);
constexpr std::array<Getter, 10> kGetters{ada_get_href,   ada_get_protocol, ada_get_username, ada_get_password,
                                          ada_get_host,   ada_get_hostname, ada_get_port,     ada_get_pathname,
                                          ada_get_search, ada_get_hash};

using Setter = void (*)(void*, const char*, size_t);
template <bool (*set)(void*, const char*, size_t)>
void ignoring(void* url, const char* input, size_t length) {
  set(url, input, length);
}
constexpr std::array<Setter, 10> kSetters{ignoring<ada_set_href>,
                                          ignoring<ada_set_protocol>,
                                          ignoring<ada_set_username>,
                                          ignoring<ada_set_password>,
                                          ignoring<ada_set_host>,
                                          ignoring<ada_set_hostname>,
                                          ignoring<ada_set_port>,
                                          ignoring<ada_set_pathname>,
                                          ada_set_search,
                                          ada_set_hash};

v8::MaybeLocal<v8::String> made(v8::Isolate* isolate, std::string_view words) {
  return v8::String::NewFromUtf8(isolate, words.data(), v8::NewStringType::kNormal, static_cast<int>(words.size()));
}

void answerParts(const Arguments& arguments, void* url) {
  v8::Isolate* isolate = arguments.GetIsolate();
  std::array<v8::Local<v8::Value>, kGetters.size() + 1> parts;
  for (size_t i = 0; i < kGetters.size(); ++i) {
    const AdaText part = kGetters[i](url);
    v8::Local<v8::String> words;
    if (!made(isolate, {part.data, part.length}).ToLocal(&words)) return;
    parts[i] = words;
  }
  const AdaOwnedText origin = ada_get_origin(url);
  v8::Local<v8::String> words;
  const bool done = made(isolate, {origin.data, origin.length}).ToLocal(&words);
  ada_free_owned_string(origin);
  if (!done) return;
  parts[kGetters.size()] = words;
  arguments.GetReturnValue().Set(v8::Array::New(isolate, parts.data(), parts.size()));
}

// (input, base or undefined) to the parts, or undefined if the input is not a valid URL.
void parse(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const std::optional<std::string> input = utf8Of(isolate, arguments[0]);
  if (!input) return;
  AdaUrl url;
  if (arguments[1]->IsUndefined()) {
    url.reset(ada_parse(input->data(), input->size()));
  } else {
    const std::optional<std::string> base = utf8Of(isolate, arguments[1]);
    if (!base) return;
    url.reset(ada_parse_with_base(input->data(), input->size(), base->data(), base->size()));
  }
  if (ada_is_valid(url.get())) answerParts(arguments, url.get());
}

// (href, which part, value) to the parts; unchanged if the value is not valid.
void set(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const std::optional<std::string> href = utf8Of(isolate, arguments[0]);
  const uint32_t which = arguments[1]->IsUint32() ? arguments[1].As<v8::Uint32>()->Value() : kSetters.size();
  const std::optional<std::string> value = href ? utf8Of(isolate, arguments[2]) : std::nullopt;
  if (!value || which >= kSetters.size()) return;
  const AdaUrl url(ada_parse(href->data(), href->size()));
  if (!ada_is_valid(url.get())) return;
  kSetters[which](url.get(), value->data(), value->size());
  answerParts(arguments, url.get());
}

// ---- application/x-www-form-urlencoded

int hexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string formDecoded(std::string_view part) {
  std::string bytes;
  bytes.reserve(part.size());
  for (size_t i = 0; i < part.size(); ++i) {
    const bool escape =
        part[i] == '%' && i + 2 < part.size() && hexValue(part[i + 1]) >= 0 && hexValue(part[i + 2]) >= 0;
    if (escape) {
      bytes.push_back(static_cast<char>(hexValue(part[i + 1]) * 16 + hexValue(part[i + 2])));
      i += 2;
    } else {
      bytes.push_back(part[i] == '+' ? ' ' : part[i]);
    }
  }
  return bytes;
}

// (string) to [name, value, name, value, …].
void parseForm(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const std::optional<std::string> input = utf8Of(isolate, arguments[0]);
  if (!input) return;
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  const v8::Local<v8::Array> pairs = v8::Array::New(isolate);
  uint32_t next = 0;
  std::string_view rest = *input;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    const v8::HandleScope scope(isolate);
    for (const std::string_view side : {part.substr(0, equals), part.substr(std::min(equals + 1, part.size()))}) {
      v8::Local<v8::String> words;
      if (!made(isolate, formDecoded(side)).ToLocal(&words)) return;
      if (!pairs->CreateDataProperty(context, next++, words).FromMaybe(false)) return;
    }
  }
  arguments.GetReturnValue().Set(pairs);
}

void appendFormEncoded(std::string& out, std::string_view bytes) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const bool plain = (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '*' ||
                       byte == '-' || byte == '.' || byte == '_';
    if (plain) {
      out.push_back(c);
    } else if (byte == ' ') {
      out.push_back('+');
    } else {
      out.push_back('%');
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
}

// [name, value, …] to a string.
void serializeForm(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  const auto pairs = arguments[0].As<v8::Array>();
  std::string out;
  for (uint32_t i = 0; i < pairs->Length(); ++i) {
    const v8::HandleScope scope(isolate);
    v8::Local<v8::Value> words;
    if (!pairs->Get(context, i).ToLocal(&words)) return;
    const std::optional<std::string> bytes = utf8Of(isolate, words);
    if (!bytes) return;
    if (i > 0) out.push_back(i % 2 == 0 ? '&' : '=');
    appendFormEncoded(out, *bytes);
  }
  v8::Local<v8::String> result;
  if (made(isolate, out).ToLocal(&result)) arguments.GetReturnValue().Set(result);
}

}  // namespace

void addUrl(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  addFunction(isolate, native, "parseUrl", parse);
  addFunction(isolate, native, "setUrl", set);
  addFunction(isolate, native, "parseForm", parseForm);
  addFunction(isolate, native, "serializeForm", serializeForm);
}

}  // namespace mb::worker
