#include "graphql/language/schema.h"

#include <algorithm>

namespace mb::graphql {

const InputValue* Field::argument(std::string_view wanted) const {
  const auto found = std::ranges::find(arguments, wanted, &InputValue::name);
  return found == arguments.end() ? nullptr : &*found;
}

const Field* Type::field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const InputValue* Type::input(std::string_view wanted) const {
  const auto found = std::ranges::find(inputs, wanted, &InputValue::name);
  return found == inputs.end() ? nullptr : &*found;
}

const Type& Type::named() const {
  const Type* inner = this;
  while (inner->of) inner = inner->of;
  return *inner;
}

bool Type::isInput() const {
  const TypeKind inner = named().kind;
  return inner != TypeKind::object;
}

std::string Type::text() const {
  if (kind == TypeKind::list) return "[" + of->text() + "]";
  if (kind == TypeKind::nonNull) return of->text() + "!";
  return name;
}

Type& Types::add(TypeKind kind, std::string name, std::string description) {
  Type& type = types_.emplace_back();
  type.kind = kind;
  type.name = std::move(name);
  type.description = std::move(description);
  return type;
}

const Type* Types::wrapped(TypeKind kind, const Type* of) {
  const Type*& known = byInner_[{kind, of}];
  if (known) return known;
  Type& type = wrappers_.emplace_back();
  type.kind = kind;
  type.of = of;
  known = &type;
  return known;
}

const Type* Schema::find(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second;
}

const Type* Schema::typeOf(std::string_view collection) const {
  const auto found = byCollection_.find(collection);
  return found == byCollection_.end() ? nullptr : found->second;
}

const Field* Schema::field(const Type& parent, std::string_view name) const {
  if (name == "__typename") return &builtIn().typeName;
  if (&parent == query_ && name == "__schema") return &builtIn().schemaField;
  if (&parent == query_ && name == "__type") return &builtIn().typeField;
  return parent.field(name);
}

}  // namespace mb::graphql
