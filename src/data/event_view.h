// An EventView decides which changes of a collection a caller may see: its current read rule with the caller's values.
// For modules that read the change log.
#pragma once

#include "data/grant.h"

namespace mb::data {

struct EventView {
  // The value at `path`, or one of its elements, is one of the `values`.
  struct InSet {
    doc::FieldPath path;
    policy::SetValuePtr values;  // not null; among `sets`
  };

  CollectionPtr collection;  // its deniedReadFields() are removed from events
  policy::ReaderKind reader = policy::ReaderKind::signedIn;
  doc::Filter filter;          // a change is visible if the document matches: after it, or before it for a delete
  std::optional<InSet> inSet;  // a condition in addition to `filter`, where the rule's form allows it
  policy::SetValues sets;      // of the caller; once they have changed, the view is outdated
  bool refused = false;        // no change is visible, until `sets` have changed

  const doc::FieldSet& denied() const { return collection->deniedReadFields(reader); }
};

// With Authority::admin every change is visible, with all fields, to members and API keys with the permission
// data:<collection>:admin; others get forbidden.
// Fails with forbidden (permission, no policy, no read rule, unresolvable placeholder), unauthenticated (a caller
// without a token, and no public read rule), notFound (no such collection; only for callers who hold the permission),
// and as Grants::complete does; but a caller whose sets hold too many values gets a view that is `refused`. The
// references outlive the call.
Task<EventView> eventViewFor(const Grants& grants, const policy::Caller& caller, snapshot::SnapshotPtr project,
                             std::string collection, Authority authority = Authority::policies);

}  // namespace mb::data
