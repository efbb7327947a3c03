#include "document/extended_json.h"

#include <charconv>
#include <cmath>

#include "base/crypto.h"
#include "document/convert.h"
#include "document/decimal.h"

namespace mb::doc {

namespace {

std::unexpected<Error> malformed(std::string_view key) {
  return fail(ErrorCode::invalidJson, fmt::format("\"{}\" has a malformed value", key));
}

template <class T>
std::optional<T> parseWhole(std::string_view text, int base = 10) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parseReal(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<Timestamp> readDate(ValueView value) {
  if (value.type() == BsonType::string) return parseRfc3339(value.asString());
  const auto ms = value.toInteger();
  return ms ? std::optional(Timestamp{*ms}) : std::nullopt;
}

// The subtype is one or two hexadecimal digits.
Result<> appendBinary(BsonWriter& out, std::string_view key, std::string_view base64, std::string_view subtypeText) {
  const auto subtype = parseWhole<uint8_t>(subtypeText, 16);
  const auto bytes = fromBase64(base64);
  if (!subtype || !bytes) return malformed("$binary");
  // Subtype 2 holds its length again in the bytes.
  if (*subtype == 2) return malformed("$binary");
  out.appendBinary(key, *bytes, *subtype);
  return {};
}

Result<> appendBinaryWrapper(BsonWriter& out, std::string_view key, DocumentView wrapper, ValueView value) {
  if (value.type() == BsonType::string) {
    return appendBinary(out, key, value.asString(), wrapper.stringOr("$type", "00"));
  }
  if (value.type() != BsonType::document) return malformed("$binary");
  const DocumentView parts = value.asDocument();
  const auto base64 = parts.find("base64");
  const auto subtype = parts.find("subType");
  if (parts.count() != 2 || !base64 || !subtype || base64->type() != BsonType::string ||
      subtype->type() != BsonType::string) {
    return malformed("$binary");
  }
  return appendBinary(out, key, base64->asString(), subtype->asString());
}

}  // namespace

bool isExtendedKey(std::string_view key) {
  return key == "$date" || key == "$oid" || key == "$numberDecimal" || key == "$numberLong" || key == "$numberInt" ||
         key == "$numberDouble" || key == "$binary";
}

bool isExtendedPair(std::string_view first, std::string_view second) {
  return (first == "$binary" && second == "$type") || (first == "$type" && second == "$binary");
}

Result<> appendExtended(BsonWriter& out, std::string_view key, DocumentView wrapper) {
  if (const auto binary = wrapper.find("$binary")) return appendBinaryWrapper(out, key, wrapper, *binary);
  const Element element = *wrapper.begin();
  const ValueView value = element.value;
  if (element.key == "$date") {
    const auto date = readDate(value);
    if (!date) return malformed(element.key);
    out.appendDate(key, *date);
    return {};
  }
  if (value.type() != BsonType::string) return malformed(element.key);
  const std::string_view text = value.asString();
  if (element.key == "$oid") {
    const auto id = objectIdFromHex(text);
    if (!id) return malformed(element.key);
    out.appendObjectId(key, *id);
  } else if (element.key == "$numberDecimal") {
    const auto decimal = Decimal::parse(text);
    if (!decimal || !decimal->isFinite()) return malformed(element.key);
    out.appendDecimal(key, decimal->toBytes());
  } else if (element.key == "$numberLong") {
    const auto integer = parseWhole<int64_t>(text);
    if (!integer) return malformed(element.key);
    out.appendInt64(key, *integer);
  } else if (element.key == "$numberInt") {
    const auto integer = parseWhole<int32_t>(text);
    if (!integer) return malformed(element.key);
    out.appendInt32(key, *integer);
  } else {
    const auto real = parseReal(text);
    if (!real) return malformed(element.key);
    out.appendReal(key, *real);
  }
  return {};
}

}  // namespace mb::doc
