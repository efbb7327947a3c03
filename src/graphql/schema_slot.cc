#include "graphql/schema_slot.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "data/reach.h"

namespace mb::graphql {

namespace {

// The rights that decide which collections a caller can reach: its permissions, and whether a wildcard data:…:admin
// counts for it (Caller::adminOf).
std::string rightsOf(const policy::Caller& caller) {
  if (caller.kind == policy::CallerKind::anonymous) return "anonymous";
  std::string rights = caller.isAdminByWildcard() ? "admin" : "";
  for (const std::string& permission : caller.permissions->list()) {
    rights += '\n';
    rights += permission;
  }
  return rights;
}

}  // namespace

std::shared_ptr<const Schema> SchemaSlot::schema(const snapshot::ProjectSnapshot& project) const {
  {
    const std::lock_guard lock(mutex_);
    if (built_) return built_;
  }
  auto built = source_.schemaFor(project);
  const std::lock_guard lock(mutex_);
  if (!built_) built_ = std::move(built);
  return built_;
}

std::shared_ptr<const Schema> SchemaSlot::known(const policy::Caller& caller) const {
  const std::string rights = rightsOf(caller);
  const std::lock_guard lock(mutex_);
  const auto* found = variants_.find(rights);
  return found ? *found : nullptr;
}

std::shared_ptr<const Schema> SchemaSlot::schemaFor(const snapshot::ProjectSnapshot& project,
                                                    const policy::Caller& caller) const {
  std::string rights = rightsOf(caller);
  {
    const std::lock_guard lock(mutex_);
    if (const auto* known = variants_.find(rights)) return *known;
  }
  std::vector<std::string> hidden = source_.hiddenFrom(project, caller);
  auto built = hidden.empty() ? schema(project) : source_.schemaFor(project, std::move(hidden));
  const std::lock_guard lock(mutex_);
  return variants_.put(std::move(rights), std::move(built));
}

Task<std::shared_ptr<const void>> SchemaSource::load(snapshot::ProjectInfo) {
  co_return std::shared_ptr<const void>(std::make_shared<const SchemaSlot>(*this));
}

std::vector<std::string> SchemaSource::hiddenFrom(const snapshot::ProjectSnapshot& project,
                                                  const policy::Caller& caller) const {
  std::vector<std::string> hidden;
  for (const auto& [name, collection] : project.get(collections_).byName) {
    if (!data::isReachable(caller, *collection)) hidden.push_back(name);
  }
  std::ranges::sort(hidden);
  return hidden;
}

std::shared_ptr<const Schema> SchemaSource::schemaFor(const snapshot::ProjectSnapshot& project,
                                                      std::vector<std::string> hidden) const {
  std::vector<data::CollectionPtr> collections;
  for (const auto& [name, collection] : project.get(collections_).byName) collections.push_back(collection);
  std::ranges::sort(collections, {}, [](const auto& each) { return each->info.number; });
  const std::vector<std::string> searchable = search_ ? search_->searchFields(project) : std::vector<std::string>();
  const std::vector<std::string>& profileFields = project.get(collections_).profileFields.all.paths();

  // Two sets of hidden collections with the same hash replace each other in the cache; the comparison below detects it.
  const size_t hash = std::hash<std::string>()(fmt::format("{}", fmt::join(hidden, "\n")));
  const std::string key = fmt::format("{} {}", project.info().number, hash);
  {
    const std::lock_guard lock(mutex_);
    const auto* known = recent_.find(key);
    const auto before = known ? known->lock() : nullptr;
    if (before && before->collections() == collections && before->searchable() == searchable &&
        before->hidden() == hidden && before->profileFields() == profileFields) {
      return before;
    }
  }
  auto schema = Schema::build(std::move(collections), searchable, std::move(hidden), profileFields);
  const std::lock_guard lock(mutex_);
  recent_.put(key, schema);
  return schema;
}

}  // namespace mb::graphql
