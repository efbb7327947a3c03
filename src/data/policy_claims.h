// The claims of tokens that the policies of a project name.
#pragma once

#include <string>
#include <vector>

#include "data/collection_table.h"
#include "policy/claims.h"

namespace mb::data {

// The claims that a policy of the project may name.
policy::ClaimNames claimNamesOf(const snapshot::ProjectSnapshot& project);

}  // namespace mb::data
