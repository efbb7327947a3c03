#include "vectors/vector_kind.h"

#include <set>

#include "store/configuration_limits.h"

namespace mb::vectors {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

Entry entryOf(CollectionConfigView view) {
  view.fields = canonical({std::move(view.fields)}).fields;
  return configuration::entryShowing(view.collection, view);
}

// The collections after the import: those of the project, and those that the document creates.
std::set<std::string> collectionsOf(const data::CollectionTable& table, doc::DocumentView document) {
  std::set<std::string> names;
  for (std::string& name : table.names()) names.insert(std::move(name));
  const auto section = document.find("collections");
  if (!section || section->type() != doc::BsonType::array) return names;
  for (const doc::Element& each : section->asDocument()) {
    if (each.value.type() == doc::BsonType::document) names.emplace(each.value.asDocument().stringOr("name"));
  }
  return names;
}

}  // namespace

Task<std::vector<Entry>> VectorKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (CollectionConfigView& view : vectors_.list(*project)) entries.push_back(entryOf(std::move(view)));
  co_return entries;
}

Task<std::vector<Entry>> VectorKind::merged(Source source, const std::vector<Entry>& existing, Problems& problems) {
  const std::set<std::string> collections = collectionsOf(vectors_.collections(*source.project), source.document);
  std::set<std::string> seen;
  std::vector<Entry> merged;
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    auto view = configuration::entryAt<CollectionConfigView>(
        value, pointer, problems,
        [this](const CollectionConfigView& each) { return problemsOf({each.fields}, vectors_.embeds()); });
    if (!view) continue;
    if (!seen.insert(view->collection).second) {
      problems.add(pointer + "/collection", fmt::format("\"{}\" is a duplicate: remove it", view->collection));
    } else if (!collections.contains(view->collection)) {
      problems.add(pointer + "/collection", "must name a collection of the project or of the document");
    }
    merged.push_back(entryOf(*std::move(view)));
  }
  const auto created = std::ranges::count_if(
      seen, [&](const std::string& name) { return std::ranges::find(existing, name, &Entry::name) == existing.end(); });
  if (created > 0 && existing.size() + static_cast<size_t>(created) > store::kMaxVectorConfigs) {
    problems.add("/vectors",
                 fmt::format("would make more than {} {}", store::kMaxVectorConfigs, store::kVectorConfigs));
  }
  co_return merged;
}

Task<> VectorKind::applyOne(configuration::Target target, Change change) {
  CO_TRY(CollectionConfigView view, doc::decode<CollectionConfigView>(change.after.view().asDocument()));
  co_return co_await vectors_.set({target.caller, target.project}, change.name, {std::move(view.fields)});
}

}  // namespace mb::vectors
