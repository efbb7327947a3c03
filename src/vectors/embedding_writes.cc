// A batch of documents from their texts to the commit of their embeddings.
#include "vectors/embedding_writes.h"

#include <algorithm>

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxBatchBytes = 256 << 10;  // of texts
constexpr auto kCallLimit = 60s;
// Commits of one batch that the plan's limit refuses, before nothing more is added.
constexpr int kMaxRefusals = 5;

// A document of a batch and the row of its embedding.
struct Rows {
  store::Target document;
  store::Target row;
};

// What a commit does beyond the rows of its documents.
struct Progress {
  store::Target ownJob;
  std::vector<store::Target> doneJobs;
  std::optional<std::pair<store::Target, doc::Document>> next;  // the walk's next job
  store::Target walk;                                           // the field's WalkRow
  std::optional<std::pair<store::Target, doc::Document>> heldWalk;
};

}  // namespace

Task<> EmbeddingJobs::loadItems(Batch& batch) {
  const store::ProjectNo project = batch.project->info().number;
  const VectorField& field = *batch.target.field;
  // A commit may name a document only once.
  std::vector<Item> distinct;
  for (Item& item : batch.items) {
    const auto known = std::ranges::find(distinct, item.document, &Item::document);
    if (known == distinct.end()) {
      distinct.push_back(std::move(item));
    } else {
      std::ranges::move(item.jobs, std::back_inserter(known->jobs));
    }
  }
  batch.items = std::move(distinct);
  std::vector<std::string> ids;
  std::vector<std::string> rowIds;
  for (const Item& item : batch.items) {
    ids.push_back(item.document);
    rowIds.push_back(rowIdOf(field.id, item.document));
  }
  const store::CollectionRef collection{project, batch.target.collection->number, 0};
  CO_TRY(const auto documents, co_await deps_.store.getMany(collection, ids));
  CO_TRY(const auto rows, co_await deps_.store.getMany(embeddingsOf(project), rowIds));
  CO_TRY(batch.lastRow, co_await highestNumber(deps_.store, project, field.id));
  size_t bytes = 0;
  size_t kept = 0;
  for (size_t i = 0; i < batch.items.size(); ++i) {
    Item& item = batch.items[i];
    const auto& row = rows[i];
    item.text = textOf(field, documents[i]);
    item.hash = documents[i] ? field.hashOf(item.text) : "";
    item.hasVector = row && hasVector(*row);
    item.needsEmbedding = !item.text.empty() && (!row || row->view().stringOr("hash") != item.hash);
    bytes += item.text.size();
    if (i > 0 && bytes > kMaxBatchBytes && !batch.next && !batch.walked) break;
    ++kept;
  }
  batch.items.resize(kept);
  co_return Result<>();
}

Task<> EmbeddingJobs::holdBack(Batch& batch) {
  const std::optional<int64_t> max = deps_.quota.max(*batch.project);
  if (!max || std::ranges::none_of(batch.items, &Item::adds)) co_return Result<>();
  CO_TRY(const int64_t use, co_await deps_.quota.use(batch.project->info().number));
  holdBeyond(batch, *max - use + std::ranges::count_if(batch.items, &Item::frees));
  co_return Result<>();
}

void EmbeddingJobs::holdBeyond(Batch& batch, int64_t space) {
  for (Item& item : batch.items) {
    if (!item.adds() || space-- > 0) continue;
    item.held = true;
    item.needsEmbedding = false;
    item.vector.clear();
  }
  if (!batch.stopsAtHeld) return;
  const auto first = std::ranges::find_if(batch.items, &Item::held);
  if (first == batch.items.end()) return;
  batch.items.erase(first, batch.items.end());
  batch.next.reset();
  batch.walked = false;
  batch.stopped = true;
}

Task<> EmbeddingJobs::embed(Batch& batch, store::Deadline deadline) {
  std::vector<std::string> texts;
  for (const Item& item : batch.items) {
    if (item.needsEmbedding) texts.push_back(item.text);
  }
  if (texts.empty()) co_return Result<>();
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()) - 15s;
  const auto timeout = std::clamp<std::chrono::milliseconds>(left, 1s, kCallLimit);
  CO_TRY(TextVectors vectors, co_await deps_.embedder.embed(std::move(texts), batch.target.field->dimensions(),
                                                            {batch.project->info().id.str(), "embeddings"}, timeout));
  size_t at = 0;
  for (Item& item : batch.items) {
    if (item.needsEmbedding) item.vector = std::move(vectors[at++]);
  }
  co_return Result<>();
}

