// The module's part of the project snapshot: compiled collections. Unchanged ones are shared between snapshots.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fair_pool.h"
#include "base/lru_cache.h"
#include "data/policy_set_record.h"
#include "data/vector_fields.h"
#include "document/schema.h"
#include "identity/profiles.h"
#include "policy/caller_set.h"
#include "policy/policy.h"
#include "snapshot/snapshot.h"

namespace mb::data {

enum class PolicySource { own, inherited, none };
std::string_view policySourceName(PolicySource source);  // "own", "inherited", "default"

// A field of a collection whose references have an onDelete, as the referenced collection knows it.
struct Referrer {
  std::string collection;  // its current name
  std::string path;
  doc::OnDelete onDelete = doc::OnDelete::none;
  bool operator==(const Referrer&) const = default;
};

// A collection with compiled schema and policy, as requests use it. Immutable; any thread.
struct Collection {
  store::CollectionInfo info;  // config: {schema?, policy?, refs?} as stored
  store::CollectionRef ref;
  std::shared_ptr<const doc::Schema> schema;     // null: no validation
  std::shared_ptr<const policy::Policy> policy;  // null: everything is denied
  PolicySource policySource = PolicySource::none;
  doc::Document schemaSource;  // as given, x-ref with the current names of collections; empty without a schema
  // Set if documents can only be deleted: why this version cannot compile the stored schema. Empty otherwise.
  std::string schemaProblem;
  // Names of collections in x-ref: as saved, and the current ones.
  std::vector<std::pair<std::string, std::string>> references;
  // Whether a write checks references of the document.
  bool checksReferences = false;
  // Deletions of documents look at these; by name and path. Mostly empty.
  std::vector<Referrer> referrers;
  // Writes count the vectors that documents hold in these (vector_counts.h). Mostly empty.
  std::vector<ManualVectorField> manualVectors;
  // The database of the project's owner has no such collection (missing_collections.h).
  bool isMissing = false;

  const std::string& name() const { return info.name; }
  const doc::FilterCoercion& coercion() const { return schema ? schema->coercion() : doc::defaultCoercion(); }
  // Fields that these callers of the data plane may not read.
  const doc::FieldSet& deniedReadFields(policy::ReaderKind reader) const;
  // "data:<name>:<operation>"
  const std::string& permission(policy::Operation op) const { return permissions[static_cast<size_t>(op)]; }
  // The fields that a rule lets an update change, as far as it matters for fields that the caller cannot read.
  struct WriteFields {
    doc::FieldSet immutable;
    doc::FieldSet allowed;
    bool restricted = false;  // only the fields in `allowed`
  };
  const WriteFields& writeFields(policy::Operation op) const { return writeFieldsOf[static_cast<size_t>(op)]; }

  std::array<std::string, 6> permissions;
  std::array<WriteFields, 6> writeFieldsOf;
};
using CollectionPtr = std::shared_ptr<const Collection>;

// A caller set, compiled. Shared between tables while it is unchanged, so that cached values outlive other changes of
// the configuration.
struct CompiledSet {
  PolicySetRecord record;
  policy::CallerSet set;
};
using CompiledSetPtr = std::shared_ptr<const CompiledSet>;

// A set and the collection that it reads.
struct BoundSet {
  CompiledSetPtr compiled;
  CollectionPtr collection;  // null: the collection or the index that the set requires does not exist
  const std::string& name() const { return compiled->record.id; }
};

// The value of the slot.
struct CollectionTable {
  std::unordered_map<std::string, CollectionPtr, StringHash, std::equal_to<>> byName;
  doc::Document defaultPolicySource;                    // of "*"; empty without one
  std::shared_ptr<const policy::Policy> defaultPolicy;  // null without one
  identity::ProfileFields profileFields;                // of end users, in place of references to them

  std::vector<BoundSet> sets;   // by name
  bool hasPublicRules = false;  // of any collection

  const CollectionPtr* find(std::string_view name) const;
  const BoundSet* findSet(std::string_view name) const;
  std::vector<std::string> setNames() const;  // ascending
  // By number; null if it does not exist. Walks through all collections.
  CollectionPtr numbered(store::CollectionNo number) const;
  std::vector<std::string> names() const;  // sorted
};

// Whether the set can be read: an index of the collection begins with the path that equals the caller's id.
bool hasIndexFor(const policy::CallerSet& set, const store::CollectionInfo& collection);

// What takes the place of a project's configuration in a table that is not saved.
struct TableDrafts {
  std::optional<doc::Document> defaultPolicy;      // nullopt: the saved one; empty: none
  std::vector<store::CollectionInfo> collections;  // in place of those of the same names, or new
  std::vector<PolicySetRecord> sets;               // in place of those of the same names, or new
  bool setsNeedIndexes = true;
};
// The table that the project would have. Logs what does not compile. Takes as long as the patterns of the drafts.
std::shared_ptr<const CollectionTable> draftedTable(const snapshot::ProjectInfo& project, const CollectionTable& table,
                                                    TableDrafts drafts);

// Fills the slot from the store's catalogue.
class CollectionTableSource final : public snapshot::SlotSource {
 public:
  // Builds tables on `pool`, as patterns may take long to compile.
  CollectionTableSource(store::DocumentStore& store, FairPool& pool)
      : store_(store), pool_(pool), recent_(kRecentTables) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  static constexpr size_t kRecentTables = 1000;
  std::shared_ptr<const CollectionTable> recent(store::ProjectNo project);
  void remember(store::ProjectNo project, const std::shared_ptr<const CollectionTable>& table);
  // Makes the store keep the marks that the values of the sets are compared with; those of `before` it keeps already.
  Task<> markSets(store::ProjectNo project, CollectionTable& table, const CollectionTable* before);

  store::DocumentStore& store_;
  FairPool& pool_;
  std::mutex mutex_;
  LruCache<std::weak_ptr<const CollectionTable>> recent_;  // by project number
};

}  // namespace mb::data
