#include "vectors/embedding_jobs.h"

#include <algorithm>

#include "base/log.h"
#include "store/records.h"

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxBatchBytes = 256 << 10;  // of texts
constexpr auto kCallLimit = 60s;
constexpr size_t kUsualBytes = 300;
constexpr uint64_t kSweptAtOnce = 200;

store::Deadline soon() {
  return std::chrono::steady_clock::now() + 10s;
}

store::WriteOptions asServer() {
  return {.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}};
}

// `what` identifies the job within the field. The id contains the project, as a project that was restored next to its
// original has fields of the same ids.
jobs::JobSpec specOf(const snapshot::ProjectInfo& project, const std::string& field, const std::string& what) {
  jobs::JobSpec spec;
  spec.kind = kEmbeddingKind;
  spec.project = project.number;
  spec.id = fmt::format("embedding/{}/{}/{}", project.number, field, what);
  spec.group = field;
  return spec;
}

// A document of a batch and the row of its embedding.
struct Rows {
  store::Target document;
  store::Target row;
};

struct RowPut {
  store::Target target;
  doc::Document document;
};

std::string textOf(const VectorField& field, const std::optional<doc::Document>& document) {
  return document ? field.source.of(*document) : std::string();
}

}  // namespace

EmbeddingJobs::EmbeddingJobs(EmbeddingJobsDeps deps) : deps_(deps) {
  jobs::Kind kind;
  kind.name = kEmbeddingKind;
  kind.handler = [this](jobs::JobRun run) { return this->run(std::move(run)); };
  kind.backoff = {1s, 5s, 30s, 2min, 10min, 30min, 60min, 120min};
  kind.timeout = 90s;
  kind.concurrency = 8;
  kind.perProject = 2;
  kind.perGroup = 1;
  deps_.queue.declare(std::move(kind));
}

bool EmbeddingJobs::follows(const snapshot::ProjectSnapshot& project) const {
  return project.get(deps_.slot).anyAutomatic;
}

void EmbeddingJobs::jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
                            std::vector<events::FollowUp>& jobs) const {
  const VectorTable& table = project.get(deps_.slot);
  const auto found = table.byNumber.find(change.collection);
  if (found == table.byNumber.end()) return;
  for (const VectorFieldPtr& field : found->second->fields) {
    if (!field->automatic) continue;
    const bool same = change.before && change.after && textOf(*field, change.before) == textOf(*field, change.after);
    if (same || (!change.before && textOf(*field, change.after).empty())) continue;
    jobs::JobSpec spec = specOf(project.info(), field->id, fmt::to_string(change.position));
    EmbeddingJob job{project.info().id.str(), field->id, "document", change.id, ""};
    jobs.push_back({std::move(spec), kUsualBytes, [job = std::move(job)] { return doc::encode(job); }});
  }
}

Async<void> EmbeddingJobs::committed(snapshot::SnapshotPtr, std::vector<std::string>) {
  co_return;
}

jobs::JobSpec EmbeddingJobs::walkOf(const snapshot::ProjectInfo& project, const VectorField& field) const {
  jobs::JobSpec spec = specOf(project, field.id, "walk/" + deps_.ids.next());
  spec.payload = doc::encode(EmbeddingJob{project.id.str(), field.id, "walk", "", field.fingerprint});
  return spec;
}

jobs::JobSpec EmbeddingJobs::sweepOf(const snapshot::ProjectInfo& project, const std::string& fieldId) const {
  jobs::JobSpec spec = specOf(project, fieldId, "sweep");
  spec.payload = doc::encode(EmbeddingJob{project.id.str(), fieldId, "sweep", "", ""});
  return spec;
}

// ---- running

Task<> EmbeddingJobs::run(jobs::JobRun run) {
  CO_TRY(EmbeddingJob job, store::fromStore<EmbeddingJob>(run.payload.view()));
  Batch batch;
  CO_TRY(batch.project, co_await deps_.snapshots.find(job.project));
  if (!batch.project) co_return Result<>();
  const auto& fields = batch.project->get(deps_.slot).byFieldId;
  const auto found = fields.find(job.field);
  if (job.what == "sweep") {
    if (found != fields.end()) co_return Result<>();
    co_return co_await runSweep(std::move(run), std::move(job));
  }
  if (found == fields.end() || !found->second.field->automatic) co_return Result<>();
  batch.target = found->second;
  if (job.what == "walk") co_return co_await runWalk(std::move(run), std::move(job), std::move(batch));
  co_return co_await runDocument(std::move(run), std::move(job), std::move(batch));
}

