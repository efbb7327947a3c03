// The change log of each project, in commit order. One entry per changed document of a user collection.
#pragma once

#include "base/listeners.h"
#include "store/store.h"

namespace mb::store {

struct ChangeEntry {
  uint64_t position = 0;  // ascending within the project; opaque outside the store
  enum class Kind { insert, update, replace, remove } kind = Kind::insert;
  CollectionNo collection = 0;
  std::string id;
  std::optional<doc::Document> before;
  std::optional<doc::Document> after;
  Actor actor;
  Timestamp at;
};

struct ChangeBatch {
  std::vector<ChangeEntry> entries;
  // The first position in the log; if it is larger than `after` + 1, the entries between are trimmed.
  uint64_t firstHeld = 0;
};

// Called after commits with the last position of each project whose log grew; one call may cover many commits. Runs on
// a thread of the engine, after the writers were resumed, and must return at once: post the work.
using FeedListeners = Listeners<ProjectNo, uint64_t>;
using ChangeListener = FeedListeners::Listener;

// Returns the last position of a project's log that its consumers have processed; later entries must be kept. nullopt:
// no entry is needed. Any thread; must not block.
using KeptAfter = std::function<std::optional<uint64_t>(ProjectNo project)>;

// Bounds of one call of changes().
inline constexpr size_t kMaxChanges = 256;
inline constexpr size_t kMaxChangesBytes = 1 << 20;

class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Entries after `after`, oldest first: at most `limit`, kMaxChanges and about kMaxChangesBytes, but at least one if
  // there are any.
  virtual Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) = 0;
  virtual uint64_t lastPosition(ProjectNo project) const = 0;

  // Notifies `listener` until the returned handle is dropped; dropping waits for a running call. Any thread, not from
  // within a listener. The handle must be dropped before the feed is destroyed.
  virtual std::shared_ptr<void> listen(ChangeListener listener) = 0;
  // Entries that age and size would trim are kept while `needed` requires them. Called once, before the first write;
  // nothing is trimmed before it. Without consumers, pass a function that needs nothing, or the log grows without
  // bound.
  virtual void keepAfter(KeptAfter needed) = 0;
};

}  // namespace mb::store
