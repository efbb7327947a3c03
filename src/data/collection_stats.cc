#include "data/collection_stats.h"

#include <algorithm>

#include "base/cancellation.h"
#include "data/collections.h"
#include "data/data_deps.h"

namespace mb::data {

namespace {

// Collections between two yields of the core: with all indexes that they may have, a millisecond or two.
constexpr size_t kCollectionsBetweenYields = 128;
constexpr policy::RequiredPermission kReadPolicies("policies:read");

std::vector<IndexStats> indexStats(const Collection& collection, const store::CollectionUsage& usage, bool counted) {
  std::vector<IndexStats> all;
  for (const store::IndexInfo& index : collection.info.indexes) {
    // Not there: it was dropped since the snapshot.
    const auto found = std::ranges::find(usage.indexes, index.number, &store::IndexUsage::number);
    if (found == usage.indexes.end()) continue;
    IndexStats& stats = all.emplace_back();
    stats.name = index.spec.name;
    if (!counted) continue;
    stats.entries = static_cast<int64_t>(found->entries);
    stats.bytes = static_cast<int64_t>(found->bytes);
    if (found->approximate) stats.approximate = true;
  }
  return all;
}

CollectionStats statsOf(const Collection& collection, const store::CollectionUsage& usage,
                        const policy::Caller& caller) {
  const bool counted = caller.may(collection.permission(policy::Operation::list));
  CollectionStats stats;
  stats.name = collection.name();
  stats.indexes = indexStats(collection, usage, counted);
  stats.schema = collection.info.config.view().find("schema").has_value();
  if (caller.may(std::string_view(kReadPolicies))) stats.policy = policySourceName(collection.policySource);
  if (!counted) return stats;
  stats.documents = static_cast<int64_t>(usage.stats.documents);
  stats.bytes = static_cast<int64_t>(usage.stats.bytes);
  stats.lastWriteAt.value = usage.lastWrite;
  return stats;
}

}  // namespace

Task<std::vector<CollectionStats>> Collections::stats(AdminAccess access, store::Deadline deadline) const {
  CO_TRY(const std::vector<store::CollectionUsage> usages,
         co_await deps_.store.usage(access.project->info().number, {deadline}));
  std::vector<const Collection*> collections;
  for (const auto& [_, collection] : table(*access.project).byName) collections.push_back(collection.get());
  std::ranges::sort(collections, {}, [](const Collection* each) -> const std::string& { return each->name(); });
  std::vector<CollectionStats> all;
  all.reserve(collections.size());
  for (size_t i = 0; i < collections.size(); ++i) {
    if (i % kCollectionsBetweenYields == kCollectionsBetweenYields - 1) CO_RETURN_IF_ERROR(co_await yieldCore());
    // Not there: it was dropped since the snapshot.
    const auto usage =
        std::ranges::lower_bound(usages, collections[i]->info.number, {}, &store::CollectionUsage::number);
    if (usage == usages.end() || usage->number != collections[i]->info.number) continue;
    all.push_back(statsOf(*collections[i], *usage, access.caller));
  }
  co_return all;
}

}  // namespace mb::data
