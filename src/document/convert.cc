#include "document/convert.h"

#include <cmath>

#include "base/crypto.h"
#include "base/text.h"
#include "document/decimal.h"

namespace mb::doc {

namespace {

std::optional<Decimal> decimalFrom(ValueView given) {
  switch (given.type()) {
    case BsonType::string:
      return Decimal::parse(given.asString());
    case BsonType::int32:
    case BsonType::int64:
      return Decimal::fromInteger(given.asInteger());
    case BsonType::real:
      if (!std::isfinite(given.asReal())) return std::nullopt;
      return Decimal::fromReal(given.asReal());
    default:
      return std::nullopt;
  }
}

Value dateValue(Timestamp time) {
  std::array<char, sizeof time.ms> bytes;
  std::memcpy(bytes.data(), &time.ms, sizeof time.ms);
  return Value(ValueView(BsonType::date, bytes.data(), bytes.size()));
}

Value binaryValue(std::string_view bytes) {
  const auto length = static_cast<int32_t>(bytes.size());
  std::string raw(reinterpret_cast<const char*>(&length), sizeof length);
  raw.push_back('\0');
  raw.append(bytes);
  return Value(ValueView(BsonType::binary, raw.data(), raw.size()));
}

}  // namespace

std::optional<std::string> objectIdFromHex(std::string_view hex) {
  if (hex.size() != 24) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = hexDigit(hex[i]);
    const int low = hexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

BsonType typeOf(BsonForm form) {
  switch (form) {
    case BsonForm::none:
      break;
    case BsonForm::date:
      return BsonType::date;
    case BsonForm::objectId:
      return BsonType::objectId;
    case BsonForm::decimal:
      return BsonType::decimal;
    case BsonForm::binary:
      return BsonType::binary;
  }
  return BsonType::null;
}

std::optional<Value> convertTo(BsonForm form, ValueView given) {
  if (form == BsonForm::none || given.type() == typeOf(form)) return Value(given);
  if (form == BsonForm::decimal) {
    const auto decimal = decimalFrom(given);
    if (!decimal || !decimal->isFinite()) return std::nullopt;
    const std::string bytes = decimal->toBytes();
    return Value(ValueView(BsonType::decimal, bytes.data(), bytes.size()));
  }
  if (given.type() != BsonType::string) return std::nullopt;
  if (form == BsonForm::date) {
    const auto time = parseRfc3339(given.asString());
    return time ? std::optional(dateValue(*time)) : std::nullopt;
  }
  if (form == BsonForm::objectId) {
    const auto id = objectIdFromHex(given.asString());
    return id ? std::optional(Value(ValueView(BsonType::objectId, id->data(), id->size()))) : std::nullopt;
  }
  const auto bytes = fromBase64(given.asString());
  return bytes ? std::optional(binaryValue(*bytes)) : std::nullopt;
}

}  // namespace mb::doc
