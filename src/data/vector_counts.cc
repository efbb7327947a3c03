#include "data/vector_counts.h"

#include <algorithm>

namespace mb::data {

std::vector<store::SystemCollection> vectorCountCollections() {
  store::SystemCollection counts{kVectorCounts, "__vector_counts", {}};
  counts.counters = {{kVectors, std::string(kVectorsCounter), "vectors"}};
  return {std::move(counts), {kVectorCountWalks, "__vector_count_walks", {}}};
}

std::string vectorCountId(store::CollectionNo collection, std::string_view document) {
  return fmt::format("{}/{}", collection, document);
}

int64_t heldVectors(const std::vector<ManualVectorField>& fields, doc::DocumentView document) {
  return std::ranges::count_if(fields, [&](const ManualVectorField& field) {
    const auto value = document.find(field.name);
    return value && value->type() != doc::BsonType::null;
  });
}

std::optional<doc::Document> vectorCountRow(std::string id, int64_t vectors) {
  if (vectors == 0) return std::nullopt;
  doc::BsonWriter out;
  out.appendString("id", id);
  out.appendInteger("vectors", vectors);
  return out.finish();
}

int64_t vectorsIn(const std::optional<doc::Document>& row) {
  const auto vectors = row ? row->view().find("vectors") : std::nullopt;
  return vectors ? vectors->toInteger().value_or(0) : 0;
}

void VectorRows::name(store::Write& write, store::Target document, std::string_view id, bool idIsNew) {
  if (collection_->manualVectors.empty()) return;
  std::string rowId = vectorCountId(collection_->ref.number, id);
  const store::Target row = write.change(store::WriteTarget{vectorCountsOf(collection_->ref.project), rowId, idIsNew});
  rows_.push_back({document, row, std::move(rowId)});
}

void VectorRows::follow(const store::PreImages& before, store::Changes& changes) const {
  for (const Row& each : rows_) changes.set(each.row, changeOf(each, before, changes.all()[each.document.position()]));
}

store::Change VectorRows::changeOf(const Row& row, const store::PreImages& before, const store::Change& change) const {
  if (change.kind == store::Change::Kind::keep) return store::Change::keep();
  if (change.kind == store::Change::Kind::remove) return store::Change::remove();
  const int64_t counted = vectorsIn(before[row.row]);
  const int64_t held = heldVectors(collection_->manualVectors, change.after);
  if (held == counted) return store::Change::keep();
  const std::optional<doc::Document>& document = before[row.document];
  const int64_t heldBefore = document ? heldVectors(collection_->manualVectors, *document) : 0;
  if (held > counted && held <= heldBefore) return store::Change::keep();
  std::optional<doc::Document> next = vectorCountRow(row.id, held);
  return next ? store::Change::put(*std::move(next)) : store::Change::remove();
}

}  // namespace mb::data
