#include "data/reach.h"

#include <algorithm>
#include <array>

namespace mb::data {

bool isReachable(const policy::Caller& caller, const Collection& collection) {
  using enum policy::Operation;
  if (caller.adminOf(collection.name())) return true;
  if (!collection.policy) return false;
  const policy::Policy& policy = *collection.policy;
  const bool anonymous = caller.kind == policy::CallerKind::anonymous;
  return std::ranges::any_of(std::array{read, list, create, update, remove}, [&](policy::Operation operation) {
    if (anonymous) return policy.publicRule(operation) != nullptr;
    return (policy.rule(operation) || policy.publicRule(operation)) && caller.may(collection.permission(operation));
  });
}

}  // namespace mb::data
