// An EventView decides which changes of a collection a caller may see: its current read rule with the caller's values.
// For modules that read the change log.
#pragma once

#include "data/grant.h"

namespace mb::data {

struct EventView {
  CollectionPtr collection;  // its deniedReadFields() are removed from events
  doc::Filter filter;        // a change is visible if the document matches: after it, or before it for a delete
  policy::SetValues sets;    // of the caller; once they have changed, the view is outdated
};

// Fails with forbidden (permission, no policy, no read rule, unresolvable placeholder), notFound (no such collection;
// only for callers who hold the permission), and as Grants::complete does. The references outlive the call.
Task<EventView> eventViewFor(const Grants& grants, const policy::Caller& caller, snapshot::SnapshotPtr project,
                             std::string collection);

}  // namespace mb::data
