// A Grant is the outcome of the permission check, with the policy rule that applies: the first step of every read and
// write.
#pragma once

#include "data/collection_table.h"
#include "data/documents.h"

namespace mb::data {

struct Grant {
  snapshot::SnapshotPtr project;
  // Kept alive by the snapshot: a shared_ptr of its own would contend for the counter among all cores.
  const Collection* collection = nullptr;
  const policy::Rule* rule = nullptr;                          // null by Authority::admin
  policy::Operation ruleOperation = policy::Operation::admin;  // the operation of `rule`
  doc::Filter filter;                                          // of the rule, with the caller's values
  Authority authority = Authority::admin;

  // Whether the caller is an admin of the collection, who may set ownerId.
  bool asAdmin() const { return authority == Authority::admin || ruleOperation == policy::Operation::admin; }
  // Fields that this caller may not read.
  const doc::FieldSet& denied() const;
  // The same for a result; null if no field is denied.
  std::shared_ptr<const doc::FieldSet> hidden() const;
};

// Fails with forbidden (permission, no rule, unresolvable placeholder), notFound (no such collection; only for callers
// who hold the permission).
Result<Grant> grantFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                       snapshot::SlotKey<CollectionTable> slot, std::string_view collection,
                       policy::Operation operation, Authority authority);

}  // namespace mb::data
