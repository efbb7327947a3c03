// The change log of each project, in commit order. One entry per changed document of a user collection.
#pragma once

#include "base/listeners.h"
#include "store/change_entry.h"
#include "store/store.h"

namespace mb::store {

struct ChangeBatch {
  std::vector<ChangeEntry> entries;
  // The batch completes the changes up to this position, from which the next call continues. At least `after`.
  uint64_t through = 0;
  // The last of the entries after `after` that are trimmed; 0: none is.
  uint64_t lostUpTo = 0;
};

// Called after commits with the last position of each project whose log grew; one call may cover many commits. Runs on
// a thread of the engine, after the writers were resumed, and must return at once: post the work.
using FeedListeners = Listeners<ProjectNo, uint64_t>;
using ChangeListener = FeedListeners::Listener;

// Bounds of one call of changes().
inline constexpr size_t kMaxChanges = 256;
inline constexpr size_t kMaxChangesBytes = 1 << 20;

// Entries are trimmed by age and size, except those that documents of SystemCollection::logFloor keep. Positions are
// compared only: the next one need not be the sum of one and the last.
class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Entries after `after`, oldest first: at most `limit`, kMaxChanges and about kMaxChangesBytes, but at least one if
  // there are any.
  virtual Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) = 0;
  // The last position as this instance knows it; it only increases. Never blocks. Any thread.
  virtual uint64_t lastPosition(ProjectNo project) const = 0;
  // The position of the last change that any instance committed before the call. Fails with unavailable.
  virtual Task<uint64_t> frontier(ProjectNo project) = 0;

  // Notifies `listener` until the returned handle is dropped; dropping waits for a running call. Any thread, not from
  // within a listener. The handle must be dropped before the feed is destroyed.
  virtual std::shared_ptr<void> listen(ChangeListener listener) = 0;
};

}  // namespace mb::store
