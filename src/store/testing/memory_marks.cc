// The marks of the memory store.
#include <algorithm>

#include "document/value_order.h"
#include "store/testing/memory_store.h"

namespace mb::store::testing {

Mark MemoryStore::mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const {
  const std::lock_guard lock(mutex_);
  const auto system = std::ranges::find(system_, collection, &SystemCollection::number);
  const bool declared = system != system_.end() && std::ranges::find(system->marked, path) != system->marked.end();
  const auto known = std::ranges::find_if(marks_, [&](const MarkedValue& each) {
    return each.project == project && each.collection == collection && each.path == path &&
           doc::equalValues(each.value, value);
  });
  if (known != marks_.end()) return Mark(*known->counter);
  // As in an engine, a value at an undeclared path has a mark that never changes.
  const ProjectNo marked = declared || markedPaths_.contains({project, collection, std::string(path)}) ? project : 0;
  marks_.push_back(
      {marked, collection, std::string(path), doc::Value(value), std::make_unique<std::atomic<uint32_t>>(0)});
  return Mark(*marks_.back().counter);
}

void MemoryStore::moveMarks(const CollectionRef& collection, const std::optional<doc::Document>& document) {
  if (!document) return;
  for (MarkedValue& marked : marks_) {
    if (marked.project != collection.project || marked.collection != collection.number) continue;
    if (doc::Filter::equals(marked.path, marked.value).matches(*document)) ++*marked.counter;
  }
}

Task<> MemoryStore::markPath(ProjectNo project, CollectionNo collection, std::string path) {
  const std::lock_guard lock(mutex_);
  CO_RETURN_IF_ERROR(injected());
  markedPaths_.insert({project, collection, std::move(path)});
  co_return Result<>();
}

}  // namespace mb::store::testing
