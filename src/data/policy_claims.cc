#include "data/policy_claims.h"

#include "identity/project_settings.h"

namespace mb::data {

policy::ClaimNames claimNamesOf(const snapshot::ProjectSnapshot& project) {
  return policy::ClaimNames(identity::tokenClaimsOf(project.info()));
}

}  // namespace mb::data
