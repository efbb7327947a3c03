// Introspection: the values of __schema and __type (October 2021 specification, 4).
#pragma once

#include <string>
#include <vector>

#include "graphql/language/selections.h"

namespace mb::graphql {

// Appends the value of __schema with these fields.
void describeSchema(std::string& out, const Schema& schema, const std::vector<Planned>& fields);
// The same for a type.
void describeType(std::string& out, const Schema& schema, const Type& type, const std::vector<Planned>& fields);

}  // namespace mb::graphql
