#include "data/policy_claims.h"

#include <fmt/format.h>

#include "data/collections.h"
#include "identity/project_settings.h"

namespace mb::data {

namespace {

ClaimInUse used(std::string_view policyOf, std::string claim) {
  return claim.empty() ? ClaimInUse{} : ClaimInUse{std::string(policyOf), std::move(claim)};
}

}  // namespace

policy::ClaimNames claimNamesOf(const snapshot::ProjectSnapshot& project) {
  return policy::ClaimNames(identity::tokenClaimsOf(project.info()));
}

ClaimInUse claimInUse(const Collection& collection, const std::vector<std::string>& claims) {
  if (collection.policySource != PolicySource::own || !collection.policy) return {};
  return used(collection.name(), policy::claimAmong(claims, collection.policy->source()));
}

ClaimInUse claimInUse(const CollectionTable& table, const std::vector<std::string>& claims) {
  return used(kDefaultPolicyName, policy::claimAmong(claims, table.defaultPolicySource));
}

std::string textOf(const ClaimInUse& use) {
  const std::string policy =
      use.policyOf == kDefaultPolicyName ? "the default policy" : fmt::format("the policy of \"{}\"", use.policyOf);
  return fmt::format("{} uses the claim \"{}\"", policy, use.claim);
}

}  // namespace mb::data
