// The write path: engine.md 1. What can be done without waiting is done without a coroutine of its own.
#include "store/embedded/engine.h"

namespace mb::store::embedded {

namespace {

std::unexpected<Error> tooLate() {
  return fail(ErrorCode::unavailable, "the document is being written by others, try again");
}

// What the upkeep of indexes may cost under the locks: more than a judge gets, as no request brings the indexes with
// it.
constexpr int64_t kIndexWork = 50'000'000;

// The judge's changes, applied. Under the locks, so what a user's patterns and values make of it is bounded; for our
// own records nobody else gives any.
Result<> judgeAndApply(WriteJob& job, Judge& judge, const WriteOptions& options) {
  if (job.isSystem()) {
    TRY(std::vector<Change> changes, judge(job.before()));
    return job.apply(std::move(changes), options.actor, options.logged);
  }
  std::vector<Change> changes;
  {
    const WorkBudget work(kCoreWork);
    auto judged = judge(job.before());
    CHECK(work.check());
    if (!judged) return fail(std::move(judged).error());
    changes = *std::move(judged);
  }
  // What could be written can be deleted, whatever indexes were made since.
  const bool removes = std::ranges::all_of(changes, [](const Change& each) { return each.kind != Change::Kind::put; });
  const WorkBudget work(removes ? INT64_MAX : kIndexWork);
  CHECK(job.apply(std::move(changes), options.actor, options.logged));
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
    if (!granted) co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
    job.hold(LatchHold(*latch, false));
  }
  co_return Result<>();
}

Task<> Engine::readBefore(WriteJob& job) {
  CO_TRY(const bool read, co_await readPool_->run([&job] { return job.readBefore(Tier::disk); }));
  if (!read) co_return fail(ErrorCode::internal, "the store could not be read");
  co_return Result<>();
}

Task<WriteOutcome> Engine::waitUnique(WriteJob& job, Deadline deadline) {
  HeldStripes& locks = job.uniqueLocks();
  if (!locks.allHeld()) {
    const bool granted = co_await locks.waitAll(orDefault(deadline));
    if (!granted) co_return tooLate();
  }
  CO_TRY(std::optional<WriteOutcome> outcome, co_await readPool_->run([&job] { return job.claimUnique(Tier::disk); }));
  if (!outcome) co_return fail(ErrorCode::internal, "the store could not be read");
  co_return *std::move(outcome);
}

Task<WriteOutcome> Engine::claimUnique(WriteJob& job, Deadline deadline) {
  job.addUniqueLocks();
  if (!job.uniqueLocks().tryAll()) co_return co_await waitUnique(job, deadline);
  CO_TRY(std::optional<WriteOutcome> outcome, job.claimUnique(Tier::memory));
  if (!outcome) co_return co_await waitUnique(job, deadline);
  co_return *std::move(outcome);
}

Result<> Engine::admit(Commit& commit) {
  if (queue_.admit(commit)) {
    housekeeper_->admitted(commit.bytes);
    return {};
  }
  return fail(ErrorCode::unavailable, "too many writes wait, try again");
}

Task<WriteOutcome> Engine::write(std::vector<WriteTarget> targets, Judge judge, WriteOptions options) {
  const Inside inside(gate_);
  if (!inside) co_return stopping();
  WriteJob job(writeRoom());
  CO_CHECK(job.resolve(std::move(targets)));
  if (!job.tryLatches()) CO_CHECK(co_await waitLatches(job, options.deadline));
  CO_CHECK(job.checkVersions());
  job.addDocumentLocks();
  if (!job.documentLocks().tryAll()) {
    const bool granted = co_await job.documentLocks().waitAll(orDefault(options.deadline));
    if (!granted) co_return tooLate();
  }
  CO_TRY(const bool read, job.readBefore(Tier::memory));
  if (!read) CO_CHECK(co_await readBefore(job));
  CO_CHECK(judgeAndApply(job, judge, options));
  if (job.changesNothing()) co_return WriteOutcome{};
  if (job.writesDocuments() && !housekeeper_->takesWrites()) {
    co_return fail(ErrorCode::unavailable, "the disk is nearly full, writes are refused");
  }
  if (job.needsUniqueCheck()) {
    CO_TRY(WriteOutcome outcome, co_await claimUnique(job, options.deadline));
    if (!outcome.committed()) co_return outcome;
  }
  job.finish(options);
  CO_CHECK(admit(job.commit));
  co_await suspend<bool>([&](Resumer<bool> resumer) { queue_.submit(job.commit, std::move(resumer)); });
  if (job.commit.refused) co_return fail(*std::move(job.commit.refused));
  co_return WriteOutcome{};
}

Result<ChainHead> Engine::chainHead(ProjectNo project, CollectionNo collection) {
  const Inside inside(gate_);
  if (!inside) return stopping();
  return catalogue_.chainHead(project, collection);
}

Task<> Engine::restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) {
  const Inside inside(gate_);
  if (!inside) co_return stopping();
  const CollectionHandle handle = catalogue_.collection(project, collection);
  if (!handle || !handle.schema->chained) co_return fail(ErrorCode::notFound, "no such chained collection");
  Commit commit;
  commit.project = catalogue_.project(project);
  commit.heads.push_back({handle.state.get(), head});
  CO_CHECK(admit(commit));
  co_await suspend<bool>([&](Resumer<bool> resumer) { queue_.submit(commit, std::move(resumer)); });
  co_return Result<>();
}

}  // namespace mb::store::embedded
