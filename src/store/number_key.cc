// Encodes numbers of all types in one exact order; the format is in value_key.h.
#include <bit>
#include <cmath>

#include "document/decimal.h"
#include "document/value_order.h"
#include "store/big_endian.h"
#include "store/value_key.h"

namespace mb::store {

using doc::BsonType;
using doc::ValueView;

namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;

// A magnitude as its double rounded towards zero, plus the exact decimal digits if the double is not exact.
struct Magnitude {
  double floor = 0;
  std::string digits;  // without zeros at either end; empty if `floor` is exact
  int point = 0;
};

void appendMagnitude(std::string& out, bool negative, const Magnitude& magnitude) {
  const size_t start = out.size();
  appendU64(out, std::bit_cast<uint64_t>(magnitude.floor) | kSignBit);
  if (magnitude.digits.empty()) {
    out += '\0';
  } else {
    out += '\1';
    appendU16(out, static_cast<uint16_t>(magnitude.point + 0x8000));
    for (const char digit : magnitude.digits) out += static_cast<char>(digit - '0' + 1);
    out += '\0';
  }
  if (!negative) return;
  for (size_t i = start; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

void appendReal(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append(9, '\0');
    return;
  }
  appendMagnitude(out, value < 0, {std::fabs(value), {}, 0});
}

void takeDigits(Magnitude& magnitude, unsigned __int128 coefficient, int exponent) {
  std::string& digits = magnitude.digits;
  for (; coefficient != 0; coefficient /= 10) digits += static_cast<char>('0' + static_cast<int>(coefficient % 10));
  std::reverse(digits.begin(), digits.end());
  magnitude.point = static_cast<int>(digits.size()) + exponent;
  digits.erase(digits.find_last_not_of('0') + 1);
}

void appendInteger(std::string& out, int64_t value) {
  const uint64_t size = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  Magnitude magnitude;
  const int excess = std::bit_width(size) - 53;
  const uint64_t kept = excess > 0 ? size >> excess << excess : size;
  magnitude.floor = static_cast<double>(kept);
  if (kept != size) takeDigits(magnitude, size, 0);
  appendMagnitude(out, value < 0, magnitude);
}

void appendDecimal(std::string& out, doc::Decimal value) {
  if (!value.isFinite() || value.coefficient == 0) return appendReal(out, value.isFinite() ? 0 : value.toReal());
  const bool negative = value.negative;
  value.negative = false;
  Magnitude magnitude;
  magnitude.floor = value.toReal();
  if (std::isinf(magnitude.floor) || doc::compare(value, magnitude.floor) < 0) {
    magnitude.floor = std::nextafter(magnitude.floor, 0.0);
  }
  if (doc::compare(value, magnitude.floor) != 0) takeDigits(magnitude, value.coefficient, value.exponent);
  appendMagnitude(out, negative, magnitude);
}

}  // namespace

void appendNumber(std::string& out, ValueView value) {
  switch (value.type()) {
    case BsonType::int32:
      return appendInteger(out, value.asInt32());
    case BsonType::int64:
      return appendInteger(out, value.asInt64());
    case BsonType::real:
      return appendReal(out, value.asReal());
    default:
      return appendDecimal(out, doc::Decimal::fromBytes(value.asDecimal()));
  }
}

}  // namespace mb::store
