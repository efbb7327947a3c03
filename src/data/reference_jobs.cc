#include "data/reference_jobs.h"

#include <algorithm>

#include "audit/audit.h"
#include "base/log.h"
#include "data/halve.h"
#include "data/reference_walk.h"
#include "data/reserved.h"
#include "data/vector_counts.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::data {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kKind = "references";
constexpr uint64_t kPerPage = 100;
constexpr size_t kPageBytes = 4 << 20;
// A job that takes longer continues as another one of the queue, so that others get their turn.
constexpr auto kTurn = 2s;
constexpr auto kTimeout = 60s;
constexpr size_t kMaxErrorBytes = 500;
constexpr uint64_t kTrimmedAtOnce = 100;

store::WriteOptions serverOptions(std::string trace = {}) {
  store::WriteOptions options;
  options.deadline = store::readDeadline();
  options.actor = {store::ActorKind::server, ""};
  options.priority = store::WritePriority::low;
  options.trace = std::move(trace);
  return options;
}

std::string textOf(const Error& error) {
  std::string text = error.message();
  text.resize(std::min(text.size(), kMaxErrorBytes));
  return text;
}

// Whether the collection still declares the reference with the job's action.
bool declares(const Collection& collection, const std::string& path, std::string_view kind) {
  if (!collection.schema) return false;
  return std::ranges::any_of(collection.schema->relations(), [&](const doc::Relation& each) {
    return each.path == path && onDeleteName(each.onDelete) == kind;
  });
}

Error noSuchJob() {
  return Error(ErrorCode::notFound, "no such job");
}

doc::Filter failedJobs() {
  return doc::Filter::equals("state", "failed");
}

}  // namespace

store::SystemCollection referenceJobCollection() {
  return {
      kReferenceJobs,
      "__reference_jobs",
      {{.name = "state_1", .keys = {{"state", 1}}, .partialFilter = std::nullopt, .expireAfterSeconds = std::nullopt}}};
}

std::string_view onDeleteName(doc::OnDelete onDelete) {
  switch (onDelete) {
    case doc::OnDelete::restrict:
      return "restrict";
    case doc::OnDelete::cascade:
      return "cascade";
    case doc::OnDelete::unset:
      return "unset";
    case doc::OnDelete::none:
      break;
  }
  return "";
}

Result<store::Insert> queuedJob(const DataDeps& deps, store::ProjectNo project, const std::string& id,
                                std::string trace) {
  if (!deps.queue) return fail(ErrorCode::unavailable, "jobs cannot be started");
  jobs::JobSpec spec;
  spec.kind = kKind;
  spec.project = project;
  spec.trace = std::move(trace);
  doc::BsonWriter payload;
  payload.appendString("job", id);
  spec.payload = payload.finish();
  return deps.queue->insertOf(std::move(spec));
}

ReferenceJobs::ReferenceJobs(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot) : deps_(deps), slot_(slot) {
  if (!deps_.queue) return;
  jobs::Kind kind;
  kind.name = kKind;
  kind.handler = [this](jobs::JobRun run) { return this->run(std::move(run)); };
  kind.backoff = {1s, 5s, 30s, 2min, 10min};
  kind.timeout = kTimeout;
  kind.concurrency = 8;
  kind.perProject = 2;
  deps_.queue->declare(std::move(kind));
}

// ---- one attempt

// Its members belong to one run of the handler.
class ReferenceJobs::Attempt {
 public:
  Attempt(const ReferenceJobs& jobs, const jobs::JobRun& run, ReferenceJob job)
      : jobs_(jobs), deps_(jobs.deps_), run_(run), job_(std::move(job)), doneBefore_(job_.done) {}

  // Ends when the job has, or its turn. Fails with conflict once all documents that are left are refused.
  Task<> run() {
    CO_RETURN_IF_ERROR(co_await refresh());
    while (project_) {
      std::optional<Error> refused;
      const int64_t before = job_.done;
      for (const StoredReference& each : job_.references) {
        // A document that is refused may be deleted once those of the other references are.
        auto walked = co_await walk(each);
        if (walked) {
          if (*walked == Walked::ended) co_return Result<>();
          continue;
        }
        if (walked.error().code() != ErrorCode::conflict) co_return fail(std::move(walked).error());
        refused = std::move(walked).error();
      }
      if (!refused) co_return co_await end(false);
      if (job_.done == before) co_return fail(*std::move(refused));
    }
    co_return Result<>();
  }