// Called with the locks of the document and its row held: an embedding of a text that has changed since is discarded.
store::Change EmbeddingJobs::rowChange(const VectorField& field, const Item& item,
                                       const std::optional<doc::Document>& document,
                                       const std::optional<doc::Document>& row, int64_t& last) {
  if (!document) return row ? store::Change::remove() : store::Change::keep();
  const std::string text = field.source.of(*document);
  if (field.hashOf(text) != item.hash) return store::Change::keep();
  if (row && row->view().stringOr("hash") == item.hash) return store::Change::keep();
  if (!text.empty() && item.vector.empty()) return store::Change::keep();
  EmbeddingRow next;
  next.id = rowIdOf(field.id, item.document);
  next.state = stateOf(field);
  next.seq = seqOf(field.id, ++last);
  next.hash = item.hash;
  if (!item.vector.empty()) next.vector = packed(item.vector);
  return store::Change::put(doc::encode(next));
}

// Another write may have taken the space since holdBack().
Task<> EmbeddingJobs::commitWithin(Batch& batch, const jobs::JobRun& run) {
  for (int refusals = 0;;) {
    if (batch.stopped && batch.items.empty()) co_return Result<>();
    const Result<> done = co_await commit(batch, run);
    if (done) co_return Result<>();
    if (!data::VectorQuota::refused(done.error()) || refusals > kMaxRefusals) co_return fail(done.error().clone());
    if (++refusals < kMaxRefusals) {
      CO_RETURN_IF_ERROR(co_await holdBack(batch));
    } else {
      holdBeyond(batch, 0);
    }
  }
}

Task<> EmbeddingJobs::commit(const Batch& batch, const jobs::JobRun& run) {
  const snapshot::ProjectInfo& info = batch.project->info();
  const store::ProjectNo project = info.number;
  const VectorField& field = *batch.target.field;
  const store::CollectionRef collection{project, batch.target.collection->number, batch.target.collection->version};
  store::WriteOptions options = asServer();
  options.limits = deps_.quota.limits(*batch.project);
  store::Write write(std::move(options));
  std::vector<Rows> rows;  // in the order of the items
  for (const Item& item : batch.items) {
    const store::Target document = write.hold(collection, item.document);
    rows.push_back({document, write.change(embeddingsOf(project), rowIdOf(field.id, item.document))});
  }
  Progress progress{write.change(jobs::Queue::rowOf(run)), {}, {}, write.change({project, kWalks, 0}, field.id), {}};
  for (const Item& item : batch.items) {
    for (const std::string& id : item.jobs) {
      jobs::JobRun other;
      other.id = id;
      progress.doneJobs.push_back(write.change(jobs::Queue::rowOf(other)));
    }
  }
  std::vector<std::string> wakes;
  if (batch.next) {
    CO_TRY(store::Insert next, deps_.queue.insertOf(nextWalk(info, *batch.next)));
    wakes.push_back(next.id());
    const store::Target target = write.create(next.collection, next.id());
    progress.next.emplace(target, std::move(next.document));
  }
  if (batch.holds()) {
    CO_TRY(store::Insert held, deps_.queue.insertOf(walkOf(info, field, true)));
    const store::Target target = write.create(held.collection, held.id());
    progress.heldWalk.emplace(target, std::move(held.document));
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [&batch = std::as_const(batch), &rows = std::as_const(rows), &progress = std::as_const(progress)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        const VectorField& target = *batch.target.field;
        TRY(std::optional<WalkRow> walk, store::fromStore<WalkRow>(before[progress.walk]));
        if (!walk) walk = WalkRow{target.id, "", {}, {}};
        const int64_t first = std::max(walk->rows.value_or(0), batch.lastRow);
        int64_t last = first;
        for (size_t i = 0; i < rows.size(); ++i) {
          const auto& [document, row] = rows[i];
          changes.set(row, rowChange(target, batch.items[i], before[document], before[row], last));
        }
        for (const store::Target job : progress.doneJobs) changes.remove(job);
        if (!batch.stopped) changes.remove(progress.ownJob);
        // If the job's row no longer exists, another run has already continued the walk.
        const bool continues = before[progress.ownJob].has_value();
        if (progress.next && continues) changes.put(progress.next->first, progress.next->second);
        const bool ends = batch.walked && continues;
        const bool holds = progress.heldWalk && !walk->held.value_or(false);
        if (last == first && !ends && !holds) return {};
        if (last != first) walk->rows = last;
        if (ends) walk->fingerprint = target.fingerprint;
        if (holds) {
          walk->held = true;
          changes.put(progress.heldWalk->first, progress.heldWalk->second);
        }
        changes.put(progress.walk, doc::encode(*walk));
        return {};
      }));
  if (!wakes.empty()) deps_.queue.wake(std::move(wakes));
  deps_.indexes.embedded(project, field.id);
  co_return Result<>();
}

}  // namespace mb::vectors
