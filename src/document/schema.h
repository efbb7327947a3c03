// A Schema is a subset of JSON Schema (docs/policies.md, "Schemas"), compiled once per collection. Unknown keywords are
// refused at save. Patterns run in linear time (RE2). It is used instead of valijson, whose `pattern` is std::regex,
// which backtracks and can overflow the stack on a long string.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/filter.h"

namespace mb::doc {

// What a write checks of a reference that it sets: nothing; that the document exists; that the caller may read it too.
enum class ReferenceCheck : uint8_t { none, exists, readable };
// What the deletion of a document means to those that refer to it: nothing; it is refused; they are deleted; their
// references are removed.
enum class OnDelete : uint8_t { none, restrict, cascade, unset };

// A declared relation: the values at `path` (dotted; arrays transparent) are ids of documents of `collection`.
struct Relation {
  std::string path;
  std::string collection;
  ReferenceCheck check = ReferenceCheck::none;  // never none with an onDelete
  OnDelete onDelete = OnDelete::none;
  std::string pointer = {};  // of its x-ref in the schema
};

// The collection that an x-ref names, in either form: a name, or {collection, check?, onDelete?}. "" for another value.
std::string_view referencedCollection(ValueView reference);
// The same of a schema's x-ref; "" without one.
std::string_view referencedCollectionOf(DocumentView schema);

// At most 20 levels deep, with at most 2,000 subschemas. x-bson, x-ref and default are refused inside allOf, anyOf,
// oneOf and not.
class Schema {
 public:
  // Fails with validation; details name the JSON pointer of each bad keyword.
  static Result<std::shared_ptr<const Schema>> compile(DocumentView source);

  // Returns all breaches, at most 100, as details with JSON pointers ("/tags/0"). Fields of the server (id, createdAt,
  // updatedAt, ownerId) need not be declared, and additionalProperties does not refuse them.
  std::vector<ErrorDetail> validate(DocumentView document) const;
  // The document with `default`s filled in (on create only) and x-bson conversions applied (always). Fails with
  // validation if a value cannot be converted.
  Result<Document> prepare(DocumentView document, bool applyDefaults) const;
  const std::vector<Relation>& relations() const;
  // Coerces filter and update constants at x-bson paths (and RFC 3339 strings at createdAt and updatedAt).
  const FilterCoercion& coercion() const;
  // Whether a field at this dotted path is declared, for checks at save. Everything below an open object counts as
  // declared; an object is open unless additionalProperties is false.
  bool declares(std::string_view path) const;
  // Declared type of a property for CEL's checker: "string", "int", "double", "bool", "timestamp", "bytes", "list",
  // "map", "dyn". Elements of an array are at any position ("tags.0").
  std::string_view celType(std::string_view path) const;

 private:
  struct Impl;
  explicit Schema(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;

 public:
  ~Schema();
};

// The coercion of a collection without a schema: RFC 3339 strings at createdAt and updatedAt.
const FilterCoercion& defaultCoercion();

}  // namespace mb::doc
