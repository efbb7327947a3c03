// The module's slot of the project snapshot: its buckets.
#pragma once

#include <map>
#include <mutex>

#include "base/lru_cache.h"
#include "snapshot/snapshot.h"
#include "storage/bucket_rules.h"

namespace mb::storage {

struct Bucket {
  BucketRecord record;
  // Null: the bucket has no rules. Of rules that cannot be compiled, a policy without any rule, which denies.
  RulesPtr rules;
};
using BucketPtr = std::shared_ptr<const Bucket>;

struct BucketTable {
  std::map<std::string, BucketPtr, std::less<>> byKey;  // bucketKey(name)

  BucketPtr find(std::string_view name) const;  // exact match; null if absent
  BucketPtr withId(std::string_view bucketId) const;
};

class BucketTables final : public snapshot::SlotSource {
 public:
  explicit BucketTables(store::DocumentStore& store) : store_(store), recent_(kRecentTables) {}
  // Unchanged buckets are shared with the project's previous table.
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  static constexpr size_t kRecentTables = 1000;
  std::shared_ptr<const BucketTable> recent(store::ProjectNo project);
  void remember(store::ProjectNo project, const std::shared_ptr<const BucketTable>& table);

  store::DocumentStore& store_;
  std::mutex mutex_;
  LruCache<std::weak_ptr<const BucketTable>> recent_;  // by project number
};

}  // namespace mb::storage
