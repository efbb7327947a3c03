// Documents as clone values.
#include <charconv>

#include "base/crypto.h"
#include "clone/values.h"
#include "document/decimal.h"

namespace mb::clone {

using doc::BsonType;
using doc::DocumentView;
using doc::ValueView;

namespace {

void writeInt64(Writer& out, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) return out.integer(static_cast<int32_t>(value));
  if (value >= -kMaxExactInteger && value <= kMaxExactInteger) return out.real(static_cast<double>(value));
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.tag(Tag::bigInt);
  out.text({digits.data(), end});
}

void writeRegex(Writer& out, ValueView value) {
  const std::string_view pattern(value.raw().data());
  const std::string_view options(value.raw().data() + pattern.size() + 1);
  std::string flags;
  for (const char known : std::string_view("ims")) {
    if (options.contains(known)) flags += known;
  }
  out.tag(Tag::regexp);
  out.text(pattern);
  out.text(flags);
}

void writeScalar(Writer& out, ValueView value) {
  switch (value.type()) {
    case BsonType::real:
      return out.real(value.asReal());
    case BsonType::string:
      return out.string(value.asString());
    case BsonType::boolean:
      return out.tag(value.asBool() ? Tag::yes : Tag::no);
    case BsonType::int32:
      return out.integer(value.asInt32());
    case BsonType::int64:
    case BsonType::timestamp:  // our documents have none; one from elsewhere stays a number
      return writeInt64(out, value.asInt64());
    case BsonType::date:
      return out.date(static_cast<double>(value.asDate().ms));
    case BsonType::binary:
      return out.bytes(value.asBinary());
    case BsonType::objectId: {
      const std::string_view id = value.asObjectId();
      return out.string(toHex({reinterpret_cast<const uint8_t*>(id.data()), id.size()}));
    }
    case BsonType::decimal:
      return out.string(doc::Decimal::fromBytes(value.asDecimal()).toText());
    case BsonType::regex:
      return writeRegex(out, value);
    default:
      return out.tag(Tag::null);
  }
}

bool writeAny(Writer& out, ValueView value, int depth);

bool writeContainer(Writer& out, DocumentView container, bool isArray, int depth) {
  if (depth == 0) return false;
  out.tag(isArray ? Tag::array : Tag::object);
  out.count(static_cast<uint32_t>(container.count()));
  for (const auto& [key, value] : container) {
    if (!isArray) out.text(key);
    if (!writeAny(out, value, depth - 1)) return false;
  }
  return true;
}

bool writeAny(Writer& out, ValueView value, int depth) {
  if (value.isContainer()) return writeContainer(out, value.asDocument(), value.type() == BsonType::array, depth);
  writeScalar(out, value);
  return true;
}

}  // namespace

bool writeValue(Writer& out, ValueView value) {
  return writeAny(out, value, kMaxDepth);
}

bool writeObject(Writer& out, DocumentView object) {
  return writeContainer(out, object, false, kMaxDepth);
}

}  // namespace mb::clone