Task<> EmbeddingJobs::runDocument(jobs::JobRun run, EmbeddingJob job, Batch batch) {
  batch.items.push_back({job.document, {}});
  // A job that failed before runs alone: the endpoint may have rejected the text of another document.
  if (run.attempt == 1) {
    CO_TRY(std::vector<jobs::WaitingJob> others,
           co_await deps_.queue.oldest(std::string(kEmbeddingKind), run.project, job.field, kMaxTexts - 1));
    for (jobs::WaitingJob& other : others) {
      CO_TRY(EmbeddingJob payload, store::fromStore<EmbeddingJob>(other.payload.view()));
      if (other.failedAttempts > 0 || payload.what != "document") continue;
      batch.items.push_back({std::move(payload.document), {std::move(other.id)}});
    }
  }
  CO_RETURN_IF_ERROR(co_await loadItems(batch));
  Result<> embedded = co_await embed(batch, run.deadline);
  if (!embedded && embedded.error().code() == ErrorCode::upstreamRejected && batch.items.size() > 1) {
    batch.items.resize(1);
    embedded = co_await embed(batch, run.deadline);
  }
  if (!embedded) co_return embedded;
  co_return co_await commit(batch, run);
}

// Subscribes to the project's changes before its documents are read, so that no change is missed.
Task<> EmbeddingJobs::joinEvents(const snapshot::ProjectInfo& project) {
  CO_TRY(const events::Dispatcher::Joining joining, co_await deps_.dispatcher.join(project));
  store::Write write(asServer());
  const store::Target cursor = write.change(joining.target());
  const auto done = co_await deps_.store.write(
      std::move(write), [cursor, joining](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(store::Change joins, joining.change(before[cursor]));
        changes.set(cursor, std::move(joins));
        return {};
      });
  deps_.dispatcher.joined(joining);
  if (!done) co_return fail(done.error().clone());
  co_return Result<>();
}

Task<> EmbeddingJobs::runWalk(jobs::JobRun run, EmbeddingJob job, Batch batch) {
  const VectorField& field = *batch.target.field;
  // The config has changed since; another walk covers it.
  if (job.fingerprint != field.fingerprint) co_return Result<>();
  if (job.document.empty()) CO_RETURN_IF_ERROR(co_await joinEvents(batch.project->info()));
  store::Query query;
  query.collection = {run.project, batch.target.collection->number, 0};
  // After a failure, one document at a time: only the texts that the endpoint rejects are skipped.
  const uint64_t limit = run.attempt == 1 ? kMaxTexts : 1;
  query.limit = limit;
  query.paged = true;
  query.after = job.document;
  query.deadline = soon();
  CO_TRY(const store::QueryResult page, co_await deps_.store.find(std::move(query)));
  for (const doc::Document& document : page.documents) {
    batch.items.push_back({std::string(document.view().stringOr("id")), {}});
  }
  batch.walked = !page.more && batch.items.size() < limit;
  if (!batch.walked) {
    job.document = batch.items.back().document;
    batch.next = specOf(batch.project->info(), field.id, "walk/" + deps_.ids.next());
    batch.next->payload = doc::encode(job);
  }
  CO_RETURN_IF_ERROR(co_await loadItems(batch));
  Result<> embedded = co_await embed(batch, run.deadline);
  if (!embedded && (embedded.error().code() != ErrorCode::upstreamRejected || run.attempt == 1)) co_return embedded;
  if (!embedded) {
    logWarn("the embeddings endpoint rejected a document's text; the document has no embedding",
            {{"project", job.project}, {"field", field.config.name}, {"cause", embedded.error().cause()}});
    for (Item& item : batch.items) item.needsEmbedding = false;
  }
  co_return co_await commit(batch, run);
}

