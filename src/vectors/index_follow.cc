// The part of VectorIndexManager that fills an index: from documents, embeddings and the change log.
#include <ranges>
#include <unordered_set>

#include "base/log.h"
#include "data/vector_fields.h"
#include "store/records.h"
#include "vectors/embedding_rows.h"
#include "vectors/vector_index_manager.h"

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

constexpr uint64_t kPage = 256;

store::Deadline followDeadline() {
  return std::chrono::steady_clock::now() + 10s;
}

// The vector in the document's field; empty if the document has no valid one.
std::vector<float> vectorIn(doc::DocumentView document, const VectorField& field) {
  const auto value = document.find(field.config.name);
  if (!value) return {};
  auto vector = data::vectorOf(*value, field.dimensions());
  return vector ? *std::move(vector) : std::vector<float>();
}

}  // namespace

Task<> VectorIndexManager::build(LiveIndexPtr live) {
  const auto begun = steadyMs();
  live->setIndex(std::make_shared<VectorIndex>(live->options));
  live->done = 0;
  live->seq.clear();
  // Changes from here on are applied after the walk, whether the walk has read them or not.
  const uint64_t position = deps_.feed.lastPosition(live->place.project);
  CO_TRY(const store::CollectionStats stats,
         co_await deps_.store.stats({live->place.project, live->place.collection, 0}));
  live->expected = stats.documents;
  if (live->place.field->automatic) {
    CO_RETURN_IF_ERROR(co_await buildOfEmbeddings(live));
  } else {
    CO_RETURN_IF_ERROR(co_await buildOfDocuments(live));
  }
  live->setPosition(position);
  logInfo("vector index built", {{"project", live->place.project},
                                 {"field", live->place.field->config.name},
                                 {"vectors", live->vectors.load()},
                                 {"ms", steadyMs() - begun}});
  live->unsaved = std::max<uint64_t>(live->unsaved, 1);
  live->unsavedSinceMs = 1;  // saved at once
  co_return Result<>();
}

Task<> VectorIndexManager::buildOfDocuments(LiveIndexPtr live) {
  std::string after;
  while (!stopped(*live)) {
    store::Query query;
    query.collection = {live->place.project, live->place.collection, 0};
    query.paged = true;
    query.after = after;
    query.limit = kPage;
    query.deadline = followDeadline();
    CO_TRY(store::QueryResult found, co_await deps_.store.find(std::move(query)));
    std::vector<Update> updates;
    for (const doc::Document& document : found.documents) {
      std::vector<float> vector = vectorIn(document, *live->place.field);
      if (!vector.empty()) updates.push_back({std::string(document.view().stringOr("id")), std::move(vector)});
    }
    CO_RETURN_IF_ERROR(co_await apply(live, std::move(updates)));
    live->done += found.documents.size();
    if (!found.more && found.documents.size() < kPage) co_return Result<>();
    after = std::move(found.next);
  }
  co_return fail(ErrorCode::unavailable, "the vector index was closed");
}

Task<> VectorIndexManager::buildOfEmbeddings(LiveIndexPtr live) {
  while (!stopped(*live)) {
    CO_TRY(const bool more, co_await followEmbeddings(live));
    if (!more) co_return Result<>();
  }
  co_return fail(ErrorCode::unavailable, "the vector index was closed");
}

Task<bool> VectorIndexManager::followEmbeddings(LiveIndexPtr live) {
  const VectorField& field = *live->place.field;
  const uint64_t commits = live->commits();
  CO_TRY(const std::vector<EmbeddingRow> rows,
         co_await rowsBehind(deps_.store, live->place.project, field.id, live->seq, kPage));
  std::vector<Update> updates;
  for (const EmbeddingRow& row : rows) {
    updates.push_back({std::string(documentOf(row)), unpacked(row, field.dimensions())});
  }
  CO_RETURN_IF_ERROR(co_await apply(live, std::move(updates)));
  if (!rows.empty()) live->seq = rows.back().seq;
  live->done += rows.size();
  const bool more = rows.size() == kPage;
  if (!more) live->setApplied(commits);
  co_return more;
}

