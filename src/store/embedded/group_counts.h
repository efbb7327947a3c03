// How many documents of a collection hold each value of its field SystemCollection::countedBy, and their bytes:
// durable, as 'Y' rows.
#pragma once

#include <map>
#include <mutex>

#include "store/store.h"

namespace mb::store::embedded {

class GroupCounts {
 public:
  // Any thread.
  CollectionStats of(std::string_view value) const;
  // None left: forgets the value.
  void set(std::string_view value, CollectionStats stats);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CollectionStats, std::less<>> values_;
};

// The value of a 'Y' row.
std::string encodeGroupCount(CollectionStats stats);

}  // namespace mb::store::embedded
