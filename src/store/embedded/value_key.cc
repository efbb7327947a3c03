#include "store/embedded/value_key.h"

#include "base/crypto.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

using doc::BsonType;
using doc::ValueView;

namespace {

void appendEscaped(std::string& out, std::string_view text) {
  size_t from = 0;
  for (size_t nul = text.find('\0'); nul != std::string_view::npos; nul = text.find('\0', from)) {
    out.append(text.substr(from, nul - from));
    out.append("\x00\xFF", 2);
    from = nul + 1;
  }
  out.append(text.substr(from));
}

void appendTerminated(std::string& out, std::string_view text) {
  appendEscaped(out, text);
  out.append(2, '\0');
}

void appendPayload(std::string& out, ValueView value);

void appendElements(std::string& out, ValueView value) {
  const bool named = value.type() == BsonType::document;
  for (const doc::Element& element : value.asDocument()) {
    out += static_cast<char>(keyClass(element.value.type()));
    if (named) appendTerminated(out, element.key);
    appendPayload(out, element.value);
  }
  out += '\0';
}

void appendPayload(std::string& out, ValueView value) {
  switch (value.type()) {
    case BsonType::minKey:
    case BsonType::maxKey:
    case BsonType::null:
      return;
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::real:
    case BsonType::decimal:
      return appendNumber(out, value);
    case BsonType::string:
      return appendTerminated(out, value.asString());
    case BsonType::document:
    case BsonType::array:
      return appendElements(out, value);
    case BsonType::binary:
      appendU32(out, static_cast<uint32_t>(value.asBinary().size()));
      out += static_cast<char>(value.binarySubtype());
      out += value.asBinary();
      return;
    case BsonType::boolean:
      out += value.asBool() ? '\1' : '\0';
      return;
    case BsonType::date:
      appendU64(out, static_cast<uint64_t>(value.asDate().ms) ^ (uint64_t{1} << 63));
      return;
    case BsonType::timestamp:
      appendU64(out, static_cast<uint64_t>(value.asInt64()));
      return;
    case BsonType::objectId:
    case BsonType::regex:
      out += value.raw();
      return;
  }
}

void invert(std::string& out, size_t from) {
  for (size_t i = from; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

}  // namespace

uint8_t keyClass(BsonType type) {
  switch (type) {
    case BsonType::minKey:
      return 0x08;
    case BsonType::null:
      return 0x10;
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::real:
    case BsonType::decimal:
      return 0x18;
    case BsonType::string:
      return 0x20;
    case BsonType::document:
      return 0x28;
    case BsonType::array:
      return 0x30;
    case BsonType::binary:
      return 0x38;
    case BsonType::objectId:
      return 0x40;
    case BsonType::boolean:
      return 0x48;
    case BsonType::date:
      return 0x50;
    case BsonType::timestamp:
      return 0x58;
    case BsonType::regex:
      return 0x60;
    case BsonType::maxKey:
      return 0x68;
  }
  return 0x68;
}

bool appendValueKey(std::string& out, ValueView value, bool descending, size_t cap) {
  const size_t start = out.size();
  out += static_cast<char>(keyClass(value.type()));
  appendPayload(out, value);
  const bool cut = out.size() - start > cap;
  if (cut) {
    const Digest hash = sha256(std::string_view(out).substr(start));
    out.resize(start + cap);
    out.append(reinterpret_cast<const char*>(hash.data()), hash.size());
  }
  if (descending) invert(out, start);
  return cut;
}

void appendNullKey(std::string& out, bool descending) {
  appendClass(out, keyClass(BsonType::null), descending);
}

void appendNaNKey(std::string& out, bool descending) {
  appendClass(out, keyClass(BsonType::real), descending);
  out.append(9, descending ? '\xFF' : '\0');
}

void appendEmptyArrayKey(std::string& out, bool descending) {
  appendClass(out, kEmptyArrayClass, descending);
}

void appendClass(std::string& out, uint8_t keyClass, bool descending) {
  out += static_cast<char>(descending ? ~keyClass : keyClass);
}

void appendStringPrefix(std::string& out, std::string_view prefix, bool descending) {
  const size_t start = out.size();
  out += static_cast<char>(keyClass(BsonType::string));
  appendEscaped(out, prefix);
  out.resize(std::min(out.size(), start + kFieldCap));
  if (descending) invert(out, start);
}

}  // namespace mb::store::embedded
