// Collections administers collections: names, schemas, policies, indexes. The routes check permissions. Every change is
// audited in its own commit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/collection_referrer.h"
#include "data/collection_stats.h"
#include "data/collection_table.h"
#include "data/policy_tests.h"
#include "data/schema_check.h"
#include "policy/caller.h"
#include "projects/claim_dependent.h"
#include "snapshot/snapshot.h"

namespace mb::data {

struct DataDeps;

// The name under which the project's default policy is read and set.
inline constexpr std::string_view kDefaultPolicyName = "*";

struct PolicyInForce {
  doc::Document policy;  // empty if `source` is PolicySource::none
  PolicySource source = PolicySource::none;
};

// The body of an index creation; also an index in the configuration of a bundle.
struct NewIndex {
  doc::Document keys;
  std::optional<std::string> name;
  std::optional<bool> unique;
  std::optional<bool> sparse;
  std::optional<doc::Document> partialFilter;
  std::optional<int64_t> expireAfterSeconds;
  std::optional<bool> covering;
  std::optional<std::vector<std::string>> include;
  static constexpr auto shape() {
    return doc::shape<NewIndex>("NewIndex", doc::field("keys", &NewIndex::keys), doc::field("name", &NewIndex::name),
                                doc::field("unique", &NewIndex::unique), doc::field("sparse", &NewIndex::sparse),
                                doc::field("partialFilter", &NewIndex::partialFilter),
                                doc::field("expireAfterSeconds", &NewIndex::expireAfterSeconds),
                                doc::field("covering", &NewIndex::covering), doc::field("include", &NewIndex::include));
  }
};

// An index on the wire; options only where set.
struct IndexView {
  std::string name;
  doc::Document keys;
  bool unique = false;
  std::optional<bool> sparse;
  std::optional<doc::Document> partialFilter;
  std::optional<int64_t> expireAfterSeconds;
  std::optional<bool> covering;
  std::optional<std::vector<std::string>> include;
  std::optional<bool> managed;     // in a project on its owner's database: whether it was made here
  std::optional<bool> building;    // true while it is filled; the build continues after a restart
  std::optional<double> progress;  // while building: the share of the documents that is in it, 0 to 1
  static constexpr auto shape() {
    return doc::shape<IndexView>(
        "Index", doc::field("name", &IndexView::name), doc::field("keys", &IndexView::keys),
        doc::field("unique", &IndexView::unique), doc::field("sparse", &IndexView::sparse),
        doc::field("partialFilter", &IndexView::partialFilter),
        doc::field("expireAfterSeconds", &IndexView::expireAfterSeconds), doc::field("covering", &IndexView::covering),
        doc::field("include", &IndexView::include), doc::field("managed", &IndexView::managed),
        doc::field("building", &IndexView::building), doc::field("progress", &IndexView::progress));
  }
};

// A change of a collection's schema, policy and tests: an absent member is kept, null clears it.
struct ConfigChange {
  doc::Patch<doc::Document> schema;
  doc::Patch<doc::Document> policy;
  std::optional<std::vector<PolicyTest>> policyTests = {};
  std::vector<std::string> newSets = {};  // that the policy may name although they are saved only after it
  // Part of an import, whose plan has checked the indexes and cascades of references as they are in the end: an index
  // may come later, and another collection's schema too.
  bool imported = false;
};

// A collection of the project owner's own database, to be imported.
struct ImportedCollection {
  std::string name;    // here
  std::string source;  // there
  std::optional<doc::Document> schema;
};

// The caller and the project of a request. References outlive the call.
struct AdminAccess {
  const policy::Caller& caller;
  snapshot::SnapshotPtr project;
};

// Every call with the name of a collection that does not exist fails with notFound. A change applies to every request
// that begins after the call returned. On any core.
class Collections : public projects::ClaimDependent {
 public:
  Collections(const DataDeps& deps, FairPool& pool, snapshot::SlotKey<CollectionTable> collections);
  // `referrer` is called before each rename and drop. Only at start-up.
  void addReferrer(CollectionReferrer& referrer) { referrers_.push_back(&referrer); }
  // Jobs of the queue that the drop of a collection starts, inserted in its commit. Only at start-up.
  using DropJobs = std::function<Result<std::vector<store::Insert>>(const snapshot::ProjectInfo&, const Collection&)>;
  void setDropJobs(DropJobs jobs) { dropJobs_ = std::move(jobs); }

