// One attempt at a job, from its lease to the update of its row.
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {

constexpr size_t kMaxErrorBytes = 500;

// The stored form of an error: printable ASCII, truncated to kMaxErrorBytes.
std::string errorText(const Error& error) {
  std::string text = error.message();
  if (!error.cause().empty()) text += ": " + error.cause();
  text.resize(std::min(text.size(), kMaxErrorBytes));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  }
  return text;
}

}  // namespace

// A handler's run, shared with the coroutine that waits for it; both on one core.
struct Queue::Impl::Attempt {
  Attempt(const Executor& executor, Entry e, store::Deadline deadline)
      : entry(std::move(e)), done(executor, deadline) {}
  const Entry entry;
  asio::steady_timer done;  // cancelled at the end
  std::optional<Result<>> result;
  OnSuccess onSuccess;
  bool abandoned = false;
};

void Queue::Impl::begin(Entry entry) {
  ++entry.kind->running;
  running.insert(entry.id);
  const int core = static_cast<int>(nextCore++ % static_cast<size_t>(deps.cores.count()));
  if (tasks.spawn(deps.cores.at(core).get_executor(), runOne(shared_from_this(), entry))) return;
  --entry.kind->running;
  running.erase(entry.id);
}

Async<void> Queue::Impl::runOne(std::shared_ptr<Impl> self, Entry entry) {
  Leases* leases = self->deps.leases;
  AttemptEnd end;
  const bool mine = !leases || co_await leases->take(entry.id);
  if (mine) end = co_await self->attempt(entry);
  if (mine && leases) leases->release(entry.id);
  asio::post(self->home, [self, entry, end] {
    if (!end.overdue) --entry.kind->running;
    self->onAttemptEnd(entry, end);
  });
}

void Queue::Impl::onAttemptEnd(const Entry& entry, const AttemptEnd& end) {
  KindState& kind = *entry.kind;
  if (!end.overdue) kind.queue.done(entry.keys());
  running.erase(entry.id);
  const auto chain = chains.find(entry.chain);
  const ChainHead head = chain == chains.end() ? ChainHead() : chain->second;
  forget(entry);
  if (end.failed) ++kind.failed;
  switch (end.outcome) {
    case AttemptEnd::Outcome::retried:
      if (!end.failed) ++kind.completed;  // it repeats
      requeue(entry, end.dueAt);
      if (const auto kept = chains.find(entry.chain); kept != chains.end()) kept->second = head;
      break;
    case AttemptEnd::Outcome::completed:
      ++kind.completed;
      break;
    case AttemptEnd::Outcome::dead:
      ++kind.dead;
      break;
    case AttemptEnd::Outcome::suspended:
      recheck(entry.project);
      break;
    case AttemptEnd::Outcome::obsolete:
    case AttemptEnd::Outcome::postponed:
      break;
  }
  const bool over = end.outcome == AttemptEnd::Outcome::completed || end.outcome == AttemptEnd::Outcome::dead ||
                    end.outcome == AttemptEnd::Outcome::obsolete;
  if (over && head.more) chainsToScan[entry.chain] = head.earlier ? entry.chain : entry.chain + entry.seq;
  if (end.another) announced.push_back(entry.id);
  wakeLoop();
}

// Called when an overdue handler ends.
void Queue::Impl::releaseSlot(const Entry& entry) {
  --entry.kind->running;
  entry.kind->queue.done(entry.keys());
  wakeLoop();
}

