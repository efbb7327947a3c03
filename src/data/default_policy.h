// The storage location of the project's default policy (the name "*").
#pragma once

#include "policy/policy.h"
#include "store/store.h"

namespace mb::data {

struct Collection;

inline constexpr store::CollectionNo kPolicyCollection = 50;
// The id of the only document there: {id, policy}.
inline constexpr std::string_view kDefaultPolicyId = "default";

// A default policy has no public rules. Fails as policy::compilePolicy does; `sets`: RuleNames::sets.
Result<std::shared_ptr<const policy::Policy>> compileDefaultPolicy(doc::DocumentView source,
                                                                   const std::vector<std::string>* sets = nullptr);

// Checks a default policy against the schema of a collection; one that does not inherit it fits. Fails with validation.
Result<> checkInheritor(const Collection& collection, const policy::Policy& policy);

inline store::CollectionRef policyCollection(store::ProjectNo project) {
  return {project, kPolicyCollection, 0};
}

}  // namespace mb::data
