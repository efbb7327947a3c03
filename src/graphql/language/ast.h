// A parsed GraphQL document (October 2021 specification, section 2): operations and fragments, no type definitions.
// Names borrow from the source, which the document owns; `at` is an offset in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/key_index.h"

namespace mb::graphql {

struct ObjectField;

enum class ValueKind { variable, integer, real, string, boolean, null, enumeration, list, object };

struct Value {
  ValueKind kind = ValueKind::null;
  uint32_t at = 0;
  std::string_view name;  // of variable and enumeration; the digits of integer and real; "true" or "false"
  std::string text;       // of string
  std::vector<Value> items;
  std::vector<ObjectField> fields;
};

struct ObjectField {
  std::string_view name;
  uint32_t at = 0;
  Value value;
};

struct Argument {
  std::string_view name;
  uint32_t at = 0;
  Value value;
};

struct Directive {
  std::string_view name;
  uint32_t at = 0;
  std::vector<Argument> arguments;
};

enum class SelectionKind { field, spread, inlineFragment };

struct Selection {
  SelectionKind kind = SelectionKind::field;
  uint32_t at = 0;
  std::string_view alias;  // "" without one
  std::string_view name;   // of a field or a spread's fragment
  std::optional<std::string_view> condition;
  uint32_t conditionAt = 0;
  std::vector<Argument> arguments;
  std::vector<Directive> directives;
  std::vector<Selection> selections;

  std::string_view key() const { return alias.empty() ? name : alias; }
};

// The type in the declaration of a variable: a name, or a list of another type.
struct TypeNode {
  std::string_view name;
  std::unique_ptr<TypeNode> items;
  bool nonNull = false;
  uint32_t at = 0;

  std::string text() const;  // "[ID!]!"
};

struct VariableDefinition {
  std::string_view name;
  uint32_t at = 0;
  TypeNode type;
  std::optional<Value> fallback;
  std::vector<Directive> directives;
};

enum class OperationKind { query, mutation, subscription };
std::string_view operationWord(OperationKind kind);

struct Operation {
  OperationKind kind = OperationKind::query;
  std::string_view name;  // "" without one
  uint32_t at = 0;
  std::vector<VariableDefinition> variables;
  std::vector<Directive> directives;
  std::vector<Selection> selections;
};

struct Fragment {
  std::string_view name;
  uint32_t at = 0;
  std::string_view condition;
  uint32_t conditionAt = 0;
  std::vector<Directive> directives;
  std::vector<Selection> selections;
};

struct Request {
  std::shared_ptr<const std::string> source;
  std::vector<Operation> operations;
  std::vector<Fragment> fragments;
  std::unordered_map<std::string_view, size_t, SeededHash> byName;  // of the fragments; the first of a name

  const Fragment* fragment(std::string_view name) const;  // null if there is no such fragment
};

}  // namespace mb::graphql
