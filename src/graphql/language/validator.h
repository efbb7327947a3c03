// Validates a request against a schema (October 2021 specification, 5), with the messages of graphql-js 16, without
// suggestions. Beyond the specification: a variable of any type is allowed where a scalar accepts any value.
#pragma once

#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

inline constexpr size_t kMaxProblems = 100;

// Returns all problems, at most kMaxProblems. Fields that cannot be merged and exceeded limits (selections.h) are
// checked last, in requests without other problems.
Problems validate(const Schema& schema, const Request& request);

}  // namespace mb::graphql
