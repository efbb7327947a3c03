#include "store/value_key.h"

#include "base/crypto.h"
#include "store/big_endian.h"

namespace mb::store {

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

// Moves over encodings byte by byte; each function is false if the bytes are not an encoding.
class KeyWalk {
 public:
  KeyWalk(std::string_view bytes, bool descending) : bytes_(bytes), mask_(descending ? 0xFF : 0) {}

  bool value() { return payload(next()); }
  size_t at() const { return at_; }

 private:
  // The next byte as it was before a descending field was inverted; -1 at the end.
  int next() { return at_ < bytes_.size() ? static_cast<uint8_t>(bytes_[at_++]) ^ mask_ : -1; }
  bool skip(size_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }
  bool skipTo(int end) {
    for (int byte = next(); byte != end; byte = next()) {
      if (byte < 0) return false;
    }
    return true;
  }
  bool terminated() {
    while (skipTo(0)) {
      const int escape = next();
      if (escape != 0xFF) return escape == 0;
    }
    return false;
  }
  bool number() {
    const int sign = next();
    if (sign < 0 || !skip(7)) return false;
    const int tail = next();
    if (sign < 0x80 && tail == 0) return true;  // NaN
    const int inverted = sign < 0x80 ? 0xFF : 0;
    if (tail == inverted) return true;
    return tail == (inverted ^ 1) && skip(2) && skipTo(inverted);
  }
  bool binary() {
    uint32_t size = 0;
    for (int i = 0; i < 4; ++i) {
      const int byte = next();
      if (byte < 0) return false;
      size = size << 8 | static_cast<uint32_t>(byte);
    }
    return skip(size_t{size} + 1);
  }
  bool elements(bool named) {
    while (true) {
      const int keyClass = next();
      if (keyClass <= 0) return keyClass == 0;
      if ((named && !terminated()) || !payload(keyClass)) return false;
    }
  }
  bool payload(int keyClass) {
    switch (keyClass) {
      case 0x08:
      case kEmptyArrayClass:
      case 0x10:
      case 0x68:
        return true;
      case 0x18:
        return number();
      case 0x20:
        return terminated();
      case 0x28:
        return elements(true);
      case 0x30:
        return elements(false);
      case 0x38:
        return binary();
      case 0x40:
        return skip(12);
      case 0x48:
        return skip(1);
      case 0x50:
      case 0x58:
        return skip(8);
      case 0x60:
        return skipTo(0) && skipTo(0);
      default:
        return false;
    }
  }

  const std::string_view bytes_;
  const int mask_;
  size_t at_ = 0;
};

}  // namespace

void invert(std::string& encoded, size_t from) {
  for (size_t i = from; i < encoded.size(); ++i) encoded[i] = static_cast<char>(~encoded[i]);
}

size_t valueKeySize(std::string_view bytes, bool descending) {
  KeyWalk walk(bytes, descending);
  return walk.value() ? walk.at() : 0;
}

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

}  // namespace mb::store
