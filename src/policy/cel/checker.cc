#include "policy/cel/checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/time_zone.h"
#include "policy/cel/parser.h"
#include "policy/cel/patterns.h"

namespace mb::cel {
namespace {

using K = Type::Kind;

constexpr size_t kMaxProblems = 20;

std::optional<Kind> typeNamed(std::string_view name) {
  for (auto kind = Kind::null; kind <= Kind::type; kind = static_cast<Kind>(static_cast<uint8_t>(kind) + 1)) {
    if (kindName(kind) == name) return kind;
  }
  return std::nullopt;
}

void makeConstant(Node& node, Value value) {
  node.kind = NodeKind::constant;
  node.constant = value;
  node.children.clear();
}

bool isOrdering(std::string_view function) {
  return function == "_<_" || function == "_<=_" || function == "_>_" || function == "_>=_";
}

// The types bound to A and B in one call.
struct Bindings {
  const Type* types[2] = {nullptr, nullptr};
  const Type*& of(char parameter) { return types[parameter - 'A']; }
};

// Whether an argument is accepted for an overload's parameter.
bool accepts(TypePool& pool, const Type& parameter, const Type* argument, Bindings& bindings) {
  if (parameter.is(K::parameter)) {
    const Type*& bound = bindings.of(parameter.parameter);
    if (bound != nullptr && !comparable(*bound, *argument)) return false;
    bound = bound == nullptr ? argument : pool.join(bound, argument);
    return true;
  }
  if (argument->open() || parameter.open()) return true;
  if (parameter.is(K::map) && argument->is(K::object)) {
    return accepts(pool, *parameter.key, basicType(K::string), bindings) &&
           accepts(pool, *parameter.element, basicType(K::dyn), bindings);
  }
  if (parameter.kind != argument->kind) return false;
  if (parameter.is(K::map) && !accepts(pool, *parameter.key, argument->key, bindings)) return false;
  if (parameter.is(K::map) || parameter.is(K::list)) {
    return accepts(pool, *parameter.element, argument->element, bindings);
  }
  return true;
}

const Type* resultOf(TypePool& pool, const Type* result, Bindings& bindings) {
  if (result->is(K::parameter)) {
    const Type* bound = bindings.of(result->parameter);
    return bound == nullptr ? basicType(K::dyn) : bound;
  }
  return result->is(K::list) ? pool.list(resultOf(pool, result->element, bindings)) : result;
}

std::string_view readableName(std::string_view function) {
  return function == "@in" ? "in" : function;
}

Coercion coercionTo(const Type& type) {
  if (!type.anyNumber) return Coercion::none;
  return type.is(K::real) ? Coercion::toReal : Coercion::toInt;
}

}  // namespace

std::string Checker::check() {
  for (const Environment::Declaration& declared : environment_.declarations) {
    program_.variables.push_back(declared.name);
    const bool nullable = declared.type.ends_with('?');
    if (!declared.type.starts_with("object")) {
      variables_.push_back(pool_.parse(declared.type));
    } else if (declared.schema != nullptr) {
      variables_.push_back(pool_.object(declared.schema, {}, nullable));
    } else {
      variables_.push_back(pool_.object(&declared.fields, nullable));
    }
  }
  return typeText(*check(*program_.root));
}

const Type* Checker::problem(Position at, std::string message) {
  if (problems_.size() < kMaxProblems) problems_.push_back({at.line, at.column, std::move(message)});
  return basicType(K::dyn);
}

const Type* Checker::check(Node& node) {
  switch (node.kind) {
    case NodeKind::constant:
      switch (node.constant.kind) {
        case Kind::null:
          return basicType(K::null);
        case Kind::type:
          return basicType(K::type);
        default:
          return pool_.parse(kindName(node.constant.kind));
      }
    case NodeKind::identifier:
      return identifier(node);
    case NodeKind::select:
      return select(node);
    case NodeKind::has: {
      const Type* operand = check(*node.children[0]);
      field(node, *operand, node.name);
      return basicType(K::boolean);
    }
    case NodeKind::call:
      return call(node);
    case NodeKind::logicalAnd:
    case NodeKind::logicalOr:
      return logical(node);
    case NodeKind::conditional:
      return conditional(node);
    case NodeKind::list:
      return list(node);
    case NodeKind::map:
      return map(node);
    case NodeKind::message:
      for (Node* child : node.children) check(*child);
      return problem(node.at, fmt::format("unknown type '{}'", node.name));
    case NodeKind::all:
    case NodeKind::exists:
    case NodeKind::existsOne:
    case NodeKind::filter:
    case NodeKind::transform:
      return comprehension(node);
    case NodeKind::variable:
      return variables_[node.slot];
    case NodeKind::local:
      return locals_[node.slot].type;
  }
  return basicType(K::dyn);
}

bool Checker::isDeclared(const Node& root) const {
  const auto isLocal = [&](const Local& local) { return local.name == root.name; };
  if (!root.rooted && std::ranges::any_of(locals_, isLocal)) return true;
  return std::ranges::find(environment_.declarations, root.name, &Environment::Declaration::name) !=
         environment_.declarations.end();
}

const Type* Checker::identifier(Node& node) {
  for (size_t i = locals_.size(); !node.rooted && i-- > 0;) {
    if (locals_[i].name != node.name) continue;
    node.kind = NodeKind::local;
    node.slot = static_cast<uint16_t>(i);
    node.coercion = coercionTo(*locals_[i].type);
    return locals_[i].type;
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (environment_.declarations[i].name != node.name) continue;
    node.kind = NodeKind::variable;
    node.slot = static_cast<uint16_t>(i);
    return variables_[i];
  }
  if (const auto type = typeNamed(node.name)) {
    makeConstant(node, Value::ofType(*type));
    return basicType(K::type);
  }
  return problem(node.at, fmt::format("undeclared reference to '{}'", node.name));
}

const Type* Checker::select(Node& node) {
  bool rooted = false;
  const std::string name = qualifiedName(node, rooted);
  if (!name.empty()) {
    const Node* root = &node;
    while (root->kind == NodeKind::select) root = root->children[0];
    if (const auto type = typeNamed(name); type && !isDeclared(*root)) {
      makeConstant(node, Value::ofType(*type));
      return basicType(K::type);
    }
  }
  const Type* operand = check(*node.children[0]);
  const Type* type = field(node, *operand, node.name);
  node.coercion = coercionTo(*type);
  return type;
}

const Type* Checker::field(const Node& node, const Type& object, std::string_view name) {
  if (object.open()) return basicType(K::dyn);
  if (object.is(K::map)) {
    if (comparable(*object.key, *basicType(K::string))) return object.element;
    return problem(node.at, fmt::format("no such field '{}': the map's keys are not strings", name));
  }
  if (!object.is(K::object)) {
    return problem(node.at, fmt::format("type '{}' has no field '{}'", typeText(object), name));
  }
  const Type* type = fieldType(pool_, object, name);
  return type != nullptr ? type : problem(node.at, fmt::format("undefined field '{}'", name));
}

const Type* Checker::call(Node& node) {
  std::vector<const Type*> arguments;
  for (Node* child : node.children) arguments.push_back(check(*child));
  // object["name"] is object.name.
  if (node.name == "_[_]" && arguments[0]->is(K::object) && arguments[1]->is(K::string)) {
    node.function = overloadsOf(node.name).front().function;
    const Node& key = *node.children[1];
    if (key.kind != NodeKind::constant) return basicType(K::dyn);
    const Type* type = field(node, *arguments[0], key.constant.text());
    node.coercion = coercionTo(*type);
    return type;
  }
  const Type* result = match(node, arguments);
  if (node.name == "_[_]") node.coercion = coercionTo(*result);
  const bool namesText =
      arguments.size() == 2 && node.children[1]->kind == NodeKind::constant && arguments[1]->is(K::string);
  if (!namesText) return result;
  const std::string_view text = node.children[1]->constant.text();
  if (node.name == "matches") {
    node.pattern = compilePattern(text);
    if (node.pattern == nullptr) return problem(node.children[1]->at, "not a regular expression");
  } else if (node.name.starts_with("get")) {
    zoneOffset(text, 0);  // loads the zone now, so that no request has to
  }
  return result;
}

const Type* Checker::match(Node& node, const std::vector<const Type*>& arguments) {
  const std::vector<Overload>& overloads = overloadsOf(node.name);
  if (overloads.empty()) return problem(node.at, fmt::format("undeclared reference to '{}'", node.name));
  if (isOrdering(node.name) && arguments[0]->isNumber() && arguments[1]->isNumber() &&
      comparable(*arguments[0], *arguments[1])) {
    node.function = overloads.front().function;
    return basicType(K::boolean);
  }
  const Type* result = nullptr;
  for (const Overload& overload : overloads) {
    if (overload.style != Style::either && (overload.style == Style::member) != node.member) continue;
    if (overload.parameters.size() != arguments.size()) continue;
    Bindings bindings;
    bool matches = true;
    for (size_t i = 0; i < arguments.size() && matches; ++i) {
      matches = accepts(pool_, *overload.parameters[i], arguments[i], bindings);
    }
    if (!matches) continue;
    node.function = overload.function;
    const Type* type = resultOf(pool_, overload.result, bindings);
    result = result == nullptr || typeText(*result) == typeText(*type) ? type : basicType(K::dyn);
  }
  if (result != nullptr) return result;
  std::vector<std::string> given;
  for (const Type* argument : arguments) given.push_back(typeText(*argument));
  return problem(node.at, fmt::format("no matching overload for '{}' applied to ({})", readableName(node.name),
                                      fmt::join(given, ", ")));
}

const Type* Checker::logical(Node& node) {
  for (Node* child : node.children) predicate(*child, node.kind == NodeKind::logicalAnd ? "&&" : "||");
  return basicType(K::boolean);
}

void Checker::predicate(Node& node, std::string_view function) {
  const Type* type = check(node);
  if (type->open() || type->is(K::boolean)) return;
  problem(node.at, fmt::format("no matching overload for '{}': expected bool, got {}", function, typeText(*type)));
}

const Type* Checker::conditional(Node& node) {
  predicate(*node.children[0], "?:");
  const Type* yes = check(*node.children[1]);
  const Type* no = check(*node.children[2]);
  if (!comparable(*yes, *no)) {
    return problem(node.at, fmt::format("no matching overload for '?:': the branches are {} and {}", typeText(*yes),
                                        typeText(*no)));
  }
  return pool_.join(yes, no);
}

const Type* Checker::list(Node& node) {
  const Type* element = basicType(K::any);
  for (Node* child : node.children) element = pool_.join(element, check(*child));
  return pool_.list(element);
}

const Type* Checker::map(Node& node) {
  const Type* key = basicType(K::any);
  const Type* element = basicType(K::any);
  for (size_t i = 0; i < node.children.size(); i += 2) {
    const Type* type = check(*node.children[i]);
    const bool isKey =
        type->open() || type->is(K::boolean) || type->is(K::string) || type->is(K::integer) || type->is(K::uinteger);
    if (!isKey) problem(node.children[i]->at, fmt::format("a map's key must not be of type {}", typeText(*type)));
    key = pool_.join(key, type);
    element = pool_.join(element, check(*node.children[i + 1]));
  }
  return pool_.map(key, element);
}

const Type* Checker::itemType(const Node& node, const Type& range) {
  if (range.open()) return basicType(K::dyn);
  if (range.is(K::list)) return range.element;
  if (range.is(K::map)) return range.key;
  if (range.is(K::object)) return basicType(K::string);
  return problem(node.at, fmt::format("a {} cannot be iterated: use a list or a map", typeText(range)));
}

const Type* Checker::comprehension(Node& node) {
  const Type* range = check(*node.children[0]);
  const Type* item = itemType(*node.children[0], *range);
  node.slot = static_cast<uint16_t>(locals_.size());
  locals_.push_back({node.name, item});
  program_.localSlots = std::max(program_.localSlots, static_cast<uint16_t>(locals_.size()));
  const Type* result = basicType(K::boolean);
  if (node.kind == NodeKind::transform) {
    if (node.children.size() == 3) predicate(*node.children[1], "map");
    result = pool_.list(check(*node.children.back()));
  } else {
    predicate(*node.children[1], "predicate");
    if (node.kind == NodeKind::filter) result = pool_.list(item);
  }
  locals_.pop_back();
  return result;
}

}  // namespace mb::cel
