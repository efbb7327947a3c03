// data/'s part of the project snapshot: the collections, compiled. Unchanged ones are shared between snapshots.
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
#include "document/schema.h"
#include "policy/policy.h"
#include "snapshot/snapshot.h"

namespace mb::data {

enum class PolicySource { own, inherited, none };
std::string_view policySourceName(PolicySource source);  // "own", "inherited", "default"

// One collection as requests see it. Immutable; any thread.
struct Collection {
  store::CollectionInfo info;  // config: {schema?, policy?, refs?} as stored
  store::CollectionRef ref;
  std::shared_ptr<const doc::Schema> schema;     // null: no validation
  std::shared_ptr<const policy::Policy> policy;  // null: everything is denied
  PolicySource policySource = PolicySource::none;
  doc::Document schemaSource;  // as given, x-ref naming the collections as they are called now; empty without a schema
  // Why no document can be written here (a stored schema that this version cannot compile); empty otherwise.
  std::string damage;
  // Names of collections in x-ref, as saved and as they are called now.
  std::vector<std::pair<std::string, std::string>> references;

  const std::string& name() const { return info.name; }
  const doc::FilterCoercion& coercion() const { return schema ? schema->coercion() : doc::defaultCoercion(); }
  // Fields no reader on the data plane sees.
  const doc::FieldSet& deniedReadFields() const;
  // "data:<name>:<operation>"
  const std::string& permission(policy::Operation op) const { return permissions[static_cast<size_t>(op)]; }
  // What `rule` lets an update touch, as far as it matters for fields that the caller cannot read.
  struct WriteFields {
    doc::FieldSet immutable;
    doc::FieldSet allowed;
    bool restricted = false;  // `allowed` counts
  };
  const WriteFields& writeFields(policy::Operation op) const { return writeFieldsOf[static_cast<size_t>(op)]; }

  std::array<std::string, 6> permissions;
  std::array<WriteFields, 6> writeFieldsOf;
};
using CollectionPtr = std::shared_ptr<const Collection>;

// The slot.
struct CollectionTable {
  std::unordered_map<std::string, CollectionPtr, StringHash, std::equal_to<>> byName;
  doc::Document defaultPolicySource;                    // of "*"; empty when there is none
  std::shared_ptr<const policy::Policy> defaultPolicy;  // null when there is none

  const CollectionPtr* find(std::string_view name) const;
  std::vector<std::string> names() const;  // sorted
};

// Fills the slot from the store's catalogue.
class CollectionTableSource final : public snapshot::SlotSource {
 public:
  // Tables are made on `pool`, as patterns may take long to compile.
  CollectionTableSource(store::DocumentStore& store, FairPool& pool)
      : store_(store), pool_(pool), recent_(kRecentTables) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  static constexpr size_t kRecentTables = 1000;
  std::shared_ptr<const CollectionTable> recent(store::ProjectNo project);
  void remember(store::ProjectNo project, const std::shared_ptr<const CollectionTable>& table);

  store::DocumentStore& store_;
  FairPool& pool_;
  std::mutex mutex_;
  LruCache<std::weak_ptr<const CollectionTable>> recent_;  // by project number
};

}  // namespace mb::data
