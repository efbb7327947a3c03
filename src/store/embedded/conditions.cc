#include "store/embedded/conditions.h"

#include <cmath>

#include "document/value_order.h"

namespace mb::store::embedded {

using doc::BsonType;
using doc::FilterNode;
using doc::FilterOp;
using doc::ValueView;

namespace {

// The position of a condition in the filter's tree.
struct Position {
  std::string prefix;                   // "items." inside an $elemMatch on items
  const FilterNode* element = nullptr;  // that $elemMatch
  const FilterNode* part = nullptr;     // the outermost one
};

// A step that may be an array position: neither a comparison nor an index descends into it.
bool hasPosition(const doc::FieldPath& path) {
  return std::any_of(path.steps().begin(), path.steps().end(), [](const std::string& step) {
    return std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
  });
}

bool isNaN(ValueView value) {
  return value.isNumber() && std::isnan(value.toReal());
}

// Arrays are indexed by element; regular expressions, minKey and maxKey match by special rules.
bool canBePoint(ValueView value) {
  switch (value.type()) {
    case BsonType::array:
    case BsonType::regex:
    case BsonType::minKey:
    case BsonType::maxKey:
      return false;
    default:
      return true;
  }
}

bool canBeBound(ValueView value) {
  switch (value.type()) {
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::real:
    case BsonType::decimal:
      return !isNaN(value);
    case BsonType::string:
    case BsonType::objectId:
    case BsonType::boolean:
    case BsonType::date:
      return true;
    default:
      return false;
  }
}

bool isNull(ValueView value) {
  return value.type() == BsonType::null;
}

Condition points(std::vector<ValueView> values) {
  Condition condition;
  for (const ValueView& value : values) {
    if (!canBePoint(value)) return condition;
  }
  condition.kind = Condition::Kind::points;
  condition.whole = true;
  condition.excludesMissing = std::none_of(values.begin(), values.end(), isNull);
  condition.provable = condition.excludesMissing && std::none_of(values.begin(), values.end(), isNaN);
  condition.values = std::move(values);
  return condition;
}

Condition bound(const FilterNode& node) {
  Condition condition;
  const ValueView value = node.operand;
  if (!canBeBound(value)) return condition;
  const bool lower = node.op == FilterOp::gt || node.op == FilterOp::gte;
  condition.kind = lower ? Condition::Kind::lower : Condition::Kind::upper;
  condition.inclusive = node.op == FilterOp::gte || node.op == FilterOp::lte;
  condition.values = {value};
  condition.whole = condition.excludesMissing = condition.provable = true;
  return condition;
}

Condition leaf(const FilterNode& node) {
  switch (node.op) {
    case FilterOp::eq:
      return points({node.operand.view()});
    case FilterOp::in:
      if (!node.patterns.empty()) return {};
      return points({node.operands.begin(), node.operands.end()});
    case FilterOp::contains: {
      if (node.operands.empty()) return {};
      Condition condition = points({node.operands.front().view()});
      condition.whole = node.operands.size() == 1 && node.children.empty();
      condition.provable = condition.provable && condition.whole;
      return condition;
    }
    case FilterOp::gt:
    case FilterOp::gte:
    case FilterOp::lt:
    case FilterOp::lte:
      return bound(node);
    case FilterOp::regex: {
      Condition condition;
      condition.excludesMissing = true;
      if (node.patterns.empty() || node.patterns.front().prefix.empty()) return condition;
      condition.kind = Condition::Kind::prefix;
      condition.prefix = node.patterns.front().prefix;
      // The pattern consists of the prefix only.
      condition.whole = node.patterns.front().source == "^" + condition.prefix;
      condition.provable = condition.whole;
      return condition;
    }
    case FilterOp::exists: {
      Condition condition;
      if (!node.flag) return condition;
      condition.kind = Condition::Kind::present;
      condition.whole = condition.excludesMissing = true;
      return condition;
    }
    default:
      return {};
  }
}

void flatten(const FilterNode& node, const Position& around, std::vector<Condition>& out) {
  if (node.op == FilterOp::all || (node.op == FilterOp::any && node.children.size() == 1)) {
    for (const auto& child : node.children) flatten(*child, around, out);
    return;
  }
  Position position = around;
  if (!position.part) position.part = &node;
  if (node.op == FilterOp::any && !position.element) {
    Condition& either = out.emplace_back();
    either.kind = Condition::Kind::either;
    either.node = either.part = &node;
    return;
  }
  // An $elemMatch on an element that is an array itself descends deeper than an index does.
  const bool inArrayOfArrays = node.path.steps().empty();
  if (node.op == FilterOp::elemMatch && !node.children.empty() && !inArrayOfArrays && !hasPosition(node.path)) {
    // The conditions of the element bound the index; whether one element meets them all is checked on the document.
    const std::string path = position.prefix + node.path.dotted();
    flatten(*node.children.front(), {node.elementIsValue ? path : path + ".", &node, position.part}, out);
    out.emplace_back().part = position.part;
    return;
  }
  // A position in such an element descends deeper, too.
  Condition condition = position.element && hasPosition(node.path) ? Condition() : leaf(node);
  condition.path = position.prefix + node.path.dotted();
  condition.element = position.element;
  condition.part = position.part;
  if (position.element) condition.whole = condition.provable = false;
  out.push_back(std::move(condition));
}

bool same(const Condition& a, const Condition& b) {
  return a.kind == b.kind && a.path == b.path && a.inclusive == b.inclusive && a.prefix == b.prefix &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](ValueView x, ValueView y) { return x.type() == y.type() && doc::equalValues(x, y); });
}

