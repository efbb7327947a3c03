// EntryFields adds fields to the entries of a collection's indexes, beyond what their specs include, for filters that
// each list has: those of its policy. Not part of a spec; it affects speed only.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace mb::store {

class EntryFields {
 public:
  virtual ~EntryFields() = default;
  // Index entries hold these paths, at most kMaxIncluded, soon after the call; existing entries are rewritten in the
  // background, also after a restart. No effect if they hold them already. Never waits. Any thread.
  virtual void holdFields(ProjectNo project, CollectionNo collection, std::vector<std::string> paths) = 0;
};

}  // namespace mb::store
