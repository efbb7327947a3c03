// May this caller do this here, and under which rule: the first step of every read and write.
#pragma once

#include "data/collection_table.h"
#include "data/documents.h"

namespace mb::data {

struct Grant {
  snapshot::SnapshotPtr project;
  // Of the snapshot, which keeps it: a counter of its own would be fought over by all cores.
  const Collection* collection = nullptr;
  const policy::Rule* rule = nullptr;                          // null by Authority::admin
  policy::Operation ruleOperation = policy::Operation::admin;  // whose rule it is
  doc::Filter filter;                                          // of the rule, with the caller's values in it
  Authority authority = Authority::admin;

  // Whether the caller counts as an admin: may set ownerId. Source: decisions 3 ("Policy operation admin").
  bool asAdmin() const { return authority == Authority::admin || ruleOperation == policy::Operation::admin; }
  // Fields that this caller never sees.
  const doc::FieldSet& denied() const;
  // The same for an answer; null when there are none.
  std::shared_ptr<const doc::FieldSet> hidden() const;
};

// Fails with forbidden (permission, no rule, unresolvable placeholder), notFound (no such collection, told only to
// those who hold the permission).
Result<Grant> grantFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                       snapshot::SlotKey<CollectionTable> slot, std::string_view collection,
                       policy::Operation operation, Authority authority);

}  // namespace mb::data
