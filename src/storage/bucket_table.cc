#include "storage/bucket_table.h"

#include <algorithm>

#include "storage/storage_rules.h"
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
  store::Query query;
  query.collection = {project.number, kBuckets, 0};
  query.limit = 2 * kMostBuckets;
  query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  CO_TRY(const store::QueryResult found, co_await store_.find(std::move(query)));
  CO_TRY(std::vector<BucketRecord> records, store::fromStore<BucketRecord>(found.documents));
  auto table = std::make_shared<BucketTable>();
  for (BucketRecord& record : records) table->byKey.emplace(record.id, std::move(record));
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::storage
