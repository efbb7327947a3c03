// Whether a request fits a schema. Source: October 2021 specification, 5; messages as graphql-js 16 words them, without
// suggestions. Beyond the specification: a variable of any type may stand where a scalar takes any value.
#pragma once

#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

inline constexpr size_t kMaxProblems = 100;

// Everything that is wrong, at most kMaxProblems; of requests without problems, fields that cannot be merged and
// limits that are passed (selections.h) are looked for last.
Problems validate(const Schema& schema, const Request& request);

}  // namespace mb::graphql
