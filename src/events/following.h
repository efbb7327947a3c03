// What records of those who follow collections have in common, whoever keeps them.
#pragma once

#include <string_view>
#include <vector>

#include "store/change_feed.h"

namespace mb::events {

// "insert", "update", "replace" or "delete".
std::string_view eventName(store::ChangeEntry::Kind kind);

// A stored follower, as a backup holds it: it names the collection that it is bound to as that is called now, for the
// number means another one where it comes back.
doc::Document backedUpFollower(doc::DocumentView record, const std::vector<store::CollectionInfo>& collections);

// A stored follower, of a project that comes back from a backup: disabled, and following nothing that was before, so
// that the copy does nothing until somebody says so.
doc::Document restoredFollower(doc::DocumentView record);

}  // namespace mb::events
