#include "storage/bucket_table.h"

#include <algorithm>

#include "storage/storage_rules.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::storage {

const BucketRecord* BucketTable::find(std::string_view name) const {
  const auto found = byKey.find(bucketKey(name));
  return found == byKey.end() || found->second.name != name ? nullptr : &found->second;
}

bool BucketTable::holds(std::string_view bucketId) const {
  return std::ranges::any_of(byKey, [&](const auto& entry) { return entry.second.bucketId == bucketId; });
}

Task<std::shared_ptr<const void>> BucketTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found, co_await store::allRecords(store_, {project.number, kBuckets, 0}));
  CO_TRY(std::vector<BucketRecord> records, store::fromStore<BucketRecord>(found));
  auto table = std::make_shared<BucketTable>();
  for (BucketRecord& record : records) table->byKey.emplace(record.id, std::move(record));
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::storage
