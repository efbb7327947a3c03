// The change log of each project, in commit order. One entry per changed document of a user collection.
#pragma once

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

class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Entries after `position`, oldest first, at most `limit`.
  virtual Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) = 0;
  virtual uint64_t lastPosition(ProjectNo project) const = 0;
};

}  // namespace mb::store
