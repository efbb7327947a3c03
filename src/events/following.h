// What records of those who follow collections have in common, whoever keeps them.
#pragma once

#include <string_view>

#include "store/change_feed.h"

namespace mb::events {

// "insert", "update", "replace" or "delete".
std::string_view eventName(store::ChangeEntry::Kind kind);

// A stored follower, of a project that comes back from a backup: disabled, and following nothing that was before, so
// that the copy does nothing until somebody says so.
doc::Document restoredFollower(doc::DocumentView record);

}  // namespace mb::events
