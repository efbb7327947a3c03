#include "realtime/filter_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "document/value_order.h"

namespace mb::realtime {

namespace {

using doc::BsonType;
using doc::FilterNode;
using doc::FilterOp;
using doc::ValueView;

// A longer list is matched as it is: each value would be an index entry.
constexpr size_t kMaxIndexedValues = 64;

void appendNumber(std::string& out, uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void appendText(std::string& out, std::string_view text) {
  appendNumber(out, text.size());
  out += text;
}

void appendValue(std::string& out, ValueView value) {
  out += static_cast<char>(value.type());
  appendText(out, value.raw());
}

void appendNode(std::string& out, const FilterNode& node) {
  out += static_cast<char>(node.op);
  out += static_cast<char>((node.flag ? 1 : 0) | (node.anyNumber ? 2 : 0) | (node.elementIsValue ? 4 : 0));
  appendText(out, node.path.dotted());
  appendValue(out, node.operand);
  appendNumber(out, static_cast<uint64_t>(node.number));
  appendNumber(out, static_cast<uint64_t>(node.divisor));
  appendNumber(out, static_cast<uint64_t>(node.remainder));
  appendNumber(out, node.operands.size());
  for (const doc::Value& operand : node.operands) appendValue(out, operand);
  appendNumber(out, node.patterns.size());
  for (const doc::Pattern& pattern : node.patterns) {
    appendText(out, pattern.source);
    appendText(out, pattern.options);
  }
  appendNumber(out, node.types.size());
  for (const BsonType type : node.types) out += static_cast<char>(type);
  appendNumber(out, node.children.size());
  for (const auto& child : node.children) appendNode(out, *child);
}

uint64_t keyOf(BsonType type, std::string_view bytes) {
  return std::hash<std::string_view>()(bytes) ^ (static_cast<uint64_t>(doc::typeClass(type)) << 59);
}

// Equal numbers have one key: that of their nearest double.
uint64_t numberKey(ValueView value) {
  double number = value.toReal();
  if (number == 0) number = 0;  // positive and negative zero are equal
  if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<uint64_t>(number);
  return keyOf(BsonType::real, {reinterpret_cast<const char*>(&bits), sizeof bits});
}

std::optional<std::vector<uint64_t>> keysOf(const FilterNode& node) {
  std::vector<uint64_t> keys;
  if (node.op == FilterOp::eq) {
    const auto key = valueKey(node.operand);
    if (!key) return std::nullopt;
    keys.push_back(*key);
    return keys;
  }
  if (node.op != FilterOp::in || !node.patterns.empty() || node.operands.size() > kMaxIndexedValues)
    return std::nullopt;
  for (const doc::Value& operand : node.operands) {
    const auto key = valueKey(operand);
    if (!key) return std::nullopt;
    keys.push_back(*key);
  }
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  return keys;
}

void findEqualities(const FilterNode& node, std::vector<EqualityCondition>& found) {
  if (node.op == FilterOp::all) {
    for (const auto& child : node.children) findEqualities(*child, found);
    return;
  }
  if (node.path.steps().empty()) return;
  if (auto keys = keysOf(node)) found.push_back({node.path, *std::move(keys)});
}

}  // namespace

std::string identityOf(const doc::Filter& filter) {
  std::string out;
  appendNode(out, filter.root());
  return out;
}

std::optional<uint64_t> valueKey(ValueView value) {
  switch (value.type()) {
    case BsonType::real:
    case BsonType::int32:
    case BsonType::int64:
    case BsonType::decimal:
      return numberKey(value);
    case BsonType::string:
    case BsonType::objectId:
    case BsonType::boolean:
    case BsonType::date:
      return keyOf(value.type(), value.raw());
    default:
      return std::nullopt;
  }
}

std::vector<EqualityCondition> equalitiesOf(const doc::Filter& filter) {
  std::vector<EqualityCondition> found;
  findEqualities(filter.root(), found);
  return found;
}

}  // namespace mb::realtime
