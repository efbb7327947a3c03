#include "document/bson.h"

#include <cmath>

#include "base/work_budget.h"
#include "document/decimal.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget for each field that is skipped.
constexpr int64_t kCopyUnitsPerField = 4;

constexpr std::string_view kEmptyDocument{"\5\0\0\0\0", 5};

}  // namespace

std::string_view typeName(BsonType type) {
  switch (type) {
    case BsonType::real:
      return "double";
    case BsonType::string:
      return "string";
    case BsonType::document:
      return "object";
    case BsonType::array:
      return "array";
    case BsonType::binary:
      return "binData";
    case BsonType::objectId:
      return "objectId";
    case BsonType::boolean:
      return "bool";
    case BsonType::date:
      return "date";
    case BsonType::null:
      return "null";
    case BsonType::regex:
      return "regex";
    case BsonType::int32:
      return "int";
    case BsonType::timestamp:
      return "timestamp";
    case BsonType::int64:
      return "long";
    case BsonType::decimal:
      return "decimal";
    case BsonType::minKey:
      return "minKey";
    case BsonType::maxKey:
      return "maxKey";
  }
  return "unknown";
}

size_t detail::regexSize(const char* data) {
  const size_t pattern = std::strlen(data) + 1;
  return pattern + std::strlen(data + pattern) + 1;
}

double ValueView::toReal() const {
  switch (type_) {
    case BsonType::int32:
      return asInt32();
    case BsonType::int64:
      return static_cast<double>(asInt64());
    case BsonType::decimal:
      return Decimal::fromBytes(asDecimal()).toReal();
    default:
      return asReal();
  }
}

std::optional<int64_t> ValueView::toInteger() const {
  switch (type_) {
    case BsonType::int32:
      return asInt32();
    case BsonType::int64:
      return asInt64();
    case BsonType::real: {
      const double real = asReal();
      // The bounds are exact doubles; the upper one is one above the largest int64.
      if (!(real >= -0x1p63 && real < 0x1p63) || real != std::trunc(real)) return std::nullopt;
      return static_cast<int64_t>(real);
    }
    default:
      return std::nullopt;
  }
}

DocumentView::DocumentView() : bytes_(kEmptyDocument) {}

size_t DocumentView::count() const {
  size_t count = 0;
  for (auto it = begin(); it != end(); ++it) ++count;
  return count;
}

std::optional<ValueView> DocumentView::find(std::string_view key) const {
  const char* at = bytes_.data() + 4;
  int64_t passed = 0;
  std::optional<ValueView> found;
  for (; *at != 0; ++passed) {
    const auto type = static_cast<BsonType>(static_cast<uint8_t>(*at));
    const char* name = at + 1;
    const size_t length = std::strlen(name);
    const char* data = name + length + 1;
    const size_t size = valueSize(type, data);
    if (length == key.size() && std::memcmp(name, key.data(), length) == 0) {
      found = ValueView(type, data, size);
      break;
    }
    at = data + size;
  }
  WorkBudget::charge(passed * kCopyUnitsPerField);
  return found;
}

std::optional<ValueView> DocumentView::findPath(std::string_view dotted) const {
  DocumentView inside = *this;
  while (true) {
    const size_t dot = dotted.find('.');
    const auto value = inside.find(dotted.substr(0, dot));
    if (dot == std::string_view::npos || !value) return value;
    if (value->type() != BsonType::document) return std::nullopt;
    inside = value->asDocument();
    dotted.remove_prefix(dot + 1);
  }
}

std::string_view DocumentView::stringOr(std::string_view key, std::string_view fallback) const {
  const auto value = find(key);
  return value && value->type() == BsonType::string ? value->asString() : fallback;
}

Document::Document() : bytes_(kEmptyDocument) {}

Document Document::fromTrusted(std::string bytes) {
  Document document;
  document.bytes_ = std::move(bytes);
  return document;
}

Value::Value() : type_(BsonType::null) {}

Value::Value(ValueView view) : type_(view.type()), raw_(view.raw()) {}

std::string_view arrayKey(size_t n) {
  static constexpr size_t kPrepared = 1000;
  static const auto prepared = [] {
    std::array<std::array<char, 4>, kPrepared> keys{};
    for (size_t i = 0; i < kPrepared; ++i) fmt::format_to_n(keys[i].data(), 3, "{}", i);
    return keys;
  }();
  if (n < kPrepared) return {prepared[n].data(), n < 10 ? 1u : n < 100 ? 2u : 3u};
  thread_local std::array<char, 24> buffer;
  const auto end = fmt::format_to(buffer.data(), "{}", n);
  return {buffer.data(), static_cast<size_t>(end - buffer.data())};
}

}  // namespace mb::doc
