// A Schema is a project's GraphQL schema: the types of its collections (docs/graphql.md). Built from the snapshot's
// collections, cached as long as these do not change (schema_slot.h). Immutable; any thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/collection_table.h"

namespace mb::graphql {

enum class TypeKind { scalar, object, inputObject, enumeration, list, nonNull };

// Built-in and own scalars, which differ in how they read and write values. `condition` is a filter's condition on a
// field.
enum class Scalar { none, id, string, integer, real, boolean, dateTime, json, condition };

// The source of a field's value.
enum class Source {
  property,  // `key` of the document or object
  relation,  // the documents whose ids are under `key`
  rest,      // all fields of a document without a schema, except those of the server
  score,     // of a search hit
  list,      // the rest are fields of Query and Mutation
  page,
  byId,
  count,
  search,
  create,
  update,
  replace,
  remove,
  nothing,  // always null
  schema,
  type,
  introspection,  // of the types that describe the schema; `key` is the field's name
};

struct Type;

struct InputValue {
  std::string name;
  std::string description;
  const Type* type = nullptr;
  // Of an input object: the key in the document, and whether it holds a relation's ids.
  std::string key = {};
  std::string defaultValue = {};  // as GraphQL text; "": none
};

struct Field {
  std::string name;
  std::string description;
  std::vector<InputValue> arguments;
  const Type* type = nullptr;
  Source source = Source::property;
  std::string key = {};
  std::string collection = {};  // of a relation: its target; of a root field: its own

  const InputValue* argument(std::string_view wanted) const;
};

struct Type {
  TypeKind kind = TypeKind::scalar;
  std::string name;
  std::string description;
  const Type* of = nullptr;  // of list and nonNull
  Scalar scalar = Scalar::none;
  std::vector<Field> fields;        // of an object
  std::vector<InputValue> inputs;   // of an input object
  std::vector<std::string> values;  // of an enumeration
  std::string collection = {};      // of a collection's own types
  bool introspects = false;         // describes the schema
  bool hasRest = false;             // of a collection without a schema: `data` holds its fields

  const Field* field(std::string_view wanted) const;
  const InputValue* input(std::string_view wanted) const;
  const Type& named() const;  // without lists and nonNull around it
  bool isInput() const;
  bool isComposite() const { return kind == TypeKind::object; }
  std::string text() const;  // "[Posts!]"
};

struct DirectiveType {
  std::string name;
  std::string description;
  std::vector<std::string> locations;
  std::vector<InputValue> arguments;
};

// Owns types and the wrappers around them.
class Types {
 public:
  Type& add(TypeKind kind, std::string name, std::string description = "");
  const Type* list(const Type* of) { return wrapped(TypeKind::list, of); }
  const Type* nonNull(const Type* of) { return wrapped(TypeKind::nonNull, of); }
  const std::deque<Type>& all() const { return types_; }  // the named ones

 private:
  const Type* wrapped(TypeKind kind, const Type* of);
  std::deque<Type> types_;
  std::deque<Type> wrappers_;
  std::map<std::pair<TypeKind, const Type*>, const Type*> byInner_;
};

// The types of every schema: scalars and introspection types.
struct BuiltIn {
  BuiltIn();
  const Type* scalar(Scalar which) const;

  Types types;
  std::vector<DirectiveType> directives;
  const Type* schema = nullptr;  // __Schema
  const Type* type = nullptr;    // __Type
  Field typeName;                // __typename
  Field schemaField;             // __schema
  Field typeField;               // __type
  const DirectiveType* directive(std::string_view name) const;

 private:
  const Type* scalars_[9] = {};
};
const BuiltIn& builtIn();

class Schema {
 public:
  // Builds the schema of these collections, which are in the order of their creation: of two names that clash the later
  // gets a "_" appended. `searchable`: the names of those with vectors. The schema has nothing of the collections in
  // `hidden`; the names of all others are the same as without `hidden`. `profileFields`: the paths of end users that
  // references to them show; empty if such a reference is an id.
  static std::shared_ptr<const Schema> build(std::vector<data::CollectionPtr> collections,
                                             const std::vector<std::string>& searchable,
                                             std::vector<std::string> hidden = {},
                                             std::vector<std::string> profileFields = {});

  const Type& query() const { return *query_; }
  const Type* mutation() const { return mutation_; }  // null without collections
  const Type* find(std::string_view name) const;      // built-in ones too
  const Type* typeOf(std::string_view collection) const;
  // All named types, sorted.
  const std::vector<const Type*>& all() const { return all_; }
  // A field of `parent`, including those that every type or the query has.
  const Field* field(const Type& parent, std::string_view name) const;
  const std::vector<data::CollectionPtr>& collections() const { return collections_; }
  const std::vector<std::string>& searchable() const { return searchable_; }
  const std::vector<std::string>& hidden() const { return hidden_; }  // sorted
  const std::vector<std::string>& profileFields() const { return profileFields_; }
  // Unique among the schemas of the process.
  uint64_t number() const { return number_; }

 private:
  friend class SchemaBuilder;
  Types types_;
  const Type* query_ = nullptr;
  const Type* mutation_ = nullptr;
  std::unordered_map<std::string_view, const Type*> byName_;
  std::unordered_map<std::string_view, const Type*> byCollection_;
  std::vector<const Type*> all_;
  std::vector<data::CollectionPtr> collections_;
  std::vector<std::string> searchable_;
  std::vector<std::string> hidden_;
  std::vector<std::string> profileFields_;
  uint64_t number_ = 0;
};

}  // namespace mb::graphql
