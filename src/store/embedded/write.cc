// The write path (docs/engine.md, "Writing"). Steps that need not suspend are plain functions.
#include "store/embedded/engine.h"
#include "store/write_steps.h"

namespace mb::store::embedded {

namespace {

std::unexpected<Error> lockTimeout() {
  return fail(ErrorCode::unavailable, "the document is locked by other writes: try again");
}

// Runs under the locks, so the work on a user's patterns and values is bounded; system records contain none.
Result<> computeAndApply(WriteJob& job, const WriteCallback& callback, std::vector<Insert> inserts,
                         const WriteOptions& options, int runs) {
  const auto all = job.before();
  const size_t named = all.size() - inserts.size();
  const PreImages before(all.first(named), job.versionsBefore().first(named));
  const bool system = job.isSystem();
  std::vector<Change> changes(before.all().size());
  if (callback) {
    TRY(changes, computeChanges(callback, before, system ? INT64_MAX : kCoreWork, runs));
  }
  const bool anything = !callback || changesAnything(changes, before.all());
  RETURN_IF_ERROR(addInserts(changes, std::move(inserts), anything, all));
  // Any document that could be written can be deleted, whatever indexes were created since.
  const bool removes = std::ranges::all_of(changes, [](const Change& each) { return each.kind != Change::Kind::put; });
  const WorkBudget work(removes || system ? INT64_MAX : kIndexWork);
  RETURN_IF_ERROR(job.apply(std::move(changes), options.actor, options.logged));
  return work.check();
}

}  // namespace

std::unexpected<Error> stopping() {
  return fail(ErrorCode::unavailable, "the server is stopping");
}

Deadline orDefault(Deadline deadline) {
  return deadline == Deadline() ? std::chrono::steady_clock::now() + kDefaultWait : deadline;
}

Task<> Engine::waitLatches(WriteJob& job, Deadline deadline) {
  while (Latch* latch = job.nextLatch()) {
    const bool granted = co_await latch->shared(orDefault(deadline));
    if (!granted) co_return fail(ErrorCode::unavailable, "the collection is being changed: try again");
    job.hold(LatchHold(*latch, false));
  }
  co_return Result<>();
}

Task<> Engine::readBefore(WriteJob& job) {
  CO_TRY(const bool read, co_await readPool_->run([&job] { return job.readBefore(Tier::disk); }));
  if (!read) co_return fail(ErrorCode::internal, "the store could not be read");
  co_return Result<>();
}

Task<> Engine::waitUnique(WriteJob& job, Deadline deadline) {
  HeldStripes& locks = job.uniqueLocks();
  if (!locks.allHeld()) {
    const bool granted = co_await locks.waitAll(orDefault(deadline));
    if (!granted) co_return lockTimeout();
  }
  CO_TRY(const bool read, co_await readPool_->run([&job] { return job.claimUnique(Tier::disk); }));
  if (!read) co_return fail(ErrorCode::internal, "the store could not be read");
  co_return Result<>();
}

Task<> Engine::claimUnique(WriteJob& job, Deadline deadline) {
  job.addUniqueLocks();
  if (!job.uniqueLocks().tryAll()) co_return co_await waitUnique(job, deadline);
  CO_TRY(const bool read, job.claimUnique(Tier::memory));
  if (!read) co_return co_await waitUnique(job, deadline);
  co_return Result<>();
}

Task<> Engine::checkConditions(const Write& write) {
  for (const Absence& condition : write.conditions()) {
    Query query;
    query.collection = condition.collection;
    query.filter = doc::Filter::equals(condition.path, condition.value);
    query.limit = condition.except.empty() ? 1 : 2;
    query.projection = Projection::ids;
    query.deadline = orDefault(write.options.deadline);
    CO_TRY(const QueryResult found, co_await find(std::move(query)));
    const bool holds = std::ranges::any_of(found.documents, [&](const doc::Document& each) {
      return condition.except.empty() || each.view().stringOr("id") != condition.except;
    });
    if (holds) co_return fail(conditionViolation(condition));
  }
  co_return Result<>();
}

Task<> Engine::commit(Commit& commit, std::vector<CounterLimit> limits) {
  if (const auto refused = reserve(commit.counters, limits)) {
    catalogue_.counters.forgetUnused(commit.counters);
    co_return fail(limitViolation(catalogue_.counterName(refused->counter.counter), refused->max));
  }
  if (!queue_.admit(commit)) {
    release(commit.counters);
    catalogue_.counters.forgetUnused(commit.counters);
    co_return fail(ErrorCode::unavailable, "too many writes wait: try again");
  }
  housekeeper_->admitted(commit.bytes);
  co_await suspend<bool>([&](Resumer<bool> resumer) { queue_.submit(commit, std::move(resumer)); });
  if (!commit.refused) co_return Result<>();
  release(commit.counters);
  catalogue_.counters.forgetUnused(commit.counters);
  co_return fail(*std::move(commit.refused));
}

Task<WriteOutcome> Engine::write(Write write, WriteCallback callback) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  const WriteOptions& options = write.options;
  std::vector<WriteTarget> targets = write.takeTargets();
  std::vector<Insert> inserts = write.takeInserts();
  const std::vector<ChangeEntry> logged = write.takeLogged();
  addTargets(targets, inserts);
  CO_RETURN_IF_ERROR(checkNotices(options.notices));
  WriteJob job(writeContext());
  CO_RETURN_IF_ERROR(job.resolve(std::move(targets)));
  if (!job.tryLatches()) CO_RETURN_IF_ERROR(co_await waitLatches(job, options.deadline));
  CO_RETURN_IF_ERROR(job.checkVersions());
  job.addDocumentLocks();
  if (!job.documentLocks().tryAll()) {
    const bool granted = co_await job.documentLocks().waitAll(orDefault(options.deadline));
    if (!granted) co_return lockTimeout();
  }
  if (!write.conditions().empty()) CO_RETURN_IF_ERROR(co_await checkConditions(write));
  CO_TRY(const bool read, job.readBefore(Tier::memory));
  if (!read) CO_RETURN_IF_ERROR(co_await readBefore(job));
  CO_RETURN_IF_ERROR(computeAndApply(job, callback, std::move(inserts), options, settings_.callbackRuns));
  CO_RETURN_IF_ERROR(job.log(write.project(), logged));
  if (job.changesNothing()) co_return WriteOutcome{};
  if (job.writesDocuments() && !housekeeper_->takesWrites()) {
    co_return fail(ErrorCode::unavailable, "the disk is nearly full: writes are refused until space is free");
  }
  if (job.needsUniqueCheck()) CO_RETURN_IF_ERROR(co_await claimUnique(job, options.deadline));
  job.finish(options);
  CO_RETURN_IF_ERROR(co_await commit(job.commit, options.limits));
  co_return WriteOutcome{job.commit.position, job.takeVersions()};
}

Result<ChainHead> Engine::chainHead(ProjectNo project, CollectionNo collection) {
  const Gate::Holder holder(gate_);
  if (!holder) return stopping();
  return catalogue_.chainHead(project, collection);
}

Task<> Engine::restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  const CollectionHandle handle = catalogue_.collection(project, collection);
  if (!handle || !handle.schema->chained) co_return fail(ErrorCode::notFound, "no such chained collection");
  Commit commit;
  commit.project = catalogue_.project(project);
  commit.heads.push_back({handle.state.get(), head});
  co_return co_await this->commit(commit, {});
}

}  // namespace mb::store::embedded
