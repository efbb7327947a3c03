#include "policy/cel/run.h"

#include <algorithm>

namespace mb::cel {
namespace {

constexpr const char* kUnbound = "the variable has no value here";

// Converts a number to the type that the schema declares.
Value coerced(const Value& value, Coercion coercion) {
  if (coercion == Coercion::toReal && value.kind == Kind::integer) {
    return Value::ofReal(static_cast<double>(value.integer));
  }
  if (coercion == Coercion::toInt && value.kind == Kind::real && value.real >= -0x1p63 && value.real < 0x1p63 &&
      static_cast<double>(static_cast<int64_t>(value.real)) == value.real) {
    return Value::ofInt(static_cast<int64_t>(value.real));
  }
  return value;
}

}  // namespace

Value noOverload(const Node& call) {
  return Value::ofError("no matching overload", call.at);
}

Run::Run(const Program& program, std::span<const Variable> variables, int costLimit)
    : program_(program),
      left_(static_cast<uint64_t>(std::max(costLimit, 0))),
      capacity_(sizeof inline_),
      block_(inline_) {
  const size_t count = program.variables.size();
  variables_ = variableSpace_.data();
  if (count > variableSpace_.size()) {
    manyVariables_.resize(count);
    variables_ = manyVariables_.data();
  }
  for (size_t i = 0; i < count; ++i) {
    const auto given = std::ranges::find(variables, program.variables[i], &Variable::name);
    if (given == variables.end()) {
      variables_[i] = Value::ofError(kUnbound, {});
    } else if (given->timestamp) {
      variables_[i] = fromBson(doc::ValueView(doc::BsonType::date, reinterpret_cast<const char*>(&given->timestamp->ms),
                                              sizeof given->timestamp->ms),
                               {});
    } else if (given->scalar) {
      variables_[i] = fromBson(*given->scalar, {});
    } else {
      variables_[i] = Value::ofText(Kind::map, given->value.bytes());
    }
  }
  if (program.localSlots > 0) locals_ = allocateArray<Value>(program.localSlots);
}

bool Run::charge(uint64_t steps) {
  if (exhausted_ || steps > left_) {
    exhausted_ = true;
    return false;
  }
  left_ -= steps;
  return true;
}

char* Run::allocate(size_t bytes) {
  if (!charge(bytes / kCopyBytesPerStep)) return nullptr;
  bytes = (bytes + 15) & ~size_t{15};
  if (bytes > capacity_ - used_) {
    const size_t size = std::max<size_t>(bytes, 8 * 1024);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    block_ = blocks_.back().get();
    capacity_ = size;
    used_ = 0;
  }
  char* memory = block_ + used_;
  used_ += bytes;
  return memory;
}

Value Run::evaluate(const Node& node) {
  switch (node.kind) {
    case NodeKind::constant:
      return node.constant;
    case NodeKind::variable:
      return evaluateVariable(node);
    case NodeKind::local:
      return coerced(locals_[node.slot], node.coercion);
    default:
      break;
  }
  if (!charge(1)) return Value::ofError(kCostLimit, node.at);
  switch (node.kind) {
    case NodeKind::select:
      return evaluateSelect(node);
    case NodeKind::has:
      return evaluateHas(node);
    case NodeKind::call:
      return evaluateCall(node);
    case NodeKind::logicalAnd:
      return evaluateLogical(node, false);
    case NodeKind::logicalOr:
      return evaluateLogical(node, true);
    case NodeKind::conditional:
      return evaluateConditional(node);
    case NodeKind::list:
      return evaluateList(node);
    case NodeKind::map:
      return evaluateMap(node);
    case NodeKind::all:
      return evaluateQuantifier(node, false);
    case NodeKind::exists:
      return evaluateQuantifier(node, true);
    case NodeKind::existsOne:
      return evaluateExistsOne(node);
    case NodeKind::filter:
    case NodeKind::transform:
      return evaluateCollecting(node);
    default:
      return Value::ofError("undeclared reference", node.at);
  }
}

Value Run::evaluateVariable(const Node& node) {
  const Value& value = variables_[node.slot];
  return value.isError() ? Value::ofError(value.data, node.at) : value;
}

Value Run::evaluateSelect(const Node& node) {
  const Value operand = evaluate(*node.children[0]);
  if (operand.isError()) return operand;
  if (operand.kind != Kind::map) return Value::ofError("a value of this type has no fields", node.at);
  return coerced(lookUp(operand, node.name, node.at), node.coercion);
}

Value Run::evaluateHas(const Node& node) {
  const Value operand = evaluate(*node.children[0]);
  if (operand.isError()) return operand;
  if (operand.kind != Kind::map) return Value::ofError("a value of this type has no fields", node.at);
  return Value::ofBool(hasKey(operand, Value::ofString(node.name)));
}

Value Run::evaluateInto(const Node& node, Value* out) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    out[i] = evaluate(*node.children[i]);
    if (out[i].isError()) return out[i];
  }
  return {};
}