  // Validate a new name, a schema and an index for the plan of a change, without access to the store. A schema is
  // compiled on the pool, as patterns may take long, fairly among projects. checkIndex returns the index as it would be
  // listed, with the constants of its filter in the types of the collection's schema.
  static Result<> checkName(std::string_view name);
  Task<std::shared_ptr<const doc::Schema>> checkSchema(snapshot::SnapshotPtr project, doc::Document schema) const;
  static Result<IndexView> checkIndex(const NewIndex& index, const doc::FilterCoercion& coercion);

  std::vector<std::string> names(const snapshot::ProjectSnapshot& project) const;  // sorted
  // By name, of all collections. Reads no documents. Fails as DocumentStore::usage does.
  Task<std::vector<CollectionStats>> stats(AdminAccess access, store::Deadline deadline) const;
  // Fails with validation (form of the name), notFound (reserved), conflict (taken, by store::foldedName, or the limit
  // of collections is reached).
  Task<> create(AdminAccess access, std::string name);
  // Creates it in one commit, with a policy of its own that denies everything. Its documents are not validated. Fails
  // as create() and setSchema() do.
  Task<> import(AdminAccess access, ImportedCollection collection);
  // The collections of the project by their names in the owner's database; those that were not imported have the same
  // name there.
  std::map<std::string, std::string, std::less<>> namesBySource(const snapshot::ProjectSnapshot& project) const;
  // Drops what the collection is in the database of the project's owner.
  using DropData = std::function<Task<>(const std::string& source)>;
  // `dropData`: awaited once nothing refuses the drop, which fails where it fails.
  Task<> drop(AdminAccess access, std::string name, DropData dropData = {});
  // Everything that belongs to the collection follows, also x-ref of other collections and webhooks, in one commit.
  // Fails as create does.
  Task<> rename(AdminAccess access, std::string name, std::string to);

  // Changes schema, policy and tests in one commit: if both of the former change, only the new ones have to fit each
  // other. Fails as setSchema, setPolicy and setPolicyTests do.
  Task<> configure(AdminAccess access, std::string name, ConfigChange change);

