// Names in GraphQL, from those of collections and fields.
#pragma once

#include <string>
#include <string_view>

namespace mb::graphql {

// With an upper-case first letter.
std::string capitalized(std::string name);
// `name` with "_" for "-"; empty if it is not a valid name in GraphQL.
std::string graphqlName(std::string_view name);

}  // namespace mb::graphql
