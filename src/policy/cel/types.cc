#include "policy/cel/types.h"

#include <fmt/format.h>

#include <array>

namespace mb::cel {
namespace {

using K = Type::Kind;

constexpr std::pair<std::string_view, K> kNames[] = {
    {"dyn", K::dyn},           {"null", K::null},     {"bool", K::boolean},
    {"int", K::integer},       {"uint", K::uinteger}, {"double", K::real},
    {"string", K::string},     {"bytes", K::bytes},   {"timestamp", K::timestamp},
    {"duration", K::duration}, {"list", K::list},     {"map", K::map},
    {"type", K::type},
};

bool isMap(const Type& type) {
  return type.is(K::map) || type.is(K::object);
}

// The types of the server's fields of every document.
const Type* serverField(TypePool& pool, std::string_view path) {
  if (path == "id") return basicType(K::string);
  if (path == "createdAt" || path == "updatedAt") return basicType(K::timestamp);
  if (path == "ownerId") return pool.parse("string?");
  return nullptr;
}

// The type of a path by the schema; for elements of an array, that of its first position.
const Type* typeAt(TypePool& pool, const doc::Schema* schema, std::string path) {
  const std::string_view name = schema->celType(path);
  if (name == "map") return pool.object(schema, std::move(path), false);
  if (name == "list") return pool.list(typeAt(pool, schema, path + ".0"));
  if (name == "double") return pool.parse("number");
  if (name == "int") return pool.parse("integer");
  return pool.parse(name);
}

const Type* schemaField(TypePool& pool, const Type& object, std::string_view field) {
  if (object.path.empty()) {
    if (const Type* own = serverField(pool, field)) return own;
  }
  // A name that is not a single step of a path cannot be looked up in the schema.
  if (field.empty() || field.find('.') != std::string_view::npos) return basicType(K::dyn);
  std::string path = object.path.empty() ? std::string(field) : fmt::format("{}.{}", object.path, field);
  if (!object.schema->declares(path)) return nullptr;
  return typeAt(pool, object.schema, std::move(path));
}

}  // namespace

const Type* basicType(K kind) {
  static const auto kTypes = [] {
    std::array<Type, 16> types;
    for (size_t i = 0; i < types.size(); ++i) types[i].kind = static_cast<K>(i);
    return types;
  }();
  return &kTypes[static_cast<size_t>(kind)];
}

std::string typeText(const Type& type) {
  switch (type.kind) {
    case K::any:
      return "dyn";
    case K::parameter:
      return std::string(1, type.parameter);
    case K::list:
      return fmt::format("list({})", typeText(*type.element));
    case K::map:
      return fmt::format("map({}, {})", typeText(*type.key), typeText(*type.element));
    case K::object:
      return "map(string, dyn)";
    default:
      break;
  }
  for (const auto& [name, kind] : kNames) {
    if (kind == type.kind) return std::string(name);
  }
  return "dyn";
}

bool comparable(const Type& a, const Type& b) {
  if (a.open() || b.open()) return true;
  if (a.is(K::null) || b.is(K::null)) {
    const Type& other = a.is(K::null) ? b : a;
    return other.nullable || other.is(K::null) || other.is(K::timestamp) || other.is(K::duration);
  }
  if (a.isNumber() && b.isNumber()) return a.kind == b.kind || a.anyNumber || b.anyNumber;
  if (isMap(a) && isMap(b)) {
    const Type& string = *basicType(K::string);
    const Type& dyn = *basicType(K::dyn);
    return comparable(a.is(K::map) ? *a.key : string, b.is(K::map) ? *b.key : string) &&
           comparable(a.is(K::map) ? *a.element : dyn, b.is(K::map) ? *b.element : dyn);
  }
  if (a.kind != b.kind) return false;
  return !a.is(K::list) || comparable(*a.element, *b.element);
}

const Type* TypePool::add(Type type) {
  return &types_.emplace_back(std::move(type));
}

const Type* TypePool::list(const Type* element) {
  Type type;
  type.kind = K::list;
  type.element = element;
  return add(std::move(type));
}

const Type* TypePool::map(const Type* key, const Type* element) {
  Type type;
  type.kind = K::map;
  type.key = key;
  type.element = element;
  return add(std::move(type));
}

const Type* TypePool::object(const doc::Schema* schema, std::string path, bool nullable) {
  Type type;
  type.kind = K::object;
  type.nullable = nullable;
  type.schema = schema;
  type.path = std::move(path);
  return add(std::move(type));
}

const Type* TypePool::object(const std::vector<std::pair<std::string, std::string>>* fields, bool nullable) {
  Type type;
  type.kind = K::object;
  type.nullable = nullable;
  type.fields = fields;
  return add(std::move(type));
}

const Type* TypePool::parse(std::string_view text) {
  Type type;
  if (text.ends_with('?')) {
    type = *parse(text.substr(0, text.size() - 1));
    type.nullable = true;
    return add(std::move(type));
  }
  if (text == "A" || text == "B") {
    type.kind = K::parameter;
    type.parameter = text[0];
    return add(std::move(type));
  }
  if (text == "number" || text == "integer") {
    type.kind = text == "number" ? K::real : K::integer;
    type.anyNumber = true;
    return add(std::move(type));
  }
  if (text.starts_with("list(")) return list(parse(text.substr(5, text.size() - 6)));
  if (text.starts_with("map(")) {
    const size_t comma = text.find(',');
    return map(parse(text.substr(4, comma - 4)), parse(text.substr(comma + 1, text.size() - comma - 2)));
  }
  if (text == "list") return list(basicType(K::dyn));
  if (text == "map") return map(basicType(K::string), basicType(K::dyn));
  for (const auto& [name, kind] : kNames) {
    if (name == text) return basicType(kind);
  }
  return basicType(K::dyn);
}

const Type* TypePool::join(const Type* a, const Type* b) {
  if (a->is(K::any)) return b;
  if (b->is(K::any) || a == b) return a;
  if (a->is(K::null) && comparable(*a, *b)) return b;
  if (b->is(K::null) && comparable(*a, *b)) return a;
  if (a->is(K::list) && b->is(K::list)) return list(join(a->element, b->element));
  if (a->is(K::map) && b->is(K::map)) return map(join(a->key, b->key), join(a->element, b->element));
  if (isMap(*a) && isMap(*b)) return map(basicType(K::string), basicType(K::dyn));
  if (a->kind == b->kind && a->anyNumber == b->anyNumber) return a->nullable ? a : b;
  return basicType(K::dyn);
}

const Type* fieldType(TypePool& pool, const Type& object, std::string_view field) {
  if (object.schema != nullptr) return schemaField(pool, object, field);
  for (const auto& [name, type] : *object.fields) {
    if (name == field) return pool.parse(type);
  }
  return nullptr;
}

}  // namespace mb::cel
