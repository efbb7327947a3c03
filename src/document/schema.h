// The JSON Schema subset of decisions 4, compiled once per collection. Unknown keywords are refused at save. Patterns
// run in linear time (RE2). Our own rather than valijson because that library's `pattern` is std::regex: backtracking,
// and recursive enough to be crashed by a long string.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/filter.h"

namespace mb::doc {

// A declared relation: `path` (dotted; arrays transparent) holds ids of documents of `collection`.
struct Relation {
  std::string path;
  std::string collection;
};

// At most 20 levels deep and 2,000 subschemas. x-bson, x-ref and default stand outside of allOf, anyOf, oneOf and not.
class Schema {
 public:
  // Fails with validation; details name the JSON pointer of each bad keyword.
  static Result<std::shared_ptr<const Schema>> compile(DocumentView source);

  // All breaches, as details with JSON pointers ("/tags/0"); at most 100. Fields of the server (id, createdAt,
  // updatedAt, ownerId) are never refused by additionalProperties or by not being declared.
  std::vector<ErrorDetail> validate(DocumentView document) const;
  // The document with `default`s filled in (on create only) and x-bson conversions made (always). Fails with validation
  // where a value cannot be converted.
  Result<Document> prepare(DocumentView document, bool applyDefaults) const;
  const std::vector<Relation>& relations() const;
  // Coerces filter and update constants at x-bson paths (and RFC 3339 strings at createdAt and updatedAt).
  const FilterCoercion& coercion() const;
  // Whether a field at this dotted path is declared, anything below an open object included: for checks at save. An
  // object is open unless additionalProperties is false.
  bool declares(std::string_view path) const;
  // Declared type of a property for CEL's checker: "string", "int", "double", "bool", "timestamp", "bytes", "list",
  // "map", "dyn". Elements of an array stand at any position ("tags.0").
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
