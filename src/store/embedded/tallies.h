// How many documents of a tallied collection hold each value (SystemCollection::tallied), and their bytes: durable, as
// 'Y' rows.
#pragma once

#include <map>
#include <mutex>

#include "store/store.h"

namespace mb::store::embedded {

class Tallies {
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
std::string encodeTally(CollectionStats stats);

}  // namespace mb::store::embedded
