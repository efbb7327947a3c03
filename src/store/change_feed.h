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
  // The first position the log still holds; entries between `after` and it are gone when it is larger than after + 1.
  uint64_t firstHeld = 0;
};

// Told after commits, with the last position of each project whose log grew; one call may stand for many commits. Runs
// on a thread of the engine, after the writers were let go, and must return at once: post what there is to do.
using FeedListeners = Listeners<ProjectNo, uint64_t>;
using ChangeListener = FeedListeners::Listener;

// The last position that somebody has taken from a project's log for good: what lies behind it must be kept. nullopt:
// nobody needs any of it. Any thread; must not block.
using KeptAfter = std::function<std::optional<uint64_t>(ProjectNo project)>;

// Of one call of changes().
inline constexpr size_t kMaxChanges = 256;
inline constexpr size_t kMaxChangesBytes = 1 << 20;

class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Entries after `after`, oldest first: at most `limit`, kMaxChanges and about kMaxChangesBytes, but one at least
  // where there is one.
  virtual Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) = 0;
  virtual uint64_t lastPosition(ProjectNo project) const = 0;

  // Tells `listener` until what is returned is dropped, which waits for a call under way. Any thread, not from within a
  // listener; dropped before the feed goes.
  virtual std::shared_ptr<void> listen(ChangeListener listener) = 0;
  // What age and size would trim stays as long as it is needed. Once, before the first write; until then nothing is
  // trimmed. Must be told (with one that needs nothing, where nobody follows the log) or the log grows.
  virtual void keepAfter(KeptAfter needed) = 0;
};

}  // namespace mb::store