Task<bool> VectorIndexManager::follow(LiveIndexPtr live, bool& rebuild) {
  const uint64_t from = live->position();
  CO_TRY(store::ChangeBatch batch, co_await deps_.feed.changes(live->place.project, from, store::kMaxChanges));
  const uint64_t last = deps_.feed.lastPosition(live->place.project);
  if (batch.lostUpTo != 0 || std::ranges::any_of(batch.entries, &store::ChangeEntry::isGap)) {
    logInfo("changes before the position of a vector index are missing in the log; the index is rebuilt",
            {{"project", live->place.project}, {"field", live->place.field->config.name}});
    rebuild = true;
    co_return true;
  }
  bool more = false;
  if (batch.through != from) {
    CO_TRY(std::vector<Update> updates, co_await updatesOf(live, std::move(batch.entries)));
    CO_RETURN_IF_ERROR(co_await apply(live, std::move(updates)));
    live->setPosition(batch.through);
    more = batch.through < last;
  }
  if (live->place.field->automatic) {
    CO_TRY(const bool embeddings, co_await followEmbeddings(live));
    more = more || embeddings;
  }
  co_return more;
}

// In mode auto the vector of a changed document is read from its current row, which may be written later.
Task<std::vector<VectorIndexManager::Update>> VectorIndexManager::updatesOf(LiveIndexPtr live,
                                                                            std::vector<store::ChangeEntry> entries) {
  const VectorField& field = *live->place.field;
  std::vector<Update> updates;
  std::vector<std::string> ids;
  std::vector<std::string> rowIds;
  std::unordered_set<std::string_view> seen;
  // Only the last change of a document counts.
  for (const store::ChangeEntry& entry : std::views::reverse(entries)) {
    if (entry.collection != live->place.collection || !seen.insert(entry.id).second) continue;
    if (field.automatic && entry.after) {
      ids.push_back(entry.id);
      rowIds.push_back(rowIdOf(field.id, entry.id));
    } else {
      updates.push_back({entry.id, entry.after ? vectorIn(*entry.after, field) : std::vector<float>()});
    }
  }
  if (rowIds.empty()) co_return updates;
  CO_TRY(const auto rows, co_await deps_.store.getMany(embeddingsOf(live->place.project), rowIds));
  for (size_t i = 0; i < rows.size(); ++i) {
    CO_TRY(const std::optional<EmbeddingRow> row, store::fromStore<EmbeddingRow>(rows[i]));
    std::vector<float> vector = row ? unpacked(*row, field.dimensions()) : std::vector<float>();
    if (!vector.empty()) updates.push_back({ids[i], std::move(vector)});
  }
  co_return updates;
}

Task<> VectorIndexManager::apply(LiveIndexPtr live, std::vector<Update> updates) {
  if (updates.empty()) co_return Result<>();
  const std::shared_ptr<VectorIndex> index = live->index();
  CO_TRY(const uint64_t changed,
         co_await deps_.pool.run([live, index, updates = std::move(updates)]() -> Result<uint64_t> {
           uint64_t count = 0;
           for (const Update& update : updates) {
             if (live->dropped) break;
             Result<> put;
             if (!update.vector.empty()) put = index->put(update.id, update.vector);
             // An invalid vector counts as absent.
             if (!put && put.error().code() != ErrorCode::validation) return fail(std::move(put).error());
             if (!put || update.vector.empty()) {
               if (!index->remove(update.id)) continue;
             }
             ++count;
           }
           return count;
         }));
  live->vectors = index->size();
  live->bytes = index->bytes();
  if (changed > 0) {
    live->unsaved += changed;
    if (live->unsavedSinceMs == 0) live->unsavedSinceMs = steadyMs();
  }
  co_return co_await evictUntilFits(live);
}

}  // namespace mb::vectors
