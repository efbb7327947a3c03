// A CollectionFinder finds collections by name, for work that outlives one snapshot or runs on another database.
#pragma once

#include <string>

#include "data/collection_table.h"

namespace mb::data {

// Finds collections by their current names.
class CollectionFinder {
 public:
  virtual ~CollectionFinder() = default;
  // Fails with notFound if no collection has the name.
  virtual Task<CollectionPtr> find(std::string name) = 0;
};

// The collections of one table, which outlives it.
class TableFinder final : public CollectionFinder {
 public:
  explicit TableFinder(const CollectionTable& table) : table_(table) {}
  Task<CollectionPtr> find(std::string name) override {
    const CollectionPtr* found = table_.find(name);
    if (!found) co_return fail(ErrorCode::notFound, "no such collection");
    co_return *found;
  }

 private:
  const CollectionTable& table_;
};

}  // namespace mb::data
