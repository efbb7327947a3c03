// A Grant is the outcome of the permission check, with the policy rule that applies: the first step of every read and
// write.
#pragma once

#include "data/caller_sets.h"
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
  Authority authority = Authority::admin;                      // authorityOf() the caller
  policy::ReaderKind reader = policy::ReaderKind::signedIn;
  policy::SetValues sets;   // of the caller, those that the rule names
  bool awaitsSets = false;  // `sets` and `filter` are missing: Grants::complete()
  policy::Trace* trace = nullptr;

  // Whether the caller is an admin of the collection, who may set ownerId.
  bool asAdmin() const { return authority == Authority::admin || ruleOperation == policy::Operation::admin; }
  // Fields that this caller may not read.
  const doc::FieldSet& denied() const;
  // The same for a result; null if no field is denied.
  std::shared_ptr<const doc::FieldSet> hidden() const;
  // Fills `filter`. Fails with forbidden for a placeholder without a value.
  Result<> fill(const policy::Caller& caller);
};

// Whether `filter`, of an operation of the grant, matches the document; false for nullopt.
bool isMatched(const Grant& grant, const doc::Filter& filter, const std::optional<doc::Document>& document);

// The authority of `caller` on a plane: the one place that decides whether policies apply to a caller.
inline Authority authorityOf(const policy::Caller& caller, Authority ofPlane) {
  return caller.bypassesPolicies() ? Authority::admin : ofPlane;
}

// Decides what callers may do with the collections of projects. Any core.
class Grants {
 public:
  Grants(snapshot::SlotKey<CollectionTable> slot, CallerSets& sets) : slot_(slot), sets_(sets) {}

  // Fails with forbidden (permission, no rule, unresolvable placeholder), notFound (no such collection; only for
  // callers who hold the permission), unauthenticated (a caller without a token, and no public rule). Where values of
  // the caller's sets are not cached, the grant `awaitsSets`.
  Result<Grant> find(const Access& access, std::string_view collection, policy::Operation operation) const;
  // Reads the sets of a grant that awaits them. Fails with forbidden, and as a read of the store does.
  Task<> complete(Grant& grant, const policy::Caller& caller, store::Deadline deadline) const;
  // The sets of a grant that awaits them, as CallerSets::marks().
  policy::SetValues setMarks(const Grant& grant, const policy::Caller& caller) const {
    return sets_.marks(table(*grant.project), caller, grant.rule->sets());
  }

  const CollectionTable& table(const snapshot::ProjectSnapshot& project) const { return project.get(slot_); }

 private:
  snapshot::SlotKey<CollectionTable> slot_;
  CallerSets& sets_;
};

}  // namespace mb::data
