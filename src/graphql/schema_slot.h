// The module's part of the project snapshot: its GraphQL schemas, each built by the first request that needs it. A
// caller gets a schema without the collections that it cannot reach. Snapshots with the same collections share schemas.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/lru_cache.h"
#include "graphql/language/schema.h"
#include "graphql/search.h"

namespace mb::graphql {

class SchemaSource;

// The value of the slot.
class SchemaSlot {
 public:
  explicit SchemaSlot(const SchemaSource& source) : source_(source) {}
  // Any thread; slow for many properties.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project) const;
  // The result of schemaFor() if it was built before, else null. Any thread; fast.
  std::shared_ptr<const Schema> known(const policy::Caller& caller) const;
  // The schema without the collections that `caller` cannot reach. Any thread; slow for many properties.
  std::shared_ptr<const Schema> schemaFor(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;

 private:
  // One variant per role or key; an evicted one is built again.
  static constexpr size_t kMaxVariants = 64;

  const SchemaSource& source_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Schema> built_;
  mutable LruCache<std::shared_ptr<const Schema>> variants_{kMaxVariants};  // by the caller's rights
};

class SchemaSource final : public snapshot::SlotSource {
 public:
  explicit SchemaSource(snapshot::SlotKey<data::CollectionTable> collections)
      : collections_(collections), recent_(kRecent) {}
  // Only at start-up; `search` outlives this.
  void setSearch(const Search& search) { search_ = &search; }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
  // The schema of the collections without those in `hidden` (sorted): that of an earlier snapshot if nothing has
  // changed.
  std::shared_ptr<const Schema> schemaFor(const snapshot::ProjectSnapshot& project,
                                          std::vector<std::string> hidden = {}) const;
  // The collections that `caller` cannot reach, sorted.
  std::vector<std::string> hiddenFrom(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;

 private:
  static constexpr size_t kRecent = 1000;

  const snapshot::SlotKey<data::CollectionTable> collections_;
  const Search* search_ = nullptr;
  mutable std::mutex mutex_;
  mutable LruCache<std::weak_ptr<const Schema>> recent_;  // by project and hidden collections
};

}  // namespace mb::graphql
