// An EventView decides which changes of a collection a caller may see: its current read rule with the caller's values.
// For modules that read the change log.
#pragma once

#include "data/collection_table.h"
#include "document/filter.h"
#include "policy/caller.h"

namespace mb::data {

struct EventView {
  CollectionPtr collection;  // its deniedReadFields() are removed from events
  doc::Filter filter;        // a change is visible if the document matches: after it, or before it for a delete
};

// Fails with forbidden (permission, no policy, no read rule, unresolvable placeholder), notFound (no such collection;
// only for callers who hold the permission).
Result<EventView> eventViewFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                               snapshot::SlotKey<CollectionTable> slot, std::string_view collection);

}  // namespace mb::data
