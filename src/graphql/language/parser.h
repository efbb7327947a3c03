// Parses GraphQL text (October 2021 specification, 2).
#pragma once

#include <string>

#include "graphql/language/ast.h"
#include "graphql/language/problem.h"

namespace mb::graphql {

// The maximum nesting of selections, lists, objects and types; it bounds the recursion.
inline constexpr int kMaxNested = 64;

// Fails with the first syntax error, in the wording of graphql-js.
Parsed<Request> parse(std::string source);

}  // namespace mb::graphql
