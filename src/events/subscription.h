// What records of those who follow collections have in common, whoever keeps them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/change_feed.h"

namespace mb::events {

// "insert", "update", "replace" or "delete".
std::string_view eventName(store::ChangeEntry::Kind kind);

// A stored follower, as a backup holds it: it names the collection that it is bound to as that is called now, for the
// number means another one where it comes back.
doc::Document backedUpFollower(doc::DocumentView record, const std::vector<store::CollectionInfo>& collections);

using CollectionNumbers = std::map<std::string, store::CollectionNo, std::less<>>;

// A stored follower, of a project that comes back from a backup: disabled, and following nothing that was before, so
// that the copy does nothing until a user enables it. One that was bound is bound to the collection of `collections`
// that it names, by the number that this has now.
doc::Document restoredFollower(doc::DocumentView record, const CollectionNumbers& collections);

}  // namespace mb::events
