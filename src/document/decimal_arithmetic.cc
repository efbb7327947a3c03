#include <boost/multiprecision/cpp_int.hpp>

#include "document/decimal.h"

namespace mb::doc {

namespace {

// Wide enough for the product of two coefficients, and for a sum aligned over 80 digits.
using Wide = boost::multiprecision::int512_t;

constexpr int kPrecision = 34;
constexpr int kMinExponent = -6176;
constexpr int kMaxExponent = 6111;

Wide widen(const Decimal& value) {
  const Wide coefficient = Wide(value.coefficient);
  return value.negative ? Wide(-coefficient) : coefficient;
}

Wide widePowerOfTen(int n) {
  return boost::multiprecision::pow(Wide(10), static_cast<unsigned>(n));
}

int digitsOf(const Wide& magnitude) {
  return magnitude == 0 ? 0 : static_cast<int>(magnitude.str().size());
}

// Rounds `drop` digits away, half to even.
Wide rounded(const Wide& magnitude, int drop) {
  const Wide divisor = widePowerOfTen(drop);
  Wide quotient = magnitude / divisor;
  const Wide twice = 2 * (magnitude % divisor);
  if (twice > divisor || (twice == divisor && (quotient & 1) != 0)) ++quotient;
  return quotient;
}

std::optional<Decimal> narrow(const Wide& value, int exponent) {
  Wide magnitude = boost::multiprecision::abs(value);
  int drop = std::max(digitsOf(magnitude) - kPrecision, 0);
  drop = std::max(drop, kMinExponent - exponent);
  if (drop > 0) {
    if (drop > 150) {
      magnitude = 0;
    } else {
      magnitude = rounded(magnitude, drop);
    }
    exponent += drop;
    if (digitsOf(magnitude) > kPrecision) {
      magnitude /= 10;
      ++exponent;
    }
  }
  while (exponent > kMaxExponent && digitsOf(magnitude) < kPrecision) {
    magnitude *= 10;
    --exponent;
    if (magnitude == 0) exponent = kMaxExponent;
  }
  if (exponent > kMaxExponent) return std::nullopt;
  Decimal decimal;
  decimal.negative = value < 0;
  decimal.coefficient = static_cast<unsigned __int128>(magnitude);
  decimal.exponent = exponent;
  return decimal;
}

}  // namespace

std::optional<Decimal> add(const Decimal& a, const Decimal& b) {
  if (!a.isFinite() || !b.isFinite()) return std::nullopt;
  const Decimal& upper = a.exponent >= b.exponent ? a : b;
  const Decimal& lower = a.exponent >= b.exponent ? b : a;
  const int gap = upper.exponent - lower.exponent;
  // Past this gap the lower one is less than half a unit in the 34th digit of the other.
  if (gap > 2 * kPrecision + 2) {
    if (upper.coefficient == 0) return lower;
    return narrow(widen(upper) * widePowerOfTen(kPrecision), upper.exponent - kPrecision);
  }
  return narrow(widen(upper) * widePowerOfTen(gap) + widen(lower), lower.exponent);
}

std::optional<Decimal> multiply(const Decimal& a, const Decimal& b) {
  if (!a.isFinite() || !b.isFinite()) return std::nullopt;
  return narrow(widen(a) * widen(b), a.exponent + b.exponent);
}

bool isMultipleOf(const Decimal& value, const Decimal& step) {
  if (value.coefficient == 0) return true;
  const Wide divisor = Wide(step.coefficient);
  if (value.exponent < step.exponent) {
    const int gap = step.exponent - value.exponent;
    // If the step is larger than the value, only zero is a multiple.
    if (gap > kPrecision) return false;
    return Wide(value.coefficient) % (divisor * widePowerOfTen(gap)) == 0;
  }
  Wide remainder = Wide(value.coefficient) % divisor;
  Wide factor = Wide(10) % divisor;
  for (unsigned power = static_cast<unsigned>(value.exponent - step.exponent); power != 0; power >>= 1) {
    if ((power & 1) != 0) remainder = remainder * factor % divisor;
    factor = factor * factor % divisor;
  }
  return remainder == 0;
}

}  // namespace mb::doc
