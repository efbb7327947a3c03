#include "document/filter_match.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "document/decimal.h"
#include "document/traverse.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget.
constexpr int64_t kUnitsPerValue = 10;
constexpr size_t kBytesPerUnit = 2;  // of arrays and documents that are walked

// Charges for a walk through a whole container.
void chargeWalk(ValueView value) {
  if (value.isContainer()) WorkBudget::charge(static_cast<int64_t>(value.raw().size() / kBytesPerUnit));
}

bool isNan(ValueView value) {
  if (value.type() == BsonType::real) return std::isnan(value.asReal());
  if (value.type() != BsonType::decimal) return false;
  return Decimal::fromBytes(value.asDecimal()).kind == Decimal::Kind::notANumber;
}

bool equals(ValueView value, ValueView operand) {
  const BsonType type = value.type();
  if (type == operand.type() && (type == BsonType::string || type == BsonType::int32)) {
    return value.raw() == operand.raw();
  }
  if (typeClass(type) != typeClass(operand.type())) return false;
  chargeWalk(operand);
  return equalValues(value, operand);
}

// $gt, $gte, $lt and $lte compare within one type class; only minKey and maxKey compare with everything.
bool compares(FilterOp op, ValueView value, ValueView operand) {
  const bool wantsLess = op == FilterOp::lt || op == FilterOp::lte;
  if (typeClass(value.type()) != typeClass(operand.type())) {
    return operand.type() == (wantsLess ? BsonType::maxKey : BsonType::minKey);
  }
  const bool orEqual = op == FilterOp::gte || op == FilterOp::lte;
  if (isNan(value) || isNan(operand)) return orEqual && isNan(value) && isNan(operand);
  chargeWalk(operand);
  const int order = compareValues(value, operand);
  return order == 0 ? orEqual : wantsLess ? order < 0 : order > 0;
}

bool isListed(const FilterNode& node, ValueView value) {
  const auto less = [](ValueView a, ValueView b) { return compareValues(a, b) < 0; };
  WorkBudget::charge(kUnitsPerValue * std::bit_width(node.operands.size()));
  chargeWalk(value);
  if (std::ranges::binary_search(node.operands, value, less, &Value::view)) return true;
  if (value.type() != BsonType::string) return false;
  return std::ranges::any_of(node.patterns,
                             [&](const Pattern& pattern) { return matchesPattern(pattern, value.asString()); });
}

bool hasRemainder(const FilterNode& node, ValueView value) {
  std::optional<int64_t> dividend;
  if (value.type() == BsonType::real) {
    const double whole = std::trunc(value.asReal());
    if (whole >= -0x1p63 && whole < 0x1p63) dividend = static_cast<int64_t>(whole);
  } else if (value.type() == BsonType::decimal) {
    dividend = Decimal::fromBytes(value.asDecimal()).truncated();
  } else if (value.isNumber()) {
    dividend = value.toInteger();
  }
  if (!dividend) return false;
  // The one quotient that 64 bits cannot hold has no remainder.
  const int64_t remainder = node.divisor == -1 ? 0 : *dividend % node.divisor;
  return remainder == node.remainder;
}

bool hasMatchingElement(const FilterNode& node, ValueView value) {
  if (value.type() != BsonType::array) return false;
  const FilterNode& condition = *node.children.front();
  for (const Element& element : value.asDocument()) {
    if (!WorkBudget::charge(kUnitsPerElement)) return false;
    const bool matches = node.elementIsValue
                             ? matchesElement(condition, element.value)
                             : element.value.isContainer() && matchesDocument(condition, element.value.asDocument());
    if (matches) return true;
  }
  return false;
}

// Whether a value at the end of a path satisfies a condition on single values.
bool matchesValue(const FilterNode& node, ValueView value) {
  switch (node.op) {
    case FilterOp::eq:
      return equals(value, node.operand);
    case FilterOp::gt:
    case FilterOp::gte:
    case FilterOp::lt:
    case FilterOp::lte:
      return compares(node.op, value, node.operand);
    case FilterOp::in:
      return isListed(node, value);
    case FilterOp::exists:
      return true;
    case FilterOp::type:
      return (node.anyNumber && value.isNumber()) || std::ranges::find(node.types, value.type()) != node.types.end();
    case FilterOp::elemMatch:
      return hasMatchingElement(node, value);
    case FilterOp::size:
      chargeWalk(value);
      return value.type() == BsonType::array && static_cast<int64_t>(value.asDocument().count()) == node.number;
    case FilterOp::mod:
      return hasRemainder(node, value);
    case FilterOp::regex:
      return value.type() == BsonType::string && matchesPattern(node.patterns.front(), value.asString());
    default:
      return false;
  }
}

// The same for a path without a value: comparisons that include equality treat it as null.
bool matchesMissing(const FilterNode& node) {
  switch (node.op) {
    case FilterOp::eq:
    case FilterOp::gte:
    case FilterOp::lte:
      return node.operand.type() == BsonType::null;
    case FilterOp::in:
      return isListed(node, ValueView());
    default:
      return false;
  }
}

bool reaches(const FilterNode& node, DocumentView document) {
  if (WorkBudget::exceeded()) return false;
  const bool wholeOnly = node.op == FilterOp::size || node.op == FilterOp::elemMatch;
  auto visit = [&](const ValueView* value) {
    if (!WorkBudget::charge(kUnitsPerValue)) return true;
    return value ? matchesValue(node, *value) : matchesMissing(node);
  };
  return traverse(document, node.path.steps(), wholeOnly ? Leaf::wholeOnly : Leaf::elementsToo, visit);
}

bool reachesEqual(const FilterNode& node, ValueView operand, DocumentView document) {
  if (WorkBudget::exceeded()) return false;
  auto visit = [&](const ValueView* value) {
    if (!WorkBudget::charge(kUnitsPerValue)) return true;
    return value ? equals(*value, operand) : operand.type() == BsonType::null;
  };
  return traverse(document, node.path.steps(), Leaf::elementsToo, visit);
}

// The logic above the leaves, shared by conditions on documents and on elements.
template <class Leaf, class Contains>
bool evaluate(const FilterNode& node, const Leaf& leaf, const Contains& contains) {
  const auto child = [&](const std::shared_ptr<const FilterNode>& below) { return evaluate(*below, leaf, contains); };
  switch (node.op) {
    case FilterOp::all:
      return std::ranges::all_of(node.children, child);
    case FilterOp::any:
      return std::ranges::any_of(node.children, child);
    case FilterOp::none:
      return std::ranges::none_of(node.children, child);
    case FilterOp::negate:
      return !child(node.children.front());
    case FilterOp::exists:
      return leaf(node) == node.flag;
    case FilterOp::contains:
      return !(node.operands.empty() && node.children.empty()) &&
             std::ranges::all_of(node.operands, [&](const Value& operand) { return contains(node, operand); }) &&
             std::ranges::all_of(node.children, child);
    default:
      return leaf(node);
  }
}

}  // namespace

bool matchesDocument(const FilterNode& node, DocumentView document) {
  return evaluate(
      node, [&](const FilterNode& leaf) { return reaches(leaf, document); },
      [&](const FilterNode& list, ValueView operand) { return reachesEqual(list, operand, document); });
}

bool matchesElement(const FilterNode& node, ValueView value) {
  return evaluate(
      node, [&](const FilterNode& leaf) { return matchesValue(leaf, value); },
      [&](const FilterNode&, ValueView operand) { return equals(value, operand); });
}

}  // namespace mb::doc
