// The projects, collections and indexes of the memory store.
#include <algorithm>

#include "store/configuration_limits.h"
#include "store/testing/memory_store.h"

namespace mb::store::testing {

Task<ProjectNo> MemoryStore::allocateProject() {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  co_return ++lastProject_;
}

Task<> MemoryStore::dropProject(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  std::erase_if(documents_, [&](const auto& entry) { return entry.first.first == project; });
  std::erase_if(catalogue_, [&](const auto& entry) { return entry.first.first == project; });
  ++epochs_[project];
  co_return Result<>();
}

Task<CounterRecount> MemoryStore::recountCounters(ProjectNo project, RecountOptions options) {
  const std::lock_guard lock(mutex_);
  recounts_.push_back(project);
  CO_RETURN_IF_ERROR(injected());
  if (options.stop && *options.stop) co_return fail(ErrorCode::unavailable, "the recount of counters was stopped");
  std::set<CounterNo> declared;
  for (const SystemCollection& system : system_) {
    for (const CounterSource& source : system.counters) declared.insert(source.counter);
  }
  co_return CounterRecount{.counters = declared.size(), .corrections = {}};
}

std::vector<ProjectNo> MemoryStore::recounts() const {
  const std::lock_guard lock(mutex_);
  return recounts_;
}

Epoch MemoryStore::epoch(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto& epochs = staleEpochs_ ? *staleEpochs_ : epochs_;
  const auto it = epochs.find(project);
  return {it == epochs.end() ? 0 : it->second, !staleEpochs_};
}

Task<uint64_t> MemoryStore::epochNow(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  const auto it = epochs_.find(project);
  co_return it == epochs_.end() ? 0 : it->second;
}

void MemoryStore::loseFreshness() {
  const std::lock_guard lock(mutex_);
  staleEpochs_ = epochs_;
}

void MemoryStore::regainFreshness() {
  const std::lock_guard lock(mutex_);
  staleEpochs_.reset();
}

Task<std::vector<CollectionInfo>> MemoryStore::collections(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  std::vector<CollectionInfo> out;
  for (const auto& [collectionKey, info] : catalogue_) {
    if (collectionKey.first == project) out.push_back(info);
  }
  co_return out;
}

Task<std::vector<CollectionUsage>> MemoryStore::usage(ProjectNo project, ReadOptions) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  std::vector<CollectionUsage> all;
  for (const auto& [collectionKey, info] : catalogue_) {
    if (collectionKey.first != project) continue;
    CollectionUsage& usage = all.emplace_back();
    usage.number = info.number;
    for (const doc::Document& document : matching({project, info.number, info.version}, doc::Filter())) {
      ++usage.stats.documents;
      usage.stats.bytes += document.size();
    }
    for (const IndexInfo& index : info.indexes) usage.indexes.push_back({index.number, usage.stats.documents, 0, true});
  }
  co_return all;
}

Task<CollectionInfo> MemoryStore::createCollection(ProjectNo project, std::string name, doc::Document config,
                                                   std::vector<Insert> extraInserts) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  size_t held = 0;
  for (const auto& [collectionKey, info] : catalogue_) {
    if (collectionKey.first == project && foldedName(info.name) == foldedName(name)) {
      co_return fail(ErrorCode::conflict, "a collection of this name exists already");
    }
    held += collectionKey.first == project ? 1 : 0;
  }
  if (held >= kMaxCollections) co_return fail(tooMany(kMaxCollections, kCollectionsPart));
  CollectionInfo info{
      .number = ++lastCollection_, .name = name, .version = 1, .config = std::move(config), .indexes = {}};
  std::map<CollectionKey, CollectionInfo> after = catalogue_;
  after[{project, info.number}] = info;
  CO_RETURN_IF_ERROR(checkLimits(project, documents_, after));
  catalogue_ = std::move(after);
  insertAll(extraInserts);
  ++epochs_[project];
  co_return info;
}

Task<CollectionInfo> MemoryStore::alterCollection(CollectionRef collection, Alteration change,
                                                  std::vector<Insert> extraInserts) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CO_RETURN_IF_ERROR(current(collection));
  std::map<CollectionKey, CollectionInfo> after = catalogue_;
  CollectionInfo* info = &after[{collection.project, collection.number}];
  if (change.name) {
    for (const auto& [collectionKey, other] : catalogue_) {
      if (collectionKey.first == collection.project && collectionKey.second != collection.number &&
          foldedName(other.name) == foldedName(*change.name)) {
        co_return fail(ErrorCode::conflict, "a collection of this name exists already");
      }
    }
    info->name = *change.name;
  }
  if (change.config) info->config = *std::move(change.config);
  ++info->version;
  CO_RETURN_IF_ERROR(checkLimits(collection.project, documents_, after));
  insertAll(extraInserts);
  ++epochs_[collection.project];
  CollectionInfo altered = *info;
  catalogue_ = std::move(after);
  co_return altered;
}

Task<> MemoryStore::dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CO_RETURN_IF_ERROR(current(collection));
  catalogue_.erase({collection.project, collection.number});
  documents_.erase({collection.project, collection.number});
  insertAll(extraInserts);
  ++epochs_[collection.project];
  co_return Result<>();
}

Task<IndexInfo> MemoryStore::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CO_TRY(CollectionInfo * info, current(collection));
  if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
  for (const IndexInfo& index : info->indexes) {
    if (index.spec.name == spec.name) co_return fail(ErrorCode::conflict, "an index of this name exists already");
  }
  const IndexInfo index{.number = ++lastIndex_, .spec = std::move(spec), .ready = true};
  std::map<CollectionKey, CollectionInfo> after = catalogue_;
  after[{collection.project, collection.number}].indexes.push_back(index);
  CO_RETURN_IF_ERROR(checkLimits(collection.project, documents_, after));
  info->indexes.push_back(index);
  const Documents& documents = documents_[{collection.project, collection.number}];
  for (const auto& [id, document] : documents) {
    if (violated(collection, documents, id).empty()) continue;
    info->indexes.pop_back();
    co_return fail(ErrorCode::conflict, "there are duplicates under these keys");
  }
  ++info->version;
  insertAll(extraInserts);
  ++epochs_[collection.project];
  co_return index;
}

Task<> MemoryStore::dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  CO_TRY(CollectionInfo * info, current(collection));
  const auto removed = std::erase_if(info->indexes, [&](const IndexInfo& index) { return index.spec.name == name; });
  if (removed == 0) co_return fail(ErrorCode::notFound, "no such index");
  ++info->version;
  insertAll(extraInserts);
  ++epochs_[collection.project];
  co_return Result<>();
}

Task<std::optional<IndexProgress>> MemoryStore::indexProgress(CollectionRef, IndexNo) {
  co_return std::optional<IndexProgress>();  // an index is ready when createIndex() returns
}

Result<> MemoryStore::healthy() const {
  return {};
}

}  // namespace mb::store::testing
