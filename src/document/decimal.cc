#include "document/decimal.h"

#include <bson/bson.h>

#include <charconv>
#include <cmath>

namespace mb::doc {

namespace {

constexpr int kExponentBias = 6176;
constexpr int kMaxDigits = 34;

constexpr unsigned __int128 powerOfTen(int n) {
  unsigned __int128 power = 1;
  while (n-- > 0) power *= 10;
  return power;
}
constexpr unsigned __int128 kCoefficientLimit = powerOfTen(kMaxDigits);

int digitsOf(unsigned __int128 coefficient) {
  int digits = 0;
  for (; coefficient != 0; coefficient /= 10) ++digits;
  return digits;
}

bson_decimal128_t toBson(std::string_view bytes) {
  bson_decimal128_t value;
  std::memcpy(&value.low, bytes.data(), 8);
  std::memcpy(&value.high, bytes.data() + 8, 8);
  return value;
}

int sign(bool negative) {
  return negative ? -1 : 1;
}

// REQUIRES: neither is zero; both are finite and of the same sign.
int compareMagnitudes(const Decimal& a, const Decimal& b) {
  const int aDigits = digitsOf(a.coefficient);
  const int bDigits = digitsOf(b.coefficient);
  if (aDigits + a.exponent != bDigits + b.exponent) return aDigits + a.exponent < bDigits + b.exponent ? -1 : 1;
  // Their leading digits have the same weight, so the one with fewer digits can be padded with zeros.
  const auto left = aDigits < bDigits ? a.coefficient * powerOfTen(bDigits - aDigits) : a.coefficient;
  const auto right = bDigits < aDigits ? b.coefficient * powerOfTen(aDigits - bDigits) : b.coefficient;
  return left == right ? 0 : left < right ? -1 : 1;
}

// A positive number as its digits without zeros at either end, and the position of the decimal point:
// 0.d1d2d3... times 10^point.
struct Digits {
  std::string text;
  int point = 0;
};

Digits exactDigits(double value) {
  // A double has at most 767 significant digits, and this prints all of them.
  std::array<char, 800> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, 766);
  const std::string_view printed(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t mark = printed.find('e');
  const char* exponent = printed.data() + mark + 1;
  if (*exponent == '+') ++exponent;
  Digits digits;
  std::from_chars(exponent, end.ptr, digits.point);
  ++digits.point;
  digits.text.push_back(printed.front());
  digits.text.append(printed.substr(2, mark - 2));
  digits.text.erase(digits.text.find_last_not_of('0') + 1);
  return digits;
}

Digits exactDigits(const Decimal& value) {
  Digits digits;
  for (auto rest = value.coefficient; rest != 0; rest /= 10)
    digits.text.push_back(static_cast<char>('0' + int(rest % 10)));
  digits.point = static_cast<int>(digits.text.size()) + value.exponent;
  std::reverse(digits.text.begin(), digits.text.end());
  digits.text.erase(digits.text.find_last_not_of('0') + 1);
  return digits;
}

}  // namespace

Decimal Decimal::fromBytes(std::string_view sixteenBytes) {
  const auto [high, low] = [&] {
    const bson_decimal128_t value = toBson(sixteenBytes);
    return std::pair{uint64_t{value.high}, uint64_t{value.low}};
  }();
  Decimal decimal;
  decimal.negative = (high >> 63) != 0;
  const uint64_t combination = (high >> 58) & 0x1F;
  if (combination == 0x1F) {
    decimal.kind = Kind::notANumber;
  } else if (combination == 0x1E) {
    decimal.kind = Kind::infinite;
  } else if ((combination >> 3) == 3) {
    // The long form would have a coefficient of more than 34 digits: the standard reads it as zero.
    decimal.exponent = static_cast<int>((high >> 47) & 0x3FFF) - kExponentBias;
  } else {
    decimal.exponent = static_cast<int>((high >> 49) & 0x3FFF) - kExponentBias;
    decimal.coefficient = (static_cast<unsigned __int128>(high & 0x1FFFFFFFFFFFF) << 64) | low;
    if (decimal.coefficient >= kCoefficientLimit) decimal.coefficient = 0;
  }
  return decimal;
}

Decimal Decimal::fromInteger(int64_t value) {
  Decimal decimal;
  decimal.negative = value < 0;
  decimal.coefficient = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return decimal;
}

Decimal Decimal::fromReal(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return parse({buffer.data(), static_cast<size_t>(end.ptr - buffer.data())}).value_or(Decimal{});
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  // Bounds the number of redundant zeros; a number within the limits is never this long.
  if (text.empty() || text.size() > 6200 || text.find('\0') != std::string_view::npos) return std::nullopt;
  bson_decimal128_t value;
  const std::string terminated(text);
  if (!bson_decimal128_from_string(terminated.c_str(), &value)) return std::nullopt;
  std::array<char, 16> bytes;
  std::memcpy(bytes.data(), &value.low, 8);
  std::memcpy(bytes.data() + 8, &value.high, 8);
  return fromBytes({bytes.data(), bytes.size()});
}

std::optional<int64_t> Decimal::truncated() const {
  if (!isFinite()) return std::nullopt;
  if (coefficient == 0 || exponent <= -kMaxDigits) return 0;
  if (exponent > 18) return std::nullopt;
  unsigned __int128 whole = coefficient;
  if (exponent < 0) {
    whole /= powerOfTen(-exponent);
  } else {
    if (digitsOf(coefficient) + exponent > 19) return std::nullopt;
    whole *= powerOfTen(exponent);
  }
  const unsigned __int128 limit = (static_cast<unsigned __int128>(1) << 63) - (negative ? 0 : 1);
  if (whole > limit) return std::nullopt;
  const auto magnitude = static_cast<uint64_t>(whole);
  return static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
}

double Decimal::toReal() const {
  if (kind == Kind::notANumber) return std::nan("");
  if (kind == Kind::infinite) return negative ? -HUGE_VAL : HUGE_VAL;
  const std::string text = toText();
  double real = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), real);
  if (read.ec == std::errc::result_out_of_range) {
    const double beyond = exponent > 0 ? HUGE_VAL : 0.0;
    return negative ? -beyond : beyond;
  }
  return real;
}

