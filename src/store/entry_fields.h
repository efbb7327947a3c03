// Fields that the entries of a collection's indexes hold in addition to what their specs include, for filters that are
// known to come with every list: those of its policy. No part of a spec; what comes of it is speed alone.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace mb::store {

class EntryFields {
 public:
  virtual ~EntryFields() = default;
  // Entries hold these paths, at most kMaxIncluded, from soon after the call on; those that are there are rewritten in
  // the background, also after a restart. Nothing is done where they hold them already. Never waits. Any thread.
  virtual void holdFields(ProjectNo project, CollectionNo collection, std::vector<std::string> paths) = 0;
};

}  // namespace mb::store
