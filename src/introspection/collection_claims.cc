#include "introspection/collection_claims.h"

namespace mb::introspection {

CollectionClaims::Claim CollectionClaims::take(store::ProjectNo project, const std::string& collection) {
  const std::lock_guard lock(mutex_);
  const auto [held, isNew] = held_.emplace(project, collection);
  if (!isNew) return nullptr;
  return {&*held, [self = shared_from_this()](const Held* each) { self->release(*each); }};
}

void CollectionClaims::release(const Held& held) {
  const std::lock_guard lock(mutex_);
  held_.erase(held_.find(held));
}

}  // namespace mb::introspection
