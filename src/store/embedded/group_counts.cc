#include "store/embedded/group_counts.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

CollectionStats GroupCounts::of(std::string_view value) const {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(value);
  return found == values_.end() ? CollectionStats{} : found->second;
}

void GroupCounts::set(std::string_view value, CollectionStats stats) {
  const std::lock_guard lock(mutex_);
  if (stats.documents > 0) {
    values_.insert_or_assign(std::string(value), stats);
  } else if (const auto found = values_.find(value); found != values_.end()) {
    values_.erase(found);
  }
}

std::string encodeGroupCount(CollectionStats stats) {
  std::string value;
  appendU64(value, stats.documents);
  appendU64(value, stats.bytes);
  return value;
}

}  // namespace mb::store::embedded
