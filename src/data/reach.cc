#include "data/reach.h"

#include <algorithm>
#include <array>

namespace mb::data {

bool isReachable(const policy::Caller& caller, const Collection& collection) {
  using enum policy::Operation;
  if (caller.adminOf(collection.name())) return true;
  if (!collection.policy) return false;
  return std::ranges::any_of(std::array{read, list, create, update, remove}, [&](policy::Operation operation) {
    return collection.policy->rule(operation) && caller.may(collection.permission(operation));
  });
}

}  // namespace mb::data
