// The claims of tokens that the policies of a project name.
#pragma once

#include <string>
#include <vector>

#include "data/collection_table.h"
#include "policy/claims.h"

namespace mb::data {

// The claims that a policy of the project may name.
policy::ClaimNames claimNamesOf(const snapshot::ProjectSnapshot& project);

// A stored policy that names one of some claims. No policy: `policyOf` is empty.
struct ClaimInUse {
  std::string policyOf;  // the name of the collection, or "*"
  std::string claim;
};
// Of one collection's own policy.
ClaimInUse claimInUse(const Collection& collection, const std::vector<std::string>& claims);
// Of the default policy.
ClaimInUse claimInUse(const CollectionTable& table, const std::vector<std::string>& claims);
// "the policy of "posts" uses the claim "plan""
std::string textOf(const ClaimInUse& use);

}  // namespace mb::data
