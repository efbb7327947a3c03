// The room's part of the project snapshot: its GraphQL schema, built when the first request of the snapshot asks for
// it. Snapshots whose collections are the same share one. As many are kept as there are snapshots.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/lru_cache.h"
#include "graphql/language/schema.h"
#include "graphql/search.h"

namespace mb::graphql {

class SchemaSource;

// The slot.
class SchemaPlace {
 public:
  explicit SchemaPlace(const SchemaSource& source) : source_(source) {}
  // Any thread.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project) const;

 private:
  const SchemaSource& source_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Schema> built_;
};

class SchemaSource final : public snapshot::SlotSource {
 public:
  explicit SchemaSource(snapshot::SlotKey<data::CollectionTable> collections)
      : collections_(collections), recent_(kRecent) {}
  // At start-up; `search` outlives this.
  void setSearch(const Search& search) { search_ = &search; }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
  // The schema of these collections: that of an earlier snapshot where nothing has changed.
  std::shared_ptr<const Schema> schemaFor(const snapshot::ProjectSnapshot& project) const;

 private:
  static constexpr size_t kRecent = 1000;

  const snapshot::SlotKey<data::CollectionTable> collections_;
  const Search* search_ = nullptr;
  mutable std::mutex mutex_;
  mutable LruCache<std::weak_ptr<const Schema>> recent_;  // by project
};

}  // namespace mb::graphql
