#include "storage/bucket_table.h"

#include <algorithm>

#include "base/cancellation.h"
#include "base/log.h"
#include "storage/storage_rules.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::storage {

namespace {

RulesPtr compiled(store::ProjectNo project, const BucketRecord& record) {
  if (!record.rules) return nullptr;
  auto rules = policy::compileFileRules(*record.rules);
  if (rules) return *std::move(rules);
  logError("stored rules of a bucket do not compile; all access by them is denied",
           {{"project", project}, {"bucket", record.name}, {"problem", rules.error().message()}});
  return *policy::compileFileRules({});
}

}  // namespace

BucketPtr BucketTable::find(std::string_view name) const {
  const auto found = byKey.find(bucketKey(name));
  return found == byKey.end() || found->second->record.name != name ? nullptr : found->second;
}

BucketPtr BucketTable::withId(std::string_view bucketId) const {
  const auto found =
      std::ranges::find_if(byKey, [&](const auto& entry) { return entry.second->record.bucketId == bucketId; });
  return found == byKey.end() ? nullptr : found->second;
}

std::shared_ptr<const BucketTable> BucketTables::recent(store::ProjectNo project) {
  const std::lock_guard lock(mutex_);
  const auto* found = recent_.find(std::to_string(project));
  return found ? found->lock() : nullptr;
}

void BucketTables::remember(store::ProjectNo project, const std::shared_ptr<const BucketTable>& table) {
  const std::lock_guard lock(mutex_);
  recent_.put(std::to_string(project), table);
}

Task<std::shared_ptr<const void>> BucketTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found, co_await store::allRecords(store_, {project.number, kBuckets, 0}));
  CO_TRY(std::vector<BucketRecord> records, store::fromStore<BucketRecord>(found));
  const std::shared_ptr<const BucketTable> before = recent(project.number);
  auto table = std::make_shared<BucketTable>();
  for (BucketRecord& record : records) {
    BucketPtr known = before ? before->find(record.name) : nullptr;
    if (!known || known->record != record) {
      // Patterns may take milliseconds to compile.
      if (record.rules) CO_RETURN_IF_ERROR(co_await yieldCore());
      RulesPtr rules = compiled(project.number, record);
      known = std::make_shared<const Bucket>(Bucket{std::move(record), std::move(rules)});
    }
    table->byKey.emplace(known->record.id, known);
  }
  if (!table->byKey.empty()) remember(project.number, table);
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::storage
