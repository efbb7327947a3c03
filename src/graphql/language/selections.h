// Selections with fragments resolved and fields of one key merged, for validation and execution (October 2021
// specification, 5.3.2 and 6.3.2). Counts the limits of a request before anything runs (docs/graphql.md).
#pragma once

#include <string_view>
#include <vector>

#include "document/bson.h"
#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

inline constexpr int kMaxDepth = 12;            // of nested fields, without introspection
inline constexpr int kMaxIntrospected = 30;     // of nested introspection fields
inline constexpr int kMaxMetaLists = 3;         // of nested lists of the schema (fields, inputFields, …)
inline constexpr size_t kMaxAliases = 20;       // of one field of one object
inline constexpr size_t kMaxSelected = 20'000;  // fields that a validation visits, fragments resolved
inline constexpr uint64_t kMaxCost = 5'000;

// The cost of a field: the documents that it may read, and one for each field of the request.
inline constexpr uint64_t kMutationCost = 10;
inline constexpr uint64_t kCountCost = 10;
inline constexpr uint64_t kReferencesExpected = 5;  // of a list of references

// Finds fields that cannot be merged and exceeded limits, in a request that is valid otherwise. Ends at the first
// problem.
Problems checkSelections(const Schema& schema, const Request& request);

// A field to execute, with directives evaluated. Borrows from the request and the schema.
struct Planned {
  const Field* field = nullptr;
  const Type* parent = nullptr;
  std::string_view key;
  std::string keyText;  // as in the response: quoted, with a colon
  std::vector<uint32_t> at;
  const std::vector<Argument>* given = nullptr;  // null: the field takes no arguments
  size_t arguments = 0;                          // position of a run's arguments (Arguments)
  std::vector<Planned> children;
  size_t relations = 0;  // below, in the same document
  // How often a part of a document below is walked, at most: a field may have several names, and each relation is
  // searched separately.
  size_t passes = 1;
};

// The plan of an operation.
struct Plan {
  std::vector<Planned> fields;
  size_t all = 0;            // fields, on every level
  size_t withArguments = 0;  // of them
  bool fixed = true;         // no variable decided whether a field is included: the plan is valid for every run
};

// Fails if the number of fields exceeds kMaxCost.
Parsed<Plan> plan(const Schema& schema, const Request& request, const Operation& operation,
                  doc::DocumentView variables);

// The arguments of one run.
class Arguments {
 public:
  // Fails if an argument must not be null, or if the cost exceeds kMaxCost.
  static Parsed<Arguments> coerced(const Plan& plan, doc::DocumentView variables);

  // The arguments of a field by name, without absent ones. REQUIRES: the field belongs to the plan.
  doc::DocumentView of(const Planned& field) const {
    return field.given ? coerced_[field.arguments].view() : doc::DocumentView();
  }

 private:
  std::vector<doc::Document> coerced_;
};

}  // namespace mb::graphql
