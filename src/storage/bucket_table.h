// The module's slot of the project snapshot: its buckets.
#pragma once

#include <map>

#include "snapshot/snapshot.h"
#include "storage/storage_types.h"

namespace mb::storage {

struct BucketTable {
  std::map<std::string, BucketRecord, std::less<>> byKey;  // bucketKey(name)

  const BucketRecord* find(std::string_view name) const;  // exact match; null if absent
  bool holds(std::string_view bucketId) const;
};

class BucketTables final : public snapshot::SlotSource {
 public:
  explicit BucketTables(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

}  // namespace mb::storage