 private:
  enum class Walked { all, ended };

  // Only with progress: attempts without any are counted.
  bool overdue() const { return job_.done > doneBefore_ && std::chrono::steady_clock::now() >= turnEnd_; }
  const CollectionTable& table() const { return project_->get(jobs_.slot_); }

  Task<> refresh() {
    CO_TRY(project_, co_await deps_.snapshots.byNumber(run_.project));
    co_return Result<>();
  }

  // All pages of one reference.
  Task<Walked> walk(const StoredReference& reference) {
    int stale = 0;
    refused_ = 0;
    refusal_.reset();
    while (true) {
      if (overdue()) {
        CO_RETURN_IF_ERROR(co_await end(true));
        co_return Walked::ended;
      }
      const CollectionPtr collection = table().numbered(static_cast<store::CollectionNo>(reference.collection));
      if (!collection || !declares(*collection, reference.path, job_.kind)) co_return Walked::all;
      CO_RETURN_IF_ERROR(requireReferenceIndex(*collection, reference.path));
      CO_TRY(const std::vector<std::string> ids, co_await page(*collection, reference));
      if (ids.empty() && refusal_) co_return fail(*std::exchange(refusal_, std::nullopt));
      if (ids.empty()) co_return Walked::all;
      auto changed = co_await change(*collection, reference, ids);
      if (!changed && changed.error().code() == ErrorCode::staleCatalogue && ++stale < kMaxStaleAttempts) {
        CO_RETURN_IF_ERROR(co_await refresh());
        if (!project_) co_return Walked::ended;
        continue;
      }
      if (!changed) co_return fail(std::move(changed).error());
      if (!*changed) {
        // There is a document with this id again, to which the references belong now.
        CO_RETURN_IF_ERROR(co_await end(false));
        co_return Walked::ended;
      }
    }
  }

  Task<std::vector<std::string>> page(const Collection& collection, const StoredReference& reference) const {
    store::Query query;
    query.collection = collection.ref;
    query.filter = doc::Filter::equals(reference.path, job_.documentId);
    query.limit = kPerPage;
    query.skip = refused_;  // they stay, and come first
    query.paged = true;
    query.maxBytes = kPageBytes;
    query.deadline = store::readDeadline();
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    std::vector<std::string> ids;
    for (const doc::Document& document : found.documents) ids.emplace_back(document.view().stringOr("id"));
    co_return ids;
  }

  // Deletes or changes the documents, fewer at a time where one of them is refused; false if the deleted document is
  // there again. Counts those that are refused alone.
  Task<bool> change(const Collection& collection, const StoredReference& reference, std::vector<std::string> ids) {
    TableFinder finder(table());
    Deletion deletion;
    if (job_.kind == onDeleteName(doc::OnDelete::cascade) && !collection.referrers.empty()) {
      CO_TRY(deletion, co_await Deletion::of(deps_, finder, collection, run_.trace));
    }
    std::vector<std::string> later;
    while (!ids.empty()) {
      auto changed = co_await commit(collection, reference, deletion, ids);
      if (changed && !*changed) co_return false;
      if (!changed) {
        const ErrorCode code = changed.error().code();
        const bool divides = code == ErrorCode::conflict || code == ErrorCode::queryTooCostly;
        if (!divides || (code != ErrorCode::conflict && ids.size() == 1)) co_return fail(std::move(changed).error());
        if (ids.size() > 1) {
          halve(ids, later);
          continue;
        }
        refusal_ = about(collection, ids.front(), std::move(changed).error());
        ++refused_;
      }
      ids = std::exchange(later, {});
    }
    co_return true;
  }

  static Error about(const Collection& collection, const std::string& id, Error error) {
    const Violation* refusal = store::refusedCondition(error);
    if (!refusal) return error;
    return Error(ErrorCode::conflict, fmt::format("\"{}\" of \"{}\" cannot be deleted: documents of \"{}\" refer to it",
                                                  id, collection.name(), refusal->name));
  }

