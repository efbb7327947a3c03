// The type of a reference to an end user: what the project shows of them.
#pragma once

#include <string>
#include <vector>

#include "graphql/language/schema.h"

namespace mb::graphql {

// Adds the type, and that of the metadata in it, under these names. `fields`: paths of the project's setting
// profileFields. Its collection is data::kEndUsers.
const Type& addProfileType(Types& types, const std::vector<std::string>& fields, std::string name,
                           std::string metadataName);

}  // namespace mb::graphql
