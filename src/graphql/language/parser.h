// GraphQL text to a request. Source: October 2021 specification, 2.
#pragma once

#include <string>

#include "graphql/language/ast.h"
#include "graphql/language/problem.h"

namespace mb::graphql {

// How deep selections, lists, objects and types may stand inside each other: what keeps the recursion short.
inline constexpr int kMaxNested = 64;

// Fails with the first syntax error, worded as graphql-js words it.
Parsed<Request> parse(std::string source);

}  // namespace mb::graphql
