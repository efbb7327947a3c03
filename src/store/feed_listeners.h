// Who is told that a project's log grew: the part of a ChangeFeed that all engines share. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "store/change_feed.h"

namespace mb::store {

class FeedListeners {
 public:
  // ChangeFeed::listen().
  std::shared_ptr<void> add(ChangeListener listener);
  size_t count() const;
  // Calls each listener; what was published before is visible to whoever adds one later.
  void tell(ProjectNo project, uint64_t lastPosition) const;

 private:
  struct Listeners {
    std::mutex mutex;  // held while they are told, which is what a removal waits for
    std::vector<std::shared_ptr<ChangeListener>> all;
  };
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace mb::store