Value Run::evaluateCall(const Node& node) {
  std::array<Value, 3> arguments;
  const Value failed = evaluateInto(node, arguments.data());
  if (failed.isError()) return failed;
  return coerced(node.function(*this, node, std::span(arguments).first(node.children.size())), node.coercion);
}

Value Run::evaluateLogical(const Node& node, bool decisive) {
  Value failed = Value::ofBool(!decisive);
  for (const Node* child : node.children) {
    const Value value = evaluate(*child);
    if (value.isBool(decisive)) return value;
    if (value.kind != Kind::boolean && !failed.isError()) failed = value.isError() ? value : noOverload(node);
    if (exhausted_) break;
  }
  return failed;
}

Value Run::evaluateConditional(const Node& node) {
  const Value condition = evaluate(*node.children[0]);
  if (condition.isError()) return condition;
  if (condition.kind != Kind::boolean) return noOverload(node);
  return evaluate(*node.children[condition.boolean ? 1 : 2]);
}

Value Run::evaluateList(const Node& node) {
  Value* items = allocateArray<Value>(node.children.size());
  if (items == nullptr) return Value::ofError(kCostLimit, node.at);
  const Value failed = evaluateInto(node, items);
  return failed.isError() ? failed : Value::ofList(items, node.children.size());
}

Value Run::evaluateMap(const Node& node) {
  const size_t count = node.children.size() / 2;
  auto* entries = allocateArray<MapEntry>(count);
  if (entries == nullptr) return Value::ofError(kCostLimit, node.at);
  for (size_t i = 0; i < count; ++i) {
    const Node& key = *node.children[2 * i];
    entries[i].key = evaluate(key);
    if (entries[i].key.isError()) return entries[i].key;
    const Kind kind = entries[i].key.kind;
    if (kind != Kind::integer && kind != Kind::uinteger && kind != Kind::boolean && kind != Kind::string) {
      return Value::ofError("unsupported key type", key.at);
    }
    if (hasKey(Value::ofMap(entries, i), entries[i].key)) return Value::ofError("repeated key", key.at);
    entries[i].value = evaluate(*node.children[2 * i + 1]);
    if (entries[i].value.isError()) return entries[i].value;
  }
  return Value::ofMap(entries, count);
}

// all() with decisive = false, exists() with decisive = true: && or || over the elements.
Value Run::evaluateQuantifier(const Node& node, bool decisive) {
  const Value range = evaluate(*node.children[0]);
  if (range.isError()) return range;
  if (range.kind != Kind::list && range.kind != Kind::map) return noOverload(node);
  Value result = Value::ofBool(!decisive);
  ItemCursor cursor(*this, range, node.at);
  for (Value item; cursor.next(item);) {
    locals_[node.slot] = item;
    const Value value = evaluate(*node.children[1]);
    if (value.isBool(decisive)) return value;
    if (value.kind != Kind::boolean && !result.isError()) result = value.isError() ? value : noOverload(node);
  }
  return result;
}

Value Run::evaluateExistsOne(const Node& node) {
  const Value range = evaluate(*node.children[0]);
  if (range.isError()) return range;
  if (range.kind != Kind::list && range.kind != Kind::map) return noOverload(node);
  size_t matches = 0;
  ItemCursor cursor(*this, range, node.at);
  for (Value item; cursor.next(item);) {
    locals_[node.slot] = item;
    const Value value = evaluate(*node.children[1]);
    if (value.isError()) return value;
    if (value.kind != Kind::boolean) return noOverload(node);
    matches += value.boolean ? 1 : 0;
  }
  return Value::ofBool(matches == 1);
}

// filter() and map(): a list of the items that pass the predicate, or of their transforms.
Value Run::evaluateCollecting(const Node& node) {
  const Value range = evaluate(*node.children[0]);
  if (range.isError()) return range;
  if (range.kind != Kind::list && range.kind != Kind::map) return noOverload(node);
  const bool filters = node.kind == NodeKind::filter;
  const Node* predicate = filters || node.children.size() == 3 ? node.children[1] : nullptr;
  ListBuilder list(*this);
  ItemCursor cursor(*this, range, node.at);
  for (Value item; cursor.next(item);) {
    locals_[node.slot] = item;
    if (predicate != nullptr) {
      const Value kept = evaluate(*predicate);
      if (kept.isError()) return kept;
      if (kept.kind != Kind::boolean) return noOverload(node);
      if (!kept.boolean) continue;
    }
    const Value value = filters ? item : evaluate(*node.children.back());
    if (value.isError()) return value;
    if (!list.add(value)) return Value::ofError(kCostLimit, node.at);
  }
  return list.finish();
}

bool ListBuilder::add(const Value& value) {
  if (count_ == capacity_) {
    const size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
    Value* items = run_.allocateArray<Value>(capacity);
    if (items == nullptr) return false;
    std::copy_n(items_, count_, items);
    items_ = items;
    capacity_ = capacity;
  }
  items_[count_++] = value;
  return true;
}

}  // namespace mb::cel