std::string Decimal::toText() const {
  std::array<char, BSON_DECIMAL128_STRING> text;
  const bson_decimal128_t value = toBson(toBytes());
  bson_decimal128_to_string(&value, text.data());
  return text.data();
}

std::string Decimal::toBytes() const {
  uint64_t high = negative ? uint64_t{1} << 63 : 0;
  uint64_t low = 0;
  if (kind == Kind::notANumber) {
    high |= uint64_t{0x1F} << 58;
  } else if (kind == Kind::infinite) {
    high |= uint64_t{0x1E} << 58;
  } else {
    high |= static_cast<uint64_t>(exponent + kExponentBias) << 49;
    high |= static_cast<uint64_t>(coefficient >> 64);
    low = static_cast<uint64_t>(coefficient);
  }
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), &low, 8);
  std::memcpy(bytes.data() + 8, &high, 8);
  return bytes;
}

int compare(const Decimal& a, const Decimal& b) {
  const bool aNan = a.kind == Decimal::Kind::notANumber;
  const bool bNan = b.kind == Decimal::Kind::notANumber;
  if (aNan || bNan) return aNan == bNan ? 0 : aNan ? -1 : 1;
  const auto rank = [](const Decimal& d) {
    if (d.kind == Decimal::Kind::infinite) return 2 * sign(d.negative);
    return d.coefficient == 0 ? 0 : sign(d.negative);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) == 0 || !a.isFinite()) return 0;
  return sign(a.negative) * compareMagnitudes(a, b);
}

int compare(const Decimal& a, double b) {
  if (a.kind == Decimal::Kind::notANumber) return std::isnan(b) ? 0 : -1;
  if (std::isnan(b)) return 1;
  if (std::isinf(b) || !a.isFinite()) {
    const double left = a.isFinite() ? 0 : a.toReal();
    const double right = std::isinf(b) ? b : 0;
    return left == right ? 0 : left < right ? -1 : 1;
  }
  if (a.coefficient == 0 || b == 0) return b == 0 ? (a.coefficient == 0 ? 0 : sign(a.negative)) : (b > 0 ? -1 : 1);
  if (a.negative != (b < 0)) return sign(a.negative);
  const Digits left = exactDigits(a);
  const Digits right = exactDigits(std::fabs(b));
  const int order = left.point != right.point ? (left.point < right.point ? -1 : 1) : left.text.compare(right.text);
  return sign(a.negative) * (order == 0 ? 0 : order < 0 ? -1 : 1);
}

}  // namespace mb::doc