  // One commit, with the job's progress; false, and nothing is changed, if the deleted document is there again.
  Task<bool> commit(const Collection& collection, const StoredReference& reference, const Deletion& deletion,
                    const std::vector<std::string>& ids) {
    store::Write write(serverOptions(run_.trace));
    std::vector<Deletion::Removal> documents;
    for (const std::string& id : ids) {
      CO_TRY(Deletion::Removal each, deletion.name(write, collection.ref, id));
      documents.push_back(std::move(each));
    }
    VectorRows vectors(collection);
    for (size_t i = 0; i < ids.size(); ++i) vectors.name(write, documents[i].document, ids[i]);
    const CollectionPtr from = table().numbered(static_cast<store::CollectionNo>(job_.collection));
    std::optional<store::Target> deleted;
    if (from) deleted = write.hold(from->ref, job_.documentId);
    const store::Target record = write.change(referenceJobs(run_.project), job_.id);
    const bool cascade = job_.kind == onDeleteName(doc::OnDelete::cascade);
    const doc::Filter refers = doc::Filter::equals(reference.path, job_.documentId);
    CO_TRY(const std::optional<int64_t> done,
           co_await store::writeReturning(
               deps_.store, std::move(write),
               [&documents = std::as_const(documents), &refers = std::as_const(refers),
                &reference = std::as_const(reference), &vectors = std::as_const(vectors), deleted, record, cascade,
                now = deps_.clock.now()](const store::PreImages& before,
                                         store::Changes& changes) -> Result<std::optional<int64_t>> {
                 // Without the record another run has ended the job.
                 if (!before[record] || (deleted && before[*deleted])) return std::nullopt;
                 TRY(ReferenceJob progress, store::fromStore<ReferenceJob>(before[record]->view()));
                 for (const Deletion::Removal& each : documents) {
                   const std::optional<doc::Document>& document = before[each.document];
                   if (!document || !refers.matches(*document)) continue;
                   ++progress.done;
                   if (cascade) {
                     Deletion::remove(each, changes);
                     continue;
                   }
                   doc::Document without = withoutReference(*document, reference.path, progress.documentId, now);
                   if (refers.matches(without)) {
                     return fail(Error(ErrorCode::internal, "a reference could not be removed"));
                   }
                   changes.put(each.document, std::move(without));
                 }
                 vectors.follow(before, changes);
                 progress.state = "running";
                 changes.put(record, doc::encode(progress));
                 return progress.done;
               }));
    if (!done) co_return false;
    job_.done = *done;
    deletion.wake(documents);
    co_return true;
  }

  // Removes the queue's job, with the record unless the job `continues` as another one.
  Task<> end(bool continues) {
    store::Write write(serverOptions());
    const store::Target row = write.change(jobs::Queue::rowOf(run_));
    const store::Target record = write.change(referenceJobs(run_.project), job_.id);
    std::vector<std::string> next;
    if (continues) {
      CO_TRY(store::Insert queued, queuedJob(deps_, run_.project, job_.id, run_.trace));
      next.push_back(queued.id());
      write.insert(std::move(queued));
    }
    CO_RETURN_IF_ERROR(co_await deps_.store.write(
        std::move(write), [row, record, continues](const store::PreImages&, store::Changes& changes) -> Result<> {
          changes.remove(row);
          if (!continues) changes.remove(record);
          return {};
        }));
    if (continues) deps_.queue->wake(std::move(next));
    co_return Result<>();
  }

  const ReferenceJobs& jobs_;
  const DataDeps& deps_;
  const jobs::JobRun& run_;
  ReferenceJob job_;
  const int64_t doneBefore_;
  snapshot::SnapshotPtr project_;
  uint64_t refused_ = 0;          // documents of the reference that is walked
  std::optional<Error> refusal_;  // the last of them
  const std::chrono::steady_clock::time_point turnEnd_ = std::chrono::steady_clock::now() + kTurn;
};

Task<> ReferenceJobs::run(jobs::JobRun run) {
  const std::string id(run.payload.view().stringOr("job"));
  CO_TRY(const std::optional<doc::Document> found, co_await deps_.store.get(referenceJobs(run.project), id));
  if (!found) co_return Result<>();
  CO_TRY(ReferenceJob job, store::fromStore<ReferenceJob>(found->view()));
  if (job.state == "failed") co_return Result<>();
  Attempt attempt(*this, run, std::move(job));
  const Result<> done = co_await attempt.run();
  if (done) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await recordFailure(run, id, done.error()));
  if (run.last) co_return Result<>();
  co_return fail(done.error().clone());
}

