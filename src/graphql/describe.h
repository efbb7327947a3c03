// The schema told by itself: what __schema and __type answer. Source: October 2021 specification, 4.
#pragma once

#include <string>
#include <vector>

#include "graphql/language/selections.h"

namespace mb::graphql {

// Appends the answer to `fields` asked of __schema.
void describeSchema(std::string& out, const Schema& schema, const std::vector<Planned>& fields);
// The same of one type.
void describeType(std::string& out, const Schema& schema, const Type& type, const std::vector<Planned>& fields);

}  // namespace mb::graphql
