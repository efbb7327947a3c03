// The module's part of the project snapshot: its GraphQL schemas, each built when the first request asks for it. A
// caller gets one without the collections that they cannot reach. Snapshots whose collections are the same share
// schemas.
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
  // Any thread; for many properties it takes long.
  std::shared_ptr<const Schema> schema(const snapshot::ProjectSnapshot& project) const;
  // What schemaFor() gives, where that was built before; else null. Any thread, soon.
  std::shared_ptr<const Schema> known(const policy::Caller& caller) const;
  // Without the collections in which `caller` may do nothing. Any thread; for many properties it takes long.
  std::shared_ptr<const Schema> schemaFor(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;

 private:
  // Callers differ by role or key; one that was dropped is built again.
  static constexpr size_t kMaxVariants = 64;

  const SchemaSource& source_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Schema> built_;
  mutable LruCache<std::shared_ptr<const Schema>> variants_{kMaxVariants};  // by what the caller holds
};

class SchemaSource final : public snapshot::SlotSource {
 public:
  explicit SchemaSource(snapshot::SlotKey<data::CollectionTable> collections)
      : collections_(collections), recent_(kRecent) {}
  // At start-up; `search` outlives this.
  void setSearch(const Search& search) { search_ = &search; }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
  // The schema of the collections without those in `hidden` (sorted): that of an earlier snapshot where nothing has
  // changed.
  std::shared_ptr<const Schema> schemaFor(const snapshot::ProjectSnapshot& project,
                                          std::vector<std::string> hidden = {}) const;
  // The collections in which `caller` may do nothing, sorted.
  std::vector<std::string> hiddenFrom(const snapshot::ProjectSnapshot& project, const policy::Caller& caller) const;

 private:
  static constexpr size_t kRecent = 1000;

  const snapshot::SlotKey<data::CollectionTable> collections_;
  const Search* search_ = nullptr;
  mutable std::mutex mutex_;
  mutable LruCache<std::weak_ptr<const Schema>> recent_;  // by project and what is hidden
};

}  // namespace mb::graphql
