#include "store/marks.h"

#include "store/big_endian.h"
#include "store/value_key.h"

namespace mb::store {

uint32_t Marks::stripeOf(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) {
  thread_local std::string key;
  key.clear();
  appendU32(key, project);
  appendU32(key, collection);
  key += path;
  key += '\0';
  // Equal values of different types have one encoding.
  appendValueKey(key, value, false, kNoCap);
  return static_cast<uint32_t>(std::hash<std::string_view>()(key) % kStripes);
}

Mark Marks::of(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const {
  return Mark(counters_[stripeOf(project, collection, path, value)]);
}

void Marks::addStripes(ProjectNo project, CollectionNo collection, const doc::FieldPath& path,
                       doc::DocumentView document, std::vector<uint32_t>& stripes) {
  doc::walkPath(document, path, doc::Leaf::elementsToo, [&](std::optional<doc::ValueView> value) {
    if (value) stripes.push_back(stripeOf(project, collection, path.dotted(), *value));
    return false;
  });
}

void Marks::move(const std::vector<uint32_t>& stripes) {
  for (const uint32_t stripe : stripes) counters_[stripe % kStripes].fetch_add(1, std::memory_order_release);
}

void Marks::moveAll() {
  for (auto& counter : counters_) counter.fetch_add(1, std::memory_order_release);
}

}  // namespace mb::store
