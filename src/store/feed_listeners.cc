#include "store/feed_listeners.h"

namespace mb::store {

std::shared_ptr<void> FeedListeners::add(ChangeListener listener) {
  auto added = std::make_shared<ChangeListener>(std::move(listener));
  {
    const std::lock_guard lock(listeners_->mutex);
    listeners_->all.push_back(added);
  }
  return {added.get(), [listeners = listeners_, added](void*) {
            const std::lock_guard lock(listeners->mutex);
            std::erase(listeners->all, added);
          }};
}

size_t FeedListeners::count() const {
  const std::lock_guard lock(listeners_->mutex);
  return listeners_->all.size();
}

void FeedListeners::tell(ProjectNo project, uint64_t lastPosition) const {
  const std::lock_guard lock(listeners_->mutex);
  for (const auto& listener : listeners_->all) (*listener)(project, lastPosition);
}

}  // namespace mb::store
