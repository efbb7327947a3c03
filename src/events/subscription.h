// Functions for the stored subscriptions to collections: webhooks and database triggers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/change_feed.h"

namespace mb::events {

// "insert", "update", "replace" or "delete".
std::string_view eventName(store::ChangeEntry::Kind kind);

// The form of a stored subscription in a backup: the collection that it is bound to has its current name there, since
// the number may be another collection's where the backup is restored.
doc::Document backedUpFollower(doc::DocumentView record, const std::vector<store::CollectionInfo>& collections);

using CollectionNumbers = std::map<std::string, store::CollectionNo, std::less<>>;

// The form of a stored subscription in a restored project: disabled, so that the copy does nothing until a user enables
// it, and with position 0, so that it refers to no change of the original's log. A subscription that was bound to a
// collection is bound to the collection of that name in `collections`, by its number there.
doc::Document restoredFollower(doc::DocumentView record, const CollectionNumbers& collections);

}  // namespace mb::events
