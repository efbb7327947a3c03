// $inc $mul $bit: int32 grows to int64 if needed, an integer becomes a double or decimal if the other operand is one,
// and an overflow of 64 bits is refused.
#include <cmath>

#include "document/decimal.h"
#include "document/update_actions.h"

namespace mb::doc {

namespace {

using ActionResult = Result<std::unique_ptr<UpdateAction>>;

enum class Arithmetic { add, multiply };

// Converts a double for arithmetic with a decimal: its first 15 digits, as those were written by the client.
Decimal decimalOfReal(double value) {
  Decimal decimal = Decimal::parse(fmt::format("{:.14e}", value)).value_or(Decimal{});
  while (decimal.exponent < 0 && decimal.coefficient != 0 && decimal.coefficient % 10 == 0) {
    decimal.coefficient /= 10;
    ++decimal.exponent;
  }
  return decimal.coefficient == 0 ? Decimal{} : decimal;
}

Decimal decimalOf(ValueView value) {
  if (value.type() == BsonType::decimal) return Decimal::fromBytes(value.asDecimal());
  if (value.type() == BsonType::real) return decimalOfReal(value.asReal());
  return Decimal::fromInteger(value.asInteger());
}

class Calculate final : public UpdateAction {
 public:
  Calculate(std::string_view op, Arithmetic kind, Value operand) : op_(op), kind_(kind), operand_(std::move(operand)) {}

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    if (!current) {
      if (kind_ == Arithmetic::add) {
        out.append(target.key, operand_);
      } else {
        appendZero(target.key, out);
      }
      return {};
    }
    if (!current->isNumber()) {
      return refuseUpdate(fmt::format("{} of \"{}\": the field is of type {}, not a number", op_, target.path,
                                      typeName(current->type())));
    }
    const auto involves = [&](BsonType type) { return current->type() == type || operand_.type() == type; };
    if (involves(BsonType::decimal)) return decimals(target, *current, out);
    if (involves(BsonType::real)) return reals(target, *current, out);
    return integers(target, *current, out);
  }

 private:
  void appendZero(std::string_view key, BsonWriter& out) const {
    switch (operand_.type()) {
      case BsonType::decimal:
        return out.appendDecimal(key, Decimal{}.toBytes());
      case BsonType::real:
        return out.appendReal(key, 0);
      case BsonType::int64:
        return out.appendInt64(key, 0);
      default:
        return out.appendInt32(key, 0);
    }
  }

  std::unexpected<Error> overflow(const Target& target) const {
    return refuseUpdate(fmt::format("{} of \"{}\": the result is too large", op_, target.path));
  }

  Result<> decimals(const Target& target, ValueView current, BsonWriter& out) const {
    const Decimal a = decimalOf(current);
    const Decimal b = decimalOf(operand_);
    const auto result = kind_ == Arithmetic::add ? add(a, b) : multiply(a, b);
    if (!result) return overflow(target);
    out.appendDecimal(target.key, result->toBytes());
    return {};
  }

  Result<> reals(const Target& target, ValueView current, BsonWriter& out) const {
    const double a = current.toReal();
    const double b = operand_.view().toReal();
    const double result = kind_ == Arithmetic::add ? a + b : a * b;
    if (!std::isfinite(result)) return overflow(target);
    out.appendReal(target.key, result);
    return {};
  }

  Result<> integers(const Target& target, ValueView current, BsonWriter& out) const {
    const int64_t a = current.asInteger();
    const int64_t b = operand_.view().asInteger();
    int64_t result = 0;
    const bool overflows =
        kind_ == Arithmetic::add ? __builtin_add_overflow(a, b, &result) : __builtin_mul_overflow(a, b, &result);
    if (overflows) return overflow(target);
    const bool staysLong = current.type() == BsonType::int64 || operand_.type() == BsonType::int64;
    if (staysLong) {
      out.appendInt64(target.key, result);
    } else {
      out.appendInteger(target.key, result);
    }
    return {};
  }

  std::string op_;
  Arithmetic kind_;
  Value operand_;
};

ActionResult makeArithmetic(const ActionSource& source, Arithmetic kind) {
  if (!source.value.isNumber() || !std::isfinite(source.value.toReal())) {
    return refuseUpdate(fmt::format("{} of \"{}\" takes a number", source.op, source.path));
  }
  return std::make_unique<Calculate>(source.op, kind, Value(source.value));
}

struct BitStep {
  enum class Kind { bitAnd, bitOr, bitXor } kind;
  int64_t operand;
};

class Bit final : public UpdateAction {
 public:
  Bit(std::vector<BitStep> steps, bool isLong) : steps_(std::move(steps)), isLong_(isLong) {}

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    const bool isInteger = !current || current->type() == BsonType::int32 || current->type() == BsonType::int64;
    if (!isInteger) {
      return refuseUpdate(fmt::format("$bit of \"{}\": the field is of type {}, not an integer", target.path,
                                      typeName(current->type())));
    }
    int64_t bits = current ? current->asInteger() : 0;
    for (const BitStep& step : steps_) {
      if (step.kind == BitStep::Kind::bitAnd) bits &= step.operand;
      if (step.kind == BitStep::Kind::bitOr) bits |= step.operand;
      if (step.kind == BitStep::Kind::bitXor) bits ^= step.operand;
    }
    if (isLong_ || (current && current->type() == BsonType::int64)) {
      out.appendInt64(target.key, bits);
    } else {
      out.appendInt32(target.key, static_cast<int32_t>(bits));
    }
    return {};
  }

 private:
  std::vector<BitStep> steps_;
  bool isLong_;
};

std::optional<BitStep::Kind> bitKind(std::string_view name) {
  if (name == "and") return BitStep::Kind::bitAnd;
  if (name == "or") return BitStep::Kind::bitOr;
  if (name == "xor") return BitStep::Kind::bitXor;
  return std::nullopt;
}

}  // namespace

ActionResult makeInc(const ActionSource& source) {
  return makeArithmetic(source, Arithmetic::add);
}

ActionResult makeMul(const ActionSource& source) {
  return makeArithmetic(source, Arithmetic::multiply);
}

ActionResult makeBit(const ActionSource& source) {
  const auto refuse = [&] {
    return refuseUpdate(fmt::format("$bit of \"{}\" takes an object of and, or, xor with integers", source.path));
  };
  if (source.value.type() != BsonType::document || source.value.asDocument().empty()) return refuse();
  std::vector<BitStep> steps;
  bool isLong = false;
  for (const Element& element : source.value.asDocument()) {
    const auto kind = bitKind(element.key);
    const bool isInteger = element.value.type() == BsonType::int32 || element.value.type() == BsonType::int64;
    if (!kind || !isInteger) return refuse();
    isLong = isLong || element.value.type() == BsonType::int64;
    steps.push_back({*kind, element.value.asInteger()});
  }
  return std::make_unique<Bit>(std::move(steps), isLong);
}

}  // namespace mb::doc