Task<> EmbeddingJobs::runSweep(jobs::JobRun run, EmbeddingJob job) {
  while (std::chrono::steady_clock::now() < run.deadline) {
    CO_TRY(const std::vector<EmbeddingRow> rows,
           co_await rowsBehind(deps_.store, run.project, job.field, "", kSweptAtOnce));
    store::Write write(asServer());
    std::vector<store::Target> targets;
    for (const EmbeddingRow& row : rows) targets.push_back(write.change(embeddingsOf(run.project), row.id));
    targets.push_back(write.change({run.project, kWalks, 0}, job.field));
    CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(targets))));
    if (rows.size() < kSweptAtOnce) co_return Result<>();
  }
  co_return fail(ErrorCode::unavailable, "the deadline of the sweep has passed");
}

// ---- a batch

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
  size_t bytes = 0;
  size_t kept = 0;
  for (size_t i = 0; i < batch.items.size(); ++i) {
    Item& item = batch.items[i];
    const auto& row = rows[i];
    item.text = textOf(field, documents[i]);
    item.hash = documents[i] ? field.hashOf(item.text) : "";
    item.needsEmbedding = !item.text.empty() && (!row || row->view().stringOr("hash") != item.hash);
    bytes += item.text.size();
    if (i > 0 && bytes > kMaxBatchBytes && !batch.next && !batch.walked) break;
    ++kept;
  }
  batch.items.resize(kept);
  co_return Result<>();
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
                                       const std::optional<doc::Document>& row) const {
  if (!document) return row ? store::Change::remove() : store::Change::keep();
  const std::string text = field.source.of(*document);
  if (field.hashOf(text) != item.hash) return store::Change::keep();
  if (row && row->view().stringOr("hash") == item.hash) return store::Change::keep();
  if (!text.empty() && item.vector.empty()) return store::Change::keep();
  EmbeddingRow next;
  next.id = rowIdOf(field.id, item.document);
  next.state = stateOf(field);
  // Created under the locks: a run that was overtaken while it waited for them must not commit a sequence number below
  // what the index has already read.
  next.seq = rowIdOf(field.id, deps_.ids.next());
  next.hash = item.hash;
  if (!item.vector.empty()) next.vector = packed(item.vector);
  return store::Change::put(doc::encode(next));
}

Task<> EmbeddingJobs::commit(Batch& batch, const jobs::JobRun& run) {
  const store::ProjectNo project = batch.project->info().number;
  const store::CollectionRef collection{project, batch.target.collection->number, batch.target.collection->version};
  store::Write write(asServer());
  std::vector<Rows> rows;  // in the order of the items
  for (const Item& item : batch.items) {
    const store::Target document = write.hold(collection, item.document);
    rows.push_back({document, write.change(embeddingsOf(project), rowIdOf(batch.target.field->id, item.document))});
  }
  const store::Target ownJob = write.change(jobs::Queue::rowOf(run));
  std::vector<store::Target> doneJobs{ownJob};
  for (const Item& item : batch.items) {
    for (const std::string& id : item.jobs) {
      jobs::JobRun other;
      other.id = id;
      doneJobs.push_back(write.change(jobs::Queue::rowOf(other)));
    }
  }
  std::vector<RowPut> onWalk;
  std::vector<std::string> wakes;
  if (batch.next) {
    CO_TRY(store::Insert next, deps_.queue.insertOf(*std::move(batch.next)));
    wakes.push_back(next.id());
    const store::Target target = write.create(next.collection, next.id());
    onWalk.push_back({target, std::move(next.document)});
  }
  if (batch.walked) {
    const std::string& field = batch.target.field->id;
    onWalk.push_back(
        {write.change({project, kWalks, 0}, field), doc::encode(WalkRow{field, batch.target.field->fingerprint})});
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [ownJob, &self = std::as_const(*this), &batch = std::as_const(batch), &rows = std::as_const(rows),
       &doneJobs = std::as_const(doneJobs),
       &onWalk = std::as_const(onWalk)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        for (size_t i = 0; i < rows.size(); ++i) {
          const auto& [document, row] = rows[i];
          changes.set(row, self.rowChange(*batch.target.field, batch.items[i], before[document], before[row]));
        }
        for (const store::Target job : doneJobs) changes.remove(job);
        // If the job's row no longer exists, another run has already continued the walk.
        if (!before[ownJob]) return {};
        for (const RowPut& each : onWalk) changes.put(each.target, each.document);
        return {};
      }));
  if (!wakes.empty()) deps_.queue.wake(std::move(wakes));
  deps_.indexes.embedded(project, batch.target.field->id);
  co_return Result<>();
}

}  // namespace mb::vectors
