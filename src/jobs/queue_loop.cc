// The queue's own coroutine: takes in due jobs and starts them.
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

constexpr size_t kAnnouncedAtATime = 50;
// Bound on delayed jobs that were read from the store. Retries come on top, bounded by the number of runs.
constexpr size_t kMaxDelayed = 4096;
constexpr auto kSoonMs = 60'000;
constexpr auto kTrimEvery = 1h;

void logScanFailure(const Error& error) {
  logWarn("job queue scan failed; it is retried", {{"problem", error.message()}, {"cause", error.cause()}});
}

}  // namespace

Async<void> Queue::Impl::loop(std::shared_ptr<Impl> self) {
  while (!self->stopping) {
    self->again = false;
    co_await self->recheckProjects();
    co_await self->takeAnnounced();
    const auto now = std::chrono::steady_clock::now();
    if (self->restartSweep || now >= self->nextSweep) co_await self->sweep();
    co_await self->fill();
    co_await self->takeChains();
    if (now >= self->nextTrim) {
      self->nextTrim = now + kTrimEvery;
      co_await self->trimDead();
    }
    self->offerDelayed();
    self->startRuns();
    co_await self->waitForWork();
  }
}

void Queue::Impl::wakeLoop() {
  again = true;
  timer.cancel();
}

Async<void> Queue::Impl::waitForWork() {
  if (again || buffered.anyToFill() || stopping) co_return;
  auto until = std::min(nextSweep, nextTrim);
  if (!delayed.empty()) {
    const int64_t left = delayed.begin()->first.ms - deps.clock.now().ms;
    until = std::min(until, std::chrono::steady_clock::now() + std::chrono::milliseconds(std::max<int64_t>(left, 1)));
  }
  timer.expires_at(until);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(useAwaitable, ignored));
}

Async<void> Queue::Impl::takeAnnounced() {
  while (!announced.empty() && !stopping) {
    const auto end = announced.begin() + static_cast<long>(std::min(announced.size(), kAnnouncedAtATime));
    std::vector<std::string> ids(std::make_move_iterator(announced.begin()), std::make_move_iterator(end));
    announced.erase(announced.begin(), end);
    std::vector<std::string> unknown;
    for (std::string& id : ids) {
      if (auto row = remembered(id)) {
        co_await offer(*std::move(row));
      } else if (!known.contains(id)) {
        unknown.push_back(std::move(id));
      }
    }
    co_await readAnnounced(std::move(unknown));
  }
}

Async<void> Queue::Impl::readAnnounced(std::vector<std::string> ids) {
  size_t atATime = ids.size();
  for (size_t at = 0; at < ids.size() && !stopping;) {
    const auto from = ids.begin() + static_cast<long>(at);
    const auto to = ids.begin() + static_cast<long>(std::min(at + atATime, ids.size()));
    const auto stored = co_await deps.store.getMany(kRows, std::vector<std::string>(from, to));
    if (!stored && stored.error().code() == ErrorCode::payloadTooLarge && atATime > 1) {
      atATime = std::max<size_t>(atATime / 4, 1);
      continue;
    }
    if (!stored) {
      logScanFailure(stored.error());
      co_return;
    }
    at += atATime;
    for (const std::optional<doc::Document>& document : *stored) {
      auto row = document ? Row::fromDocument(*document) : Result<Row>(fail(ErrorCode::notFound, ""));
      if (row) co_await offer(*std::move(row));
    }
  }
}

// The first job of each chain that may have none in memory.
Async<void> Queue::Impl::takeChains() {
  while (!chainsToScan.empty() && !stopping) {
    auto chain = chainsToScan.extract(chainsToScan.begin());
    if (!chains.contains(chain.key())) co_await takeHead(chain.key(), std::move(chain.mapped()));
  }
}

