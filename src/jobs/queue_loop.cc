// The queue's own coroutine: finds what is due, in memory or in the store, and starts it.
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

// A page's documents, payloads included, stay below what one answer of the store may hold.
constexpr uint64_t kPage = 50;
constexpr size_t kPagesPerSweep = 20;
constexpr size_t kMaxDelayed = 1024;
// Below so many in memory the sweep goes on at once, where the store holds more.
constexpr size_t kHungry = 64;
constexpr auto kSoonMs = 60'000;
constexpr auto kSweepEvery = 2s;
// After a pass over so much that it costs: most of it waits behind others or has no room.
constexpr auto kLongSweepEvery = 15s;
constexpr auto kTrimEvery = 1h;

doc::Filter between(std::string_view path, std::string_view from, std::string_view to) {
  doc::BsonWriter out;
  out.beginDocument(path);
  out.appendString("$gt", from);
  out.appendString("$lt", to);
  out.end();
  return *doc::Filter::parse(out.finish());
}

store::Query rows(doc::Filter filter, std::string_view sort, uint64_t limit) {
  store::Query query;
  query.collection = kRows;
  query.filter = std::move(filter);
  query.sort = {{std::string(sort), 1}};
  query.limit = limit;
  query.deadline = storeDeadline();
  return query;
}

void logTrouble(const Error& error) {
  logWarn("jobs could not be looked for", {{"problem", error.message()}, {"cause", error.cause()}});
}

}  // namespace

Async<void> Queue::Impl::loop(std::shared_ptr<Impl> self) {
  while (!self->stopping) {
    self->again = false;
    co_await self->takeAnnounced();
    const auto now = std::chrono::steady_clock::now();
    if (now >= self->nextSweep || (self->more && self->queuedNow() < kHungry)) co_await self->sweep();
    co_await self->takeChains();
    if (now >= self->nextTrim) {
      self->nextTrim = now + kTrimEvery;
      co_await self->trimDead();
    }
    self->offerDelayed();
    self->startRuns();
    co_await self->rest();
  }
}

void Queue::Impl::look() {
  again = true;
  timer.cancel();
}

Async<void> Queue::Impl::rest() {
  if (again || stopping) co_return;
  auto until = std::min(nextSweep, nextTrim);
  if (!delayed.empty()) {
    const int64_t left = delayed.begin()->first.ms - deps.clock.now().ms;
    until = std::min(until, std::chrono::steady_clock::now() + std::chrono::milliseconds(std::max<int64_t>(left, 1)));
  }
  timer.expires_at(until);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(useAwaitable, ignored));
}

size_t Queue::Impl::queuedNow() const {
  size_t all = 0;
  for (const auto& [name, kind] : kinds) all += kind->line.waiting();
  return all;
}

Async<void> Queue::Impl::takeAnnounced() {
  while (!announced.empty() && !stopping) {
    std::vector<std::string> ids;
    const auto end = announced.begin() + static_cast<long>(std::min<size_t>(announced.size(), kPage));
    std::copy_if(announced.begin(), end, std::back_inserter(ids), [&](const auto& id) { return !known.contains(id); });
    announced.erase(announced.begin(), end);
    if (ids.empty()) continue;
    auto stored = co_await deps.store.getMany(kRows, std::move(ids));
    if (!stored) {
      logTrouble(stored.error());
      co_return;
    }
    for (const std::optional<doc::Document>& document : *stored) {
      auto row = document ? Row::fromDocument(*document) : Result<Row>(fail(ErrorCode::notFound, ""));
      if (row) offer(*std::move(row));
    }
  }
}

// The first job of each chain that may have none in memory.
Async<void> Queue::Impl::takeChains() {
  while (!chainsToLook.empty() && !stopping) {
    const std::string chain = std::move(chainsToLook.extract(chainsToLook.begin()).value());
    if (chains.contains(chain)) continue;
    auto head = co_await headOf(chain);
    if (head && *head) take(**std::move(head));
  }
}

Async<void> Queue::Impl::sweep() {
  if (cursor.empty()) {
    cursor = "r";
    more = false;
    pagesOfPass = 0;
  }
  const std::string end = placeOf(false, {deps.clock.now().ms + 1}, "");
  for (size_t page = 0; page < kPagesPerSweep && !stopping; ++page) {
    const auto found = co_await deps.store.find(rows(between(kPlacePath, cursor, end), kPlacePath, kPage));
    if (!found) {
      logTrouble(found.error());
      break;
    }
    ++pagesOfPass;
    for (const doc::Document& document : found->documents) {
      cursor = document.view().stringOr(kPlacePath);
      auto row = Row::fromDocument(document);
      if (row) {
        offer(*std::move(row));
      } else {
        logError(row.error().message(), {{"job", row.error().cause()}});
      }
    }
    if (found->documents.size() < kPage) {
      cursor.clear();
      break;
    }
  }
  const bool longPass = pagesOfPass > kPagesPerSweep && cursor.empty();
  nextSweep = std::chrono::steady_clock::now() + (longPass ? kLongSweepEvery : kSweepEvery);
  if (!cursor.empty() && queuedNow() < kHungry) nextSweep = {};
}

// Takes the job into memory, or has the first of its chain looked for.
void Queue::Impl::offer(Row row) {
  std::string chain = row.chain();
  if (chain.empty()) {
    take(std::move(row));
  } else if (!chains.contains(chain)) {
    chainsToLook.insert(std::move(chain));
  }
}

void Queue::Impl::take(Row row) {
  KindState* kind = kindOf(row.kind);
  if (!kind || row.dead || known.contains(row.id)) return;
  std::string chain = row.chain();
  enter({kind, std::move(row.id), std::move(row.seq), row.project, std::move(chain), row.dueAt});
}

Task<std::optional<Row>> Queue::Impl::headOf(std::string chain) {
  const auto found = co_await deps.store.find(rows(between(kChainPath, chain, chain + '\x7F'), kChainPath, 1));
  if (!found) {
    logTrouble(found.error());
    co_return fail(found.error().clone());
  }
  if (found->documents.empty()) co_return std::nullopt;
  CO_TRY(Row row, Row::fromDocument(found->documents[0]));
  co_return std::optional<Row>(std::move(row));
}

void Queue::Impl::enter(Entry entry) {
  const int64_t left = entry.dueAt.ms - deps.clock.now().ms;
  const std::string id = entry.id, chain = entry.chain;
  if (left > 0) {
    // What is due later, or has no room, is found by the sweep.
    if (left > kSoonMs || delayed.size() >= kMaxDelayed) return;
    ++entry.kind->queued;
    delayed.emplace(entry.dueAt, std::move(entry));
    again = true;
  } else {
    KindState* kind = entry.kind;
    if (!kind->line.push(entry.keys(), store::Deadline::max(), entry)) {
      more = true;
      return;
    }
    ++kind->queued;
  }
  known.insert(id);
  if (!chain.empty()) chains.insert(chain);
}

void Queue::Impl::offerDelayed() {
  const Timestamp now = deps.clock.now();
  while (!delayed.empty() && delayed.begin()->first <= now) {
    Entry entry = std::move(delayed.extract(delayed.begin()).mapped());
    --entry.kind->queued;
    known.erase(entry.id);
    if (!entry.chain.empty()) chains.erase(entry.chain);
    enter(std::move(entry));
  }
}

void Queue::Impl::startRuns() {
  for (const auto& [name, kind] : kinds) {
    while (auto entry = kind->line.next()) {
      --kind->queued;
      begin(*std::move(entry));
    }
  }
}

}  // namespace mb::jobs
