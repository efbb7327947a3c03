#include "vectors/embedding_jobs.h"

#include <algorithm>

#include "base/log.h"
#include "store/records.h"
#include "vectors/embedding_writes.h"

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

// How long a walk waits that has no space under the plan's limit.
constexpr auto kHeldPause = 30s;
constexpr size_t kUsualBytes = 300;
constexpr uint64_t kSweptAtOnce = 200;

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

jobs::JobSpec EmbeddingJobs::walkOf(const snapshot::ProjectInfo& project, const VectorField& field, bool held) const {
  EmbeddingJob job{project.id.str(), field.id, "walk", "", field.fingerprint};
  if (held) job.held = true;
  jobs::JobSpec spec = nextWalk(project, job);
  if (held) spec.notBefore = Timestamp{deps_.clock.now().ms + std::chrono::milliseconds(kHeldPause).count()};
  return spec;
}

jobs::JobSpec EmbeddingJobs::nextWalk(const snapshot::ProjectInfo& project, const EmbeddingJob& job) const {
  jobs::JobSpec spec = specOf(project, job.field, "walk/" + deps_.ids.next());
  spec.payload = doc::encode(job);
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
  CO_RETURN_IF_ERROR(co_await holdBack(batch));
  Result<> embedded = co_await embed(batch, run.deadline);
  if (!embedded && embedded.error().code() == ErrorCode::upstreamRejected && batch.items.size() > 1) {
    batch.items.resize(1);
    embedded = co_await embed(batch, run.deadline);
  }
  if (!embedded) co_return embedded;
  co_return co_await commitWithin(batch, run);
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
  batch.stopsAtHeld = job.held.value_or(false);
  if (batch.stopsAtHeld) {
    CO_TRY(const bool continues, co_await continuesNow(run, job, batch));
    if (!continues) co_return Result<>();
  }
  if (job.document.empty()) {
    CO_RETURN_IF_ERROR(co_await joinEvents(batch.project->info()));
    CO_RETURN_IF_ERROR(co_await beginWalk(batch));
  }
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
    batch.next = job;
    batch.next->document = batch.items.back().document;
  }
  CO_RETURN_IF_ERROR(co_await loadItems(batch));
  CO_RETURN_IF_ERROR(co_await holdBack(batch));
  Result<> embedded = co_await embed(batch, run.deadline);
  if (!embedded && (embedded.error().code() != ErrorCode::upstreamRejected || run.attempt == 1)) co_return embedded;
  if (!embedded) {
    logWarn("the embeddings endpoint rejected a document's text; the document has no embedding",
            {{"project", job.project}, {"field", field.config.name}, {"cause", embedded.error().cause()}});
    for (Item& item : batch.items) item.needsEmbedding = false;
  }
  CO_RETURN_IF_ERROR(co_await commitWithin(batch, run));
  if (!batch.stopped) co_return Result<>();
  if (!batch.items.empty()) job.document = batch.items.back().document;
  putOff(run, job);
  co_return Result<>();
}

Task<bool> EmbeddingJobs::continuesNow(const jobs::JobRun& run, const EmbeddingJob& job, const Batch& batch) {
  if (!job.document.empty()) {
    // Another one, from the first document on, is in the queue.
    CO_TRY(const auto stored, co_await deps_.store.get({run.project, kWalks, 0}, job.field));
    CO_TRY(const std::optional<WalkRow> row, store::fromStore<WalkRow>(stored));
    if (row && row->held.value_or(false)) co_return false;
  }
  const std::optional<int64_t> max = deps_.quota.max(*batch.project);
  if (!max) co_return true;
  CO_TRY(const int64_t use, co_await deps_.quota.use(run.project));
  if (use < *max) co_return true;
  putOff(run, job);
  co_return false;
}

void EmbeddingJobs::putOff(const jobs::JobRun& run, const EmbeddingJob& job) const {
  const Timestamp dueAt{deps_.clock.now().ms + std::chrono::milliseconds(kHeldPause).count()};
  *run.repetition = jobs::Repetition{dueAt, doc::encode(job)};
}

Task<> EmbeddingJobs::beginWalk(const Batch& batch) {
  const store::CollectionRef walks{batch.project->info().number, kWalks, 0};
  const std::string& field = batch.target.field->id;
  CO_TRY(const auto stored, co_await deps_.store.get(walks, field));
  CO_TRY(const std::optional<WalkRow> known, store::fromStore<WalkRow>(stored));
  if (!known || !known->held) co_return Result<>();
  store::Write write(asServer());
  const store::Target row = write.change(walks, field);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [row](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(std::optional<WalkRow> walk, store::fromStore<WalkRow>(before[row]));
        if (!walk) return {};
        walk->held.reset();
        changes.put(row, doc::encode(*walk));
        return {};
      }));
  co_return Result<>();
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

}  // namespace mb::vectors