  // The schema as saved; nullopt without one.
  Result<std::optional<doc::Document>> schema(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation (the schema, or what its references need), conflict (the collection's policy does not
  // type-check against it). Stored documents are not validated.
  Task<> setSchema(AdminAccess access, std::string name, doc::Document schema);
  Task<> clearSchema(AdminAccess access, std::string name);
  // Validates stored documents against a schema, in the order of ids, as a write that stores them again would. Writes
  // nothing. Ends at the limit, or after ten seconds. Fails with validation (the limit), as setSchema does, and as a
  // read of the store.
  Task<SchemaCheck> checkDocuments(AdminAccess access, std::string name, SchemaCheckRequest request,
                                   store::Deadline deadline) const;

  // The policy in force. "*" is the project's default policy.
  Result<PolicyInForce> policy(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation, also for a claim that no token of the project can hold. `newSets`: ConfigChange::newSets.
  Task<> setPolicy(AdminAccess access, std::string name, doc::Document policy, std::vector<std::string> newSets = {});
  Task<> clearPolicy(AdminAccess access, std::string name);
  // The stored tests of the collection's policy, each in the form of PolicyTest.
  Result<std::vector<doc::Document>> policyTests(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Replaces all of them. Fails with validation, its paths under "/tests".
  Task<> setPolicyTests(AdminAccess access, std::string name, std::vector<PolicyTest> tests);
  Task<std::vector<projects::ClaimUse>> claimUses(snapshot::SnapshotPtr project,
                                                  std::vector<std::string> claims) override;

  Task<std::vector<IndexView>> indexes(snapshot::SnapshotPtr project, std::string name);
  // Returns the index's name when it is ready. Fails with validation; conflict (name taken, or duplicates under a
  // unique index).
  Task<std::string> createIndex(AdminAccess access, std::string collection, NewIndex index);
  // Fails with conflict for the last index that an onDelete of the collection's references needs, unless the index is
  // `replaced`: until the new one is ready, deletions that need it are 503.
  Task<> dropIndex(AdminAccess access, std::string collection, std::string index, bool replaced = false);

 private:
  using NewConfig = std::function<Result<doc::Document>(const snapshot::ProjectSnapshot&, const Collection&)>;

  const CollectionTable& table(const snapshot::ProjectSnapshot& project) const { return project.get(slot_); }
  Result<CollectionPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  std::vector<store::Insert> auditEntry(const AdminAccess& access, std::string action, const std::string& target,
                                        doc::Document details = {}) const;
  // Runs `attempt`, and again on a new snapshot as long as the catalogue has changed since, kMaxStaleAttempts times at
  // most.
  Task<> whileStale(AdminAccess& access, std::function<Task<>()> attempt) const;
  Task<> dropOnce(const AdminAccess& access, const std::string& name, const DropData& dropData);
  Task<> renameOnce(const AdminAccess& access, const std::string& name, const std::string& to);
  Task<> bindReferences(const CollectionPtr& referring, const Collection& target);
  Task<> bindReferrers(const AdminAccess& access, const CollectionPtr& target);
  // Each of `actions` becomes an audit entry.
  Task<> alter(AdminAccess access, std::string name, std::vector<std::string> actions, NewConfig newConfig);
  Task<> alterOnce(const AdminAccess& access, const std::string& name, const std::vector<std::string>& actions,
                   const NewConfig& newConfig);
  // Makes the indexes of the collection hold the fields that `policy` needs.
  void holdPolicyFields(const Collection& collection, doc::DocumentView policy) const;
  Task<> writeDefaultPolicy(AdminAccess access, std::string action, std::optional<doc::Document> policy);
  Task<> createIndexOnce(const AdminAccess& access, const std::string& collection, const store::IndexSpec& spec);
  Task<> dropIndexOnce(const AdminAccess& access, const std::string& collection, const std::string& index,
                       bool replaced);
  // What a save of the schema alone demands besides compiling: fails with conflict (the collection's policy does not
  // fit it), validation.
  Result<> checkFit(const snapshot::ProjectSnapshot& project, const Collection& collection, const doc::Document& source,
                    const doc::Schema& schema) const;
  // What it demands of the references. Fails with validation. `imported`: ConfigChange::imported.
  Result<> checkSchemaReferences(const snapshot::ProjectSnapshot& project, const Collection& collection,
                                 const doc::Document& source, const doc::Schema& schema, bool imported) const;
  // Fails with validation.
  Result<> checkReferenceRules(const snapshot::ProjectSnapshot& project, const Collection& collection,
                               const doc::Schema& schema) const;
  // Gives the collections to which the saved schema refers with an onDelete a new version: a deletion that does not
  // know of it begins again.
  // `before`: the schema that `schema` replaces; null without one. Both outlive the call.
  Task<> announceReferrer(store::ProjectNo project, std::string name, const doc::Schema& schema,
                          const doc::Schema* before);

  const DataDeps& deps_;
  FairPool& pool_;
  snapshot::SlotKey<CollectionTable> slot_;
  std::vector<CollectionReferrer*> referrers_;
  DropJobs dropJobs_;
};

}  // namespace mb::data