Task<> ReferenceJobs::recordFailure(const jobs::JobRun& run, const std::string& id, const Error& error) const {
  store::Write write(serverOptions());
  const store::Target record = write.change(referenceJobs(run.project), id);
  const store::Target row = write.change(jobs::Queue::rowOf(run));
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [record, row, last = run.last, text = textOf(error)](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   if (!before[record]) return {};
                                   TRY(ReferenceJob job, store::fromStore<ReferenceJob>(before[record]->view()));
                                   job.state = last ? "failed" : "waiting";
                                   job.error = text;
                                   changes.put(record, doc::encode(job));
                                   if (last) changes.remove(row);
                                   return {};
                                 }));
  if (!run.last) co_return Result<>();
  logWarn("a job for references failed its last attempt",
          {{"project", run.project}, {"job", id}, {"problem", error.message()}, {"cause", error.cause()}});
  co_return co_await trimFailed(run.project);
}

// Removes the oldest failed jobs above kMaxFailedJobs.
Task<> ReferenceJobs::trimFailed(store::ProjectNo project) const {
  store::Query query =
      store::queryOf(referenceJobs(project), failedJobs(), kTrimmedAtOnce, store::readDeadline(), kMaxFailedJobs);
  query.sort = {{"id", -1}};
  query.projection = store::Projection::ids;
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  if (found.documents.empty()) co_return Result<>();
  store::Write write(serverOptions());
  std::vector<store::Target> old;
  for (const doc::Document& each : found.documents) {
    old.push_back(write.change(referenceJobs(project), std::string(each.view().stringOr("id"))));
  }
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [old = std::move(old)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        for (const store::Target each : old) {
          if (before[each] && before[each]->view().stringOr("state") == "failed") changes.remove(each);
        }
        return {};
      }));
  co_return Result<>();
}

// ---- administration

Task<std::vector<ReferenceJobView>> ReferenceJobs::list(snapshot::SnapshotPtr project, uint64_t limit,
                                                        uint64_t skip) const {
  std::vector<ReferenceJobView> views;
  if (limit == 0) co_return views;
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(
             store::queryOf(referenceJobs(project->info().number), doc::Filter(), limit, store::readDeadline(), skip)));
  CO_TRY(std::vector<ReferenceJob> jobs, store::fromStore<ReferenceJob>(found.documents));
  const CollectionTable& table = project->get(slot_);
  for (ReferenceJob& job : jobs) {
    const CollectionPtr now = table.numbered(static_cast<store::CollectionNo>(job.collection));
    views.push_back({std::move(job.id), std::move(job.kind), now ? now->name() : job.collectionName,
                     std::move(job.documentId), std::move(job.state), job.done, std::move(job.error), job.createdAt});
  }
  co_return views;
}

Task<> ReferenceJobs::retry(AdminAccess access, std::string id) {
  if (!isDocumentId(id)) co_return fail(noSuchJob());
  const store::ProjectNo project = access.project->info().number;
  const policy::Caller& caller = access.caller;
  audit::AuditActor actor{std::string(actorKind(caller.kind)), caller.id, std::nullopt};
  if (!caller.email.empty()) actor.email = caller.email;
  CO_TRY(store::Insert queued, queuedJob(deps_, project, id, caller.trace));
  std::vector<std::string> next{queued.id()};
  store::WriteOptions options = serverOptions();
  options.priority = store::WritePriority::normal;
  store::Write write(std::move(options));
  const store::Target record = write.change(referenceJobs(project), id);
  write.insert(std::move(queued));
  write.insert(deps_.auditor.entry(project, "job.retry", std::move(actor), "jobs/" + id, caller.ip, caller.requestId));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [record](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[record]) return fail(noSuchJob());
        TRY(ReferenceJob job, store::fromStore<ReferenceJob>(before[record]->view()));
        if (job.state != "failed") return fail(ErrorCode::conflict, "the job has not failed: it runs by itself");
        job.state = "waiting";
        job.error.reset();
        changes.put(record, doc::encode(job));
        return {};
      }));
  deps_.queue->wake(std::move(next));
  co_return Result<>();
}

}  // namespace mb::data
