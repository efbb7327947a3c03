// What a caller may see of a collection's changes: its read rule as it stands now, with the caller's values in it. For
// modules that follow the change log.
#pragma once

#include "data/collection_table.h"
#include "document/filter.h"
#include "policy/caller.h"

namespace mb::data {

struct EventView {
  CollectionPtr collection;  // its deniedReadFields() are left out of what is told
  doc::Filter filter;        // a change is visible where the document matches: after it, or, of a delete, before it
};

// Fails with forbidden (permission, no policy, no read rule, unresolvable placeholder), notFound (no such collection,
// told only to those who hold the permission).
Result<EventView> eventViewFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                               snapshot::SlotKey<CollectionTable> slot, std::string_view collection);

}  // namespace mb::data
