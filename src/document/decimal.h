// The 128-bit decimal floating point of BSON (IEEE 754-2008, binary integer significand): sign, a coefficient of at
// most 34 digits and a power of ten. Text conversion is libbson's; comparison and arithmetic are exact here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mb::doc {

struct Decimal {
  enum class Kind : uint8_t { finite, infinite, notANumber };

  Kind kind = Kind::finite;
  bool negative = false;
  unsigned __int128 coefficient = 0;  // below 10^34
  int exponent = 0;                   // -6176 to 6111

  static Decimal fromBytes(std::string_view sixteenBytes);
  static Decimal fromInteger(int64_t value);
  // The shortest decimal text that reads back as `value`; finite values only.
  static Decimal fromReal(double value);
  // nullopt if `text` is not a decimal number or has more than 34 digits.
  static std::optional<Decimal> parse(std::string_view text);

  bool isFinite() const { return kind == Kind::finite; }
  // The value truncated to an integer; nullopt if it is not finite or exceeds 64 bits.
  std::optional<int64_t> truncated() const;
  double toReal() const;
  std::string toText() const;
  std::string toBytes() const;  // 16
};

// -1, 0 or 1, exactly. NaN is below everything and equal to itself.
int compare(const Decimal& a, const Decimal& b);
int compare(const Decimal& a, double b);
// Rounded to 34 digits, half to even; nullopt on overflow or an operand that is not finite.
std::optional<Decimal> add(const Decimal& a, const Decimal& b);
std::optional<Decimal> multiply(const Decimal& a, const Decimal& b);
// Whether `value` is an integral multiple of `step` (not zero), both finite.
bool isMultipleOf(const Decimal& value, const Decimal& step);

}  // namespace mb::doc
