// The storage location of the project's default policy (the name "*").
#pragma once

#include "store/store.h"

namespace mb::data {

inline constexpr store::CollectionNo kPolicyCollection = 50;
// The id of the only document there: {id, policy}.
inline constexpr std::string_view kDefaultPolicyId = "default";

inline store::CollectionRef policyCollection(store::ProjectNo project) {
  return {project, kPolicyCollection, 0};
}

}  // namespace mb::data
