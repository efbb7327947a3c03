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

inline constexpr int kMostDepth = 12;            // fields inside each other; those that describe the schema apart
inline constexpr int kMostIntrospected = 30;     // the same for those that describe the schema
inline constexpr int kMostMetaLists = 3;         // lists of the schema (fields, inputFields, …) inside each other
inline constexpr size_t kMostAliases = 20;       // of one field, in one place
inline constexpr size_t kMostSelected = 20'000;  // fields that a validation looks at, fragments resolved
inline constexpr uint64_t kMostCost = 5'000;

// What a field costs: documents that it may read, and one for each field of the request.
inline constexpr uint64_t kMutationCost = 10;
inline constexpr uint64_t kCountCost = 10;
inline constexpr uint64_t kReferencesExpected = 5;  // of a list of references

// Fields that cannot be merged and limits that are passed, in a request that is valid otherwise. Ends at the first.
Problems checkSelections(const Schema& schema, const Request& request);

// A field to execute: arguments coerced, directives decided.
struct Planned {
  const Field* field = nullptr;
  const Type* parent = nullptr;
  std::string key;
  std::string keyText;  // as it stands in the answer: quoted, with a colon
  std::vector<uint32_t> at;
  doc::Document arguments;
  std::vector<Planned> children;
};

// The operation as it is to run. Fails with an argument that may not be null, and with a cost past kMostCost.
Parsed<std::vector<Planned>> plan(const Schema& schema, const Request& request, const Operation& operation,
                                  doc::DocumentView variables);

}  // namespace mb::graphql
