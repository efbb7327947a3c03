// Selections with fragments resolved and fields of one key merged: how validation and execution see them. Source:
// October 2021 specification, 5.3.2 and 6.3.2. The limits of decisions 4 are counted here, before anything runs.
#pragma once

#include <string_view>
#include <vector>

#include "document/bson.h"
#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

inline constexpr int kMaxDepth = 12;            // fields inside each other; those that describe the schema apart
inline constexpr int kMaxIntrospected = 30;     // the same for those that describe the schema
inline constexpr int kMaxMetaLists = 3;         // lists of the schema (fields, inputFields, …) inside each other
inline constexpr size_t kMaxAliases = 20;       // of one field, in one place
inline constexpr size_t kMaxSelected = 20'000;  // fields that a validation looks at, fragments resolved
inline constexpr uint64_t kMaxCost = 5'000;

// What a field costs: documents that it may read, and one for each field of the request.
inline constexpr uint64_t kMutationCost = 10;
inline constexpr uint64_t kCountCost = 10;
inline constexpr uint64_t kReferencesExpected = 5;  // of a list of references

// Fields that cannot be merged and limits that are passed, in a request that is valid otherwise. Ends at the first.
Problems checkSelections(const Schema& schema, const Request& request);

// A field to execute, directives decided. Borrows from the request and the schema.
struct Planned {
  const Field* field = nullptr;
  const Type* parent = nullptr;
  std::string_view key;
  std::string keyText;  // as it stands in the answer: quoted, with a colon
  std::vector<uint32_t> at;
  const std::vector<Argument>* given = nullptr;  // null: the field takes no arguments
  size_t arguments = 0;                          // where those of a run stand (Arguments)
  std::vector<Planned> children;
  size_t relations = 0;  // below, in the same document
  // How often one part of a document below is gone through, at most: a field may have several names, and each relation
  // is looked for by itself.
  size_t passes = 1;
};

// An operation as it runs.
struct Plan {
  std::vector<Planned> fields;
  size_t all = 0;            // fields, on every level
  size_t withArguments = 0;  // of them
  bool fixed = true;         // no variable decided whether a field is there: the plan of every run
};

// Fails where the fields alone pass kMaxCost.
Parsed<Plan> plan(const Schema& schema, const Request& request, const Operation& operation,
                  doc::DocumentView variables);

// The arguments of one run.
class Arguments {
 public:
  // Fails with an argument that may not be null, and with a cost past kMaxCost.
  static Parsed<Arguments> coerced(const Plan& plan, doc::DocumentView variables);

  // By name, absent ones absent. The field is one of the plan.
  doc::DocumentView of(const Planned& field) const {
    return field.given ? coerced_[field.arguments].view() : doc::DocumentView();
  }

 private:
  std::vector<doc::Document> coerced_;
};

}  // namespace mb::graphql
