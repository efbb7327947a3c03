#include "document/value_order.h"

#include <cmath>

#include "document/decimal.h"

namespace mb::doc {

namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compareReals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : std::isnan(a) ? -1 : 1;
  return order(a, b);
}

int compareIntegerToReal(int64_t a, double b) {
  if (std::isnan(b)) return 1;
  if (b >= 0x1p63) return -1;
  if (b < -0x1p63) return 1;
  const double whole = std::trunc(b);
  if (const int byWhole = order(a, static_cast<int64_t>(whole)); byWhole != 0) return byWhole;
  return order(0.0, b - whole);
}

int compareDecimalToNumber(const Decimal& a, ValueView b) {
  if (b.type() == BsonType::decimal) return compare(a, Decimal::fromBytes(b.asDecimal()));
  if (b.type() == BsonType::real) return compare(a, b.asReal());
  return compare(a, Decimal::fromInteger(b.asInteger()));
}

int compareNumbers(ValueView a, ValueView b) {
  if (a.type() == BsonType::decimal) return compareDecimalToNumber(Decimal::fromBytes(a.asDecimal()), b);
  if (b.type() == BsonType::decimal) return -compareDecimalToNumber(Decimal::fromBytes(b.asDecimal()), a);
  const bool aReal = a.type() == BsonType::real;
  const bool bReal = b.type() == BsonType::real;
  if (aReal && bReal) return compareReals(a.asReal(), b.asReal());
  if (aReal) return -compareIntegerToReal(b.asInteger(), a.asReal());
  if (bReal) return compareIntegerToReal(a.asInteger(), b.asReal());
  return order(a.asInteger(), b.asInteger());
}

int compareText(std::string_view a, std::string_view b) {
  const int compared = a.compare(b);
  return order(compared, 0);
}

int compareBinary(ValueView a, ValueView b) {
  if (const int bySize = order(a.asBinary().size(), b.asBinary().size()); bySize != 0) return bySize;
  if (const int bySubtype = order(a.binarySubtype(), b.binarySubtype()); bySubtype != 0) return bySubtype;
  return compareText(a.asBinary(), b.asBinary());
}

int compareTimestamps(ValueView a, ValueView b) {
  uint64_t left;
  uint64_t right;
  std::memcpy(&left, a.raw().data(), sizeof left);
  std::memcpy(&right, b.raw().data(), sizeof right);
  return order(left, right);
}

}  // namespace

int typeClass(BsonType type) {
  switch (type) {
    case BsonType::minKey:
      return 0;
    case BsonType::null:
      return 1;
    case BsonType::real:
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::decimal:
      return 2;
    case BsonType::string:
      return 3;
    case BsonType::document:
      return 4;
    case BsonType::array:
      return 5;
    case BsonType::binary:
      return 6;
    case BsonType::objectId:
      return 7;
    case BsonType::boolean:
      return 8;
    case BsonType::date:
      return 9;
    case BsonType::timestamp:
      return 10;
    case BsonType::regex:
      return 11;
    case BsonType::maxKey:
      return 12;
  }
  return 13;
}

int compareValues(ValueView a, ValueView b) {
  if (const int byClass = order(typeClass(a.type()), typeClass(b.type())); byClass != 0) return byClass;
  switch (a.type()) {
    case BsonType::real:
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::decimal:
      return compareNumbers(a, b);
    case BsonType::string:
      return compareText(a.asString(), b.asString());
    case BsonType::document:
    case BsonType::array:
      return compareDocuments(a.asDocument(), b.asDocument());
    case BsonType::binary:
      return compareBinary(a, b);
    case BsonType::objectId:
    case BsonType::regex:
      return compareText(a.raw(), b.raw());
    case BsonType::boolean:
      return order(int{a.asBool()}, int{b.asBool()});
    case BsonType::date:
      return order(a.asDate().ms, b.asDate().ms);
    case BsonType::timestamp:
      return compareTimestamps(a, b);
    default:
      return 0;
  }
}

int compareDocuments(DocumentView a, DocumentView b) {
  auto left = a.begin();
  auto right = b.begin();
  for (; left != a.end() && right != b.end(); ++left, ++right) {
    const int byClass = order(typeClass(left->value.type()), typeClass(right->value.type()));
    if (byClass != 0) return byClass;
    if (const int byKey = compareText(left->key, right->key); byKey != 0) return byKey;
    if (const int byValue = compareValues(left->value, right->value); byValue != 0) return byValue;
  }
  return order(int{left != a.end()}, int{right != b.end()});
}

}  // namespace mb::doc