Async<std::optional<std::string>> Queue::Impl::offer(Row row) {
  // If the state cannot be read, the run itself checks it.
  if ((co_await isSuspended(row.project)).value_or(false)) co_return std::string(row.fairnessKey().ofProject());
  if (row.orderKey.empty()) co_return take(std::move(row));
  if (known.contains(row.id)) co_return std::nullopt;
  const FairnessKey fairnessKey = row.fairnessKey();
  if (row.dueAt.ms - deps.clock.now().ms > kSoonMs) co_return fairnessKey.all();
  const std::string chain = row.chain();
  const auto head = chains.find(chain);
  if (head != chains.end()) {
    head->second.more = true;
    head->second.earlier |= row.seq < head->second.seq;
    co_return std::nullopt;
  }
  const std::string place = readyPlace(fairnessKey, row.dueAt, row.seq);
  if (auto full = buffered.fullPart(fairnessKey, place)) co_return full;
  co_await takeHead(chain, chain);
  co_return buffered.fullPart(fairnessKey, place);
}

std::optional<std::string> Queue::Impl::take(Row row) {
  KindState* kind = kindOf(row.kind);
  if (!kind || row.dead || known.contains(row.id)) return std::nullopt;
  FairnessKey fairnessKey = row.fairnessKey();
  const int64_t left = row.dueAt.ms - deps.clock.now().ms;
  // A later sweep finds jobs that are due later or do not fit.
  if (left > kSoonMs || (left > 0 && delayed.size() >= kMaxDelayed)) return fairnessKey.all();
  if (auto full = buffered.enter(fairnessKey, readyPlace(fairnessKey, row.dueAt, row.seq))) return full;
  std::string chain = row.chain();
  Entry entry{kind,
              std::move(row.id),
              std::move(row.seq),
              row.project,
              std::move(row.group),
              std::move(fairnessKey),
              std::move(chain),
              row.dueAt};
  enqueue(std::move(entry));
  return std::nullopt;
}

void Queue::Impl::requeue(Entry entry, Timestamp dueAt) {
  if (dueAt.ms - deps.clock.now().ms > kSoonMs || knownSuspended(entry.project).value_or(false)) return;
  entry.dueAt = dueAt;
  buffered.enterRetry(entry.fairnessKey);
  enqueue(std::move(entry));
}

void Queue::Impl::enqueue(Entry entry) {
  known.insert(entry.id);
  if (!entry.chain.empty()) chains.try_emplace(entry.chain, entry.seq);
  ++entry.kind->queued;
  again = true;
  if (entry.dueAt > deps.clock.now()) {
    const Timestamp dueAt = entry.dueAt;
    delayed.emplace(dueAt, std::move(entry));
  } else {
    KindState* kind = entry.kind;
    kind->queue.push(entry.keys(), store::Deadline::max(), entry);
  }
}

Async<void> Queue::Impl::takeHead(std::string chain, std::string from) {
  const auto found = co_await rowsBetween(deps.store, kChainPath, std::move(from), behind(chain), 2);
  if (!found) {
    logScanFailure(found.error());
    co_return;
  }
  if (found->rows.empty()) co_return;
  auto first = Row::fromDocument(found->rows[0]);
  if (!first || (co_await isSuspended(first->project)).value_or(false)) co_return;
  take(*std::move(first));
  const auto taken = chains.find(chain);
  if (taken != chains.end()) taken->second.more = found->rows.size() > 1;
}

void Queue::Impl::forget(const Entry& entry) {
  known.erase(entry.id);
  if (!entry.chain.empty()) chains.erase(entry.chain);
}

void Queue::Impl::offerDelayed() {
  const Timestamp now = deps.clock.now();
  while (!delayed.empty() && delayed.begin()->first <= now) {
    Entry entry = std::move(delayed.extract(delayed.begin()).mapped());
    KindState* kind = entry.kind;
    kind->queue.push(entry.keys(), store::Deadline::max(), entry);
  }
}

void Queue::Impl::startRuns() {
  for (const auto& [name, kind] : kinds) {
    while (auto entry = kind->queue.next()) {
      --kind->queued;
      buffered.leave(entry->fairnessKey);
      begin(*std::move(entry));
    }
  }
}

}  // namespace mb::jobs
