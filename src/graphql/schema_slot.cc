#include "graphql/schema_slot.h"

#include <algorithm>

namespace mb::graphql {

std::shared_ptr<const Schema> SchemaPlace::schema(const snapshot::ProjectSnapshot& project) const {
  const std::lock_guard lock(mutex_);
  if (!built_) built_ = source_.schemaFor(project);
  return built_;
}

Task<std::shared_ptr<const void>> SchemaSource::load(snapshot::ProjectInfo) {
  co_return std::shared_ptr<const void>(std::make_shared<const SchemaPlace>(*this));
}

std::shared_ptr<const Schema> SchemaSource::schemaFor(const snapshot::ProjectSnapshot& project) const {
  std::vector<data::CollectionPtr> collections;
  for (const auto& [name, collection] : project.get(collections_).byName) collections.push_back(collection);
  std::ranges::sort(collections, {}, [](const auto& each) { return each->info.number; });
  const std::vector<std::string> searchable = search_ ? search_->searchFields(project) : std::vector<std::string>();

  const std::string number = std::to_string(project.info().number);
  {
    const std::lock_guard lock(mutex_);
    const auto* known = recent_.find(number);
    const auto before = known ? known->lock() : nullptr;
    if (before && before->collections() == collections && before->searchable() == searchable) return before;
  }
  auto schema = Schema::build(std::move(collections), searchable);
  const std::lock_guard lock(mutex_);
  recent_.put(number, schema);
  return schema;
}

}  // namespace mb::graphql
