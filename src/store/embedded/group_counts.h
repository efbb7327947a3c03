// The documents of a collection and their bytes, counted by the value of SystemCollection::countedBy; durable as
// row::kGroupCount rows.
#pragma once

#include <map>
#include <mutex>

#include "store/store.h"

namespace mb::store::embedded {

class GroupCounts {
 public:
  // Any thread.
  CollectionStats of(std::string_view value) const;
  // Removes the value if no documents are left.
  void set(std::string_view value, CollectionStats stats);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CollectionStats, std::less<>> values_;
};

// The value of a row::kGroupCount row.
std::string encodeGroupCount(CollectionStats stats);

}  // namespace mb::store::embedded
