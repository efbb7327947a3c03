#include "vectors/vector_kind.h"

#include <set>

namespace mb::vectors {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

Entry entryOf(CollectionConfigView view) {
  view.fields = canonical({std::move(view.fields)}).fields;
  doc::BsonWriter out;
  doc::encodeValue(out, "", view);
  const doc::Document whole = out.finish();
  return {std::move(view.collection), doc::Value(whole.view().begin()->value)};
}

std::optional<CollectionConfigView> viewAt(doc::ValueView value, const std::string& pointer, bool embeds,
                                           Problems& problems) {
  if (!configuration::isEntry(value, pointer, problems)) return std::nullopt;
  CollectionConfigView view;
  std::vector<ErrorDetail> details;
  doc::decodeValue(view, value, pointer, doc::UnknownFields::refuse, details);
  if (details.empty()) {
    for (ErrorDetail& each : problemsOf({view.fields}, embeds)) details.push_back({pointer + each.path, each.message});
  }
  for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
  return details.empty() ? std::optional(std::move(view)) : std::nullopt;
}

// The collections that there will be: the project's, and those that the document makes.
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

Task<std::vector<Entry>> VectorKind::merged(Source source, const std::vector<Entry>&, Problems& problems) {
  const std::set<std::string> collections = collectionsOf(vectors_.collections(*source.project), source.document);
  std::set<std::string> seen;
  std::vector<Entry> merged;
  configuration::Breather breather;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await breather.breathe();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<CollectionConfigView> view = viewAt(value, pointer, vectors_.embeds(), problems);
    if (!view) continue;
    if (!seen.insert(view->collection).second) {
      problems.add(pointer + "/collection", fmt::format("\"{}\" stands here twice", view->collection));
    } else if (!collections.contains(view->collection)) {
      problems.add(pointer + "/collection", "is no collection of the project, nor of the document");
    }
    merged.push_back(entryOf(*std::move(view)));
  }
  co_return merged;
}

std::vector<std::string> VectorKind::permissionsFor(const Change& change) const {
  if (change.action == configuration::Action::unchanged) return {};
  return {"collections:manage"};
}

Task<> VectorKind::apply(configuration::Target target, std::vector<Change> changes) {
  for (const Change& change : changes) {
    CO_CHECK(configuration::checkTime(target));
    CO_TRY(CollectionConfigView view, doc::decode<CollectionConfigView>(change.after.view().asDocument()));
    const Result<> done = co_await vectors_.set({target.caller, target.project}, change.name, {std::move(view.fields)});
    if (!done) co_return fail(configuration::about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::vectors