Async<AttemptEnd> Queue::Impl::attempt(Entry entry) {
  auto stored = co_await deps.store.get(kRows, entry.id);
  if (!stored) co_return AttemptEnd{};
  if (!*stored) co_return AttemptEnd{.outcome = AttemptEnd::Outcome::obsolete};
  auto read = Row::fromDocument(**stored);
  if (!read || read->dead || read->seq != entry.seq || read->dueAt > deps.clock.now()) {
    co_return AttemptEnd{.outcome = AttemptEnd::Outcome::obsolete, .another = read && read->seq != entry.seq};
  }
  Row row = *std::move(read);
  const Result<bool> suspended = co_await isSuspended(row.project);
  if (!suspended) co_return AttemptEnd{};
  if (*suspended) co_return AttemptEnd{.outcome = AttemptEnd::Outcome::suspended};
  auto run = jobRun(row, entry.kind->kind);
  if (!run) co_return co_await finishAttempt(std::move(row), *entry.kind, fail(std::move(run).error()), {});

  const Executor executor = deps.cores.at(Cores::current()).get_executor();
  auto handled = std::make_shared<Attempt>(executor, entry, run->deadline);
  run->repetition = std::shared_ptr<std::optional<Repetition>>(handled, &handled->onSuccess.repetition);
  run->extraChanges = std::shared_ptr<std::optional<ExtraChanges>>(handled, &handled->onSuccess.extraChanges);
  if (!tasks.spawn(executor, runHandler(shared_from_this(), handled, *std::move(run)))) co_return AttemptEnd{};
  if (!handled->result) {
    boost::system::error_code ignored;
    co_await handled->done.async_wait(asio::redirect_error(useAwaitable, ignored));
  }
  const bool overdue = !handled->result;
  if (overdue) {
    handled->abandoned = true;
    handled->result = Result<>(fail(ErrorCode::upstreamTimeout, "the job took too long"));
    logWarn("job exceeded its time limit",
            {{"kind", row.kind}, {"job", row.id}, {"limitMs", entry.kind->kind.timeout.count()}});
  }
  const bool refused = !*handled->result && handled->result->error().code() == ErrorCode::projectSuspended;
  if (refused && (co_await isSuspended(row.project)).value_or(false)) {
    co_return AttemptEnd{.outcome = AttemptEnd::Outcome::suspended};
  }
  AttemptEnd end =
      co_await finishAttempt(std::move(row), *entry.kind, *std::move(handled->result), std::move(handled->onSuccess));
  end.overdue = overdue;
  co_return end;
}

Async<void> Queue::Impl::runHandler(std::shared_ptr<Impl> self, std::shared_ptr<Attempt> attempt, JobRun run) {
  Result<> result;
  try {
    result = co_await attempt->entry.kind->kind.handler(std::move(run));
  } catch (const std::exception& exception) {
    result = fail(Error(ErrorCode::internal, "the job threw").withCause(exception.what()));
  }
  if (attempt->abandoned) {
    asio::post(self->home, [self, attempt] { self->releaseSlot(attempt->entry); });
    co_return;
  }
  attempt->result = std::move(result);
  attempt->done.cancel();
}

Result<JobRun> Queue::Impl::jobRun(const Row& row, const Kind& kind) const {
  JobRun run;
  run.id = row.id;
  run.kind = row.kind;
  run.project = row.project;
  run.attempt = row.failedAttempts + 1;
  run.last = static_cast<size_t>(row.failedAttempts) >= kind.backoff.size();
  run.createdAt = row.createdAt;
  run.trace = row.trace;
  run.deadline = std::chrono::steady_clock::now() + kind.timeout;
  TRY(run.payload, payloadOf(row));
  return run;
}

Result<doc::Document> Queue::Impl::payloadOf(const Row& row) const {
  if (row.sealed.empty()) return row.payload;
  TRY(const Secret plain, deps.master.unseal(row.sealed, sealContext(row.id)));
  return doc::Document::fromUntrusted(std::string(plain.reveal()));
}

// In the form, plain or sealed, that the row has.
void Queue::Impl::setPayload(Row& row, doc::Document payload) const {
  if (row.sealed.empty()) {
    row.payload = std::move(payload);
  } else {
    row.sealed = deps.master.seal(payload.bytes(), sealContext(row.id));
  }
}