bool sameClass(ValueView a, ValueView b) {
  return a.type() == b.type() || (a.isNumber() && b.isNumber());
}

// Whether the values bounded by `value` (included if `reaches`) are within `demanded`, a bound of the same side.
bool isWithin(ValueView value, bool reaches, const Condition& demanded) {
  if (!sameClass(value, demanded.values.front()) || isNaN(value)) return false;
  const int order = doc::compareValues(value, demanded.values.front());
  if (order == 0) return demanded.inclusive || !reaches;
  return (order > 0) == (demanded.kind == Condition::Kind::lower);
}

// Whether each document that satisfies `given` satisfies `demanded`, a condition on the same field.
bool isStricter(const Condition& given, const Condition& demanded) {
  using Kind = Condition::Kind;
  if (demanded.kind == Kind::points && given.kind == Kind::points) {
    return std::all_of(given.values.begin(), given.values.end(), [&](ValueView value) {
      return std::any_of(demanded.values.begin(), demanded.values.end(),
                         [&](ValueView x) { return sameClass(value, x) && doc::equalValues(value, x); });
    });
  }
  if (demanded.kind == Kind::prefix) return given.kind == Kind::prefix && given.prefix.starts_with(demanded.prefix);
  if (demanded.kind != Kind::lower && demanded.kind != Kind::upper) return false;
  if (given.kind == Kind::points) {
    return std::all_of(given.values.begin(), given.values.end(),
                       [&](ValueView value) { return isWithin(value, true, demanded); });
  }
  return given.kind == demanded.kind && isWithin(given.values.front(), given.inclusive, demanded);
}

}  // namespace

std::vector<Condition> conditionsOf(const doc::FilterNode& filter) {
  std::vector<Condition> conditions;
  conditions.reserve(4);
  flatten(filter, {}, conditions);
  return conditions;
}

bool implies(const std::vector<Condition>& conditions, const doc::Filter& partial, std::vector<bool>& met) {
  for (const Condition& demanded : conditionsOf(partial.root())) {
    if (!demanded.whole) return false;
    bool found = false;
    for (size_t i = 0; i < conditions.size(); ++i) {
      const Condition& given = conditions[i];
      if (given.element || given.path != demanded.path) continue;
      if (demanded.kind == Condition::Kind::present) {
        found = found || given.excludesMissing;
      } else if (same(given, demanded)) {
        found = true;
        met[i] = met[i] || given.whole;
      } else if (isStricter(given, demanded)) {
        found = true;
      }
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace mb::store::embedded
