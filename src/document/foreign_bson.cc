#include "document/foreign_bson.h"

#include <cmath>

#include "base/utf8.h"

namespace mb::doc {

namespace {

constexpr size_t kLeastDocument = 5;
constexpr size_t kObjectId = 12;

uint32_t readLength(std::string_view bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

// The size of the value of a type at the start of `bytes`; nullopt for an unknown type, or where it does not fit.
std::optional<size_t> sizeOf(uint8_t type, std::string_view bytes) {
  const auto fixed = [&](size_t size) { return bytes.size() >= size ? std::optional(size) : std::nullopt; };
  // A length before a text with a NUL at its end.
  const auto text = [&](size_t more) -> std::optional<size_t> {
    if (bytes.size() < 4) return std::nullopt;
    const size_t length = readLength(bytes);
    const size_t whole = 4 + length + more;
    if (length < 1 || whole > bytes.size() || bytes[4 + length - 1] != '\0') return std::nullopt;
    return whole;
  };
  const auto container = [&](size_t least) -> std::optional<size_t> {
    if (bytes.size() < least) return std::nullopt;
    const size_t length = readLength(bytes);
    return length < least || length > bytes.size() ? std::nullopt : std::optional(length);
  };
  switch (type) {
    case kUndefined:
    case static_cast<uint8_t>(BsonType::null):
    case static_cast<uint8_t>(BsonType::minKey):
    case static_cast<uint8_t>(BsonType::maxKey):
      return 0;
    case static_cast<uint8_t>(BsonType::boolean):
      return fixed(1);
    case static_cast<uint8_t>(BsonType::int32):
      return fixed(4);
    case static_cast<uint8_t>(BsonType::real):
    case static_cast<uint8_t>(BsonType::date):
    case static_cast<uint8_t>(BsonType::timestamp):
    case static_cast<uint8_t>(BsonType::int64):
      return fixed(8);
    case static_cast<uint8_t>(BsonType::objectId):
      return fixed(kObjectId);
    case static_cast<uint8_t>(BsonType::decimal):
      return fixed(16);
    case static_cast<uint8_t>(BsonType::string):
    case kCode:
    case kSymbol:
      return text(0);
    case kDbPointer:
      return text(kObjectId);
    case static_cast<uint8_t>(BsonType::document):
    case static_cast<uint8_t>(BsonType::array):
      return container(kLeastDocument);
    case kCodeWithScope:
      return container(4 + 4 + 1 + kLeastDocument);
    case static_cast<uint8_t>(BsonType::binary): {
      if (bytes.size() < 5) return std::nullopt;
      const size_t whole = size_t{5} + readLength(bytes);
      return whole > bytes.size() ? std::nullopt : std::optional(whole);
    }
    case static_cast<uint8_t>(BsonType::regex): {
      const size_t pattern = bytes.find('\0');
      const size_t options = pattern == std::string_view::npos ? pattern : bytes.find('\0', pattern + 1);
      return options == std::string_view::npos ? std::nullopt : std::optional(options + 1);
    }
    default:
      return std::nullopt;
  }
}

// The code and the scope of a value of type kCodeWithScope; nullopt if it is malformed.
std::optional<std::pair<std::string_view, std::string_view>> codeAndScope(std::string_view value) {
  const std::string_view rest = value.substr(4);
  const auto code = sizeOf(kCode, rest);
  if (!code) return std::nullopt;
  const std::string_view scope = rest.substr(*code);
  const auto size = sizeOf(static_cast<uint8_t>(BsonType::document), scope);
  if (!size || *size != scope.size()) return std::nullopt;
  return std::pair(rest.substr(4, *code - 5), scope);
}

bool isWellFormedTo(std::string_view document, int depth) {
  if (depth < 0) return false;
  ForeignReader reader(document);
  while (reader.next()) {
    const ForeignElement& element = reader.element();
    if (element.isContainer() && !isWellFormedTo(element.value, depth - 1)) return false;
    if (element.type != kCodeWithScope) continue;
    const auto parts = codeAndScope(element.value);
    if (!parts || !isWellFormedTo(parts->second, depth - 1)) return false;
  }
  return !reader.malformed();
}

double realOf(const ForeignElement& element) {
  double value = 0;
  std::memcpy(&value, element.value.data(), sizeof value);
  return value;
}

bool isNotFinite(const ForeignElement& element) {
  return element.is(BsonType::real) && !std::isfinite(realOf(element));
}

void appendElements(BsonWriter& out, std::string_view document) {
  ForeignReader reader(document);
  while (reader.next()) appendShown(out, asUtf8(reader.element().key), reader.element());
}

void appendRegex(BsonWriter& out, std::string_view key, std::string_view value) {
  const size_t end = value.find('\0');
  out.beginDocument(key);
  out.beginDocument("$regularExpression");
  out.appendString("pattern", asUtf8(value.substr(0, end)));
  out.appendString("options", asUtf8(value.substr(end + 1, value.size() - end - 2)));
  out.end();
  out.end();
}

void appendTimestamp(BsonWriter& out, std::string_view key, std::string_view value) {
  out.beginDocument(key);
  out.beginDocument("$timestamp");
  out.appendInt64("t", readLength(value.substr(4)));
  out.appendInt64("i", readLength(value));
  out.end();
  out.end();
}

}  // namespace

ForeignReader::ForeignReader(std::string_view document) {
  const bool whole =
      document.size() >= kLeastDocument && readLength(document) == document.size() && document.back() == '\0';
  malformed_ = !whole;
  if (whole) rest_ = document.substr(4, document.size() - 5);
}

bool ForeignReader::refuse() {
  malformed_ = true;
  rest_ = {};
  return false;
}

bool ForeignReader::next() {
  if (rest_.empty()) return false;
  element_.type = static_cast<uint8_t>(rest_.front());
  const size_t end = rest_.find('\0', 1);
  if (end == std::string_view::npos) return refuse();
  element_.key = rest_.substr(1, end - 1);
  const std::string_view behind = rest_.substr(end + 1);
  const auto size = sizeOf(element_.type, behind);
  if (!size) return refuse();
  element_.value = behind.substr(0, *size);
  rest_ = behind.substr(*size);
  return true;
}

bool isWellFormed(std::string_view document) {
  return isWellFormedTo(document, kMaxForeignDepth);
}

bool isShownAsOther(const ForeignElement& element) {
  switch (element.type) {
    case kUndefined:
    case kDbPointer:
    case kCode:
    case kSymbol:
    case kCodeWithScope:
    case static_cast<uint8_t>(BsonType::regex):
    case static_cast<uint8_t>(BsonType::timestamp):
    case static_cast<uint8_t>(BsonType::minKey):
    case static_cast<uint8_t>(BsonType::maxKey):
      return true;
    default:
      return isNotFinite(element);
  }
}

bool holdsShownAsOther(const ForeignElement& element) {
  if (!element.isContainer()) return isShownAsOther(element);
  ForeignReader reader(element.value);
  while (reader.next()) {
    if (holdsShownAsOther(reader.element())) return true;
  }
  return false;
}

std::string asUtf8(std::string_view text) {
  if (isUtf8(text)) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8SequenceLength(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

void appendShown(BsonWriter& out, std::string_view key, const ForeignElement& element) {
  const std::string_view value = element.value;
  switch (element.type) {
    case kUndefined:
      return out.appendNull(key);
    case kSymbol:
    case static_cast<uint8_t>(BsonType::string):
      return out.appendString(key, asUtf8(element.text()));
    case static_cast<uint8_t>(BsonType::document):
      out.beginDocument(key);
      appendElements(out, value);
      return out.end();
    case static_cast<uint8_t>(BsonType::array): {
      out.beginArray(key);
      ForeignReader reader(value);
      for (size_t at = 0; reader.next(); ++at) appendShown(out, arrayKey(at), reader.element());
      return out.end();
    }
    case static_cast<uint8_t>(BsonType::regex):
      return appendRegex(out, key, value);
    case static_cast<uint8_t>(BsonType::timestamp):
      return appendTimestamp(out, key, value);
    case static_cast<uint8_t>(BsonType::minKey):
    case static_cast<uint8_t>(BsonType::maxKey):
      out.beginDocument(key);
      out.appendInt32(element.is(BsonType::minKey) ? "$minKey" : "$maxKey", 1);
      return out.end();
    case kCode:
      out.beginDocument(key);
      out.appendString("$code", asUtf8(element.text()));
      return out.end();
    case kCodeWithScope: {
      const auto parts = codeAndScope(value);
      out.beginDocument(key);
      out.appendString("$code", asUtf8(parts->first));
      out.beginDocument("$scope");
      appendElements(out, parts->second);
      out.end();
      return out.end();
    }
    case kDbPointer:
      out.beginDocument(key);
      out.beginDocument("$dbPointer");
      out.appendString("$ref", asUtf8(value.substr(4, value.size() - kObjectId - 5)));
      out.appendObjectId("$id", value.substr(value.size() - kObjectId));
      out.end();
      return out.end();
    default:
      if (isNotFinite(element)) return out.appendNull(key);
      return out.append(key, ValueView(static_cast<BsonType>(element.type), value.data(), value.size()));
  }
}

}  // namespace mb::doc