// Updates or removes the row; a row that was changed or removed during the run stays as it is.
Async<AttemptEnd> Queue::Impl::finishAttempt(Row row, const KindState& kind, Result<> result, OnSuccess onSuccess) {
  AttemptEnd end{.outcome = AttemptEnd::Outcome::completed};
  const RowState began = row.state();
  auto& [repetition, extra] = onSuccess;
  if (extra && extra->targets.size() > ExtraChanges::kMaxTargets) {
    result = fail(ErrorCode::internal, "the job changes too many documents with its end");
  }
  if (!result) {
    end = afterFailure(row, kind, result.error());
    extra.reset();
  } else if (repetition) {
    row.failedAttempts = 0;
    row.error.clear();
    row.dueAt = repetition->dueAt;
    setPayload(row, std::move(repetition->payload));
    end = {.outcome = AttemptEnd::Outcome::retried, .dueAt = row.dueAt};
  } else if (row.repeatEvery.count() > 0) {
    row.failedAttempts = 0;
    row.error.clear();
    row.dueAt = row.nextFire(deps.clock.now());
    end = {.outcome = AttemptEnd::Outcome::retried, .dueAt = row.dueAt};
  }
  const bool removes = end.outcome == AttemptEnd::Outcome::completed;
  const Result<bool> written = co_await writeEndWith(row, began, removes, std::move(extra));
  if (written) co_return end;
  logWarn("job result could not be stored; the job runs again",
          {{"kind", row.kind}, {"job", row.id}, {"problem", written.error().message()}});
  co_return AttemptEnd{.outcome = AttemptEnd::Outcome::postponed, .failed = end.failed};
}

Task<bool> Queue::Impl::writeEnd(const Row& row, const RowState& began, bool removes, const ExtraChanges* extra) {
  store::Write write(asServer());
  const store::Target stored = write.change(kRows, row.id);
  std::vector<store::Target> targets;
  if (extra) targets = write.change(extra->targets);
  auto callback = [stored, removes, extra, &row = std::as_const(row), &began = std::as_const(began),
                   &targets = std::as_const(targets)](const store::PreImages& before,
                                                      store::Changes& changes) -> Result<bool> {
    if (!before[stored] || Row::stateOf(*before[stored]) != began) return false;
    changes.set(stored, removes ? store::Change::remove() : store::Change::replace(row.toDocument()));
    if (extra) extra->compute(before, targets, changes);
    return true;
  };
  co_return co_await store::writeReturning(deps.store, std::move(write), std::move(callback));
}

Task<bool> Queue::Impl::writeEndWith(const Row& row, const RowState& began, bool removes,
                                     std::optional<ExtraChanges> extra) {
  Result<bool> written = co_await writeEnd(row, began, removes, extra ? &*extra : nullptr);
  if (!extra) co_return written;
  bool committed = true;
  // Where the disk is nearly full the store still accepts the removal of the row: the job does not run again because of
  // what it adds.
  if (!written && written.error().code() == ErrorCode::unavailable) {
    committed = false;
    written = co_await writeEnd(row, began, removes, nullptr);
  }
  if (written && *written && extra->ended) extra->ended(committed);
  co_return written;
}

AttemptEnd Queue::Impl::afterFailure(Row& row, const KindState& kind, const Error& error) const {
  const Timestamp now = deps.clock.now();
  row.error = errorText(error);
  const auto attempts = static_cast<size_t>(row.failedAttempts++);
  const bool final = attempts >= kind.kind.backoff.size() || (kind.kind.isFinal && kind.kind.isFinal(error));
  if (!final) {
    row.dueAt = {now.ms + kind.kind.backoff[attempts].count()};
    return {.outcome = AttemptEnd::Outcome::retried, .dueAt = row.dueAt, .failed = true};
  }
  logWarn("job failed its last attempt", {{"kind", row.kind},
                                          {"job", row.id},
                                          {"project", row.project},
                                          {"attempts", row.failedAttempts},
                                          {"problem", row.error}});
  if (row.repeatEvery.count() > 0) {
    row.failedAttempts = 0;
    row.dueAt = row.nextFire(now);
    return {.outcome = AttemptEnd::Outcome::retried, .dueAt = row.dueAt, .failed = true};
  }
  row.dead = true;
  row.dueAt = now;
  return {.outcome = AttemptEnd::Outcome::dead, .failed = true};
}

}  // namespace mb::jobs
