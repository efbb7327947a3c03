#include "own_changes/follower.h"

#include <algorithm>

#include "base/crypto.h"
#include "base/log.h"
#include "document/fields.h"
#include "store/own/reading.h"
#include "store/own/router.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::own_changes {

namespace own = store::own;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{500};  // after a failure; each further one doubles it
constexpr std::chrono::milliseconds kLongestPause{30'000};
constexpr std::chrono::seconds kLeasePause{5};
constexpr std::chrono::seconds kSettlePause{60};
constexpr std::chrono::seconds kStoreTokenEvery{10};
constexpr std::chrono::seconds kExpireEvery{60};
constexpr size_t kPendingWritesAtOnce = 50;

size_t bytesOf(const store::ChangeEntry& entry) {
  return (entry.before ? entry.before->size() : 0) + (entry.after ? entry.after->size() : 0);
}

doc::Document sinceDetails(Timestamp at) {
  doc::BsonWriter out;
  out.appendString("since", toRfc3339(at));
  return out.finish();
}

void countUnnamed(own::StreamRecord& record, int64_t count, Timestamp now) {
  const bool isRecent =
      record.unnamedAt && now.ms - record.unnamedAt->ms <= std::chrono::milliseconds(own::kMissedTime).count();
  record.unnamed = count + (isRecent ? record.unnamed.value_or(0) : 0);
  record.unnamedAt = now;
}

}  // namespace

Follower::Follower(std::shared_ptr<Followers> shared, std::shared_ptr<own::Database> database)
    : shared_(std::move(shared)),
      database_(std::move(database)),
      lease_(fmt::format("own-changes-{}", database_->project())) {}

Async<void> Follower::run(std::shared_ptr<Follower> self) {
  std::chrono::milliseconds afterFailure = kFirstPause;
  while (self->runs()) {
    if (!co_await self->holdsLease()) {
      co_await self->pause(kLeasePause);
      continue;
    }
    const Result<std::chrono::milliseconds> step = co_await self->step();
    if (step) {
      afterFailure = kFirstPause;
      if (*step > 0ms) co_await self->pause(*step);
      continue;
    }
    if (!self->runs()) break;
    if (afterFailure == kFirstPause) {
      logWarn("changes of a project's own database not copied; retrying",
              {{"project", self->project()}, {"problem", step.error().message()}, {"cause", step.error().cause()}});
    }
    self->record_.reset();
    co_await self->closeStream();
    if (step.error().code() == ErrorCode::retry) self->releaseLease();
    co_await self->pause(afterFailure);
    afterFailure = std::min(2 * afterFailure, kLongestPause);
  }
  co_await self->closeStream();
  self->releaseLease();
  self->shared_->leave(self->project());
}

Async<void> Follower::pause(std::chrono::milliseconds time) {
  (void)co_await shared_->wake.waitUntil(steady_clock::now() + time, [this] { return !runs(); });
}

Async<bool> Follower::holdsLease() {
  jobs::Leases* leases = shared_->deps.leases;
  if (leases == nullptr || leased_) co_return true;
  leased_ = co_await leases->take(lease_);
  co_return leased_;
}

void Follower::releaseLease() {
  if (std::exchange(leased_, false)) shared_->deps.leases->release(lease_);
}

// Its connection is closed by a thread that may wait.
Async<void> Follower::closeStream() {
  if (!stream_) co_return;
  (void)co_await shared_->threads.run(std::to_string(project()), [stream = std::move(stream_)]() mutable -> Result<> {
    stream.reset();
    return {};
  });
  stream_.reset();
}

Task<std::chrono::milliseconds> Follower::step() {
  if (!record_) CO_RETURN_IF_ERROR(co_await load());
  if (!database_->capabilities().changeStreams) co_return co_await withoutStream();
  if (record_->token.empty()) {
    CO_RETURN_IF_ERROR(co_await begin(record_->restored.value_or(false)));
    co_return 0ms;
  }
  CO_TRY(Read read, co_await this->read(token_));
  if (!read.batch) {
    co_await closeStream();
    CO_RETURN_IF_ERROR(co_await begin(true));
    co_return 0ms;
  }
  const bool ended = std::ranges::any_of(
      read.batch->events, [](const own::StreamEvent& each) { return each.kind == own::StreamEvent::Kind::ended; });
  const bool isIdle = read.batch->events.empty();
  CO_RETURN_IF_ERROR(co_await copy(*std::move(read.batch)));
  if (ended) {
    co_await closeStream();
    CO_RETURN_IF_ERROR(co_await begin(true));
  }
  // Events of all pending writes that are old enough have come.
  if (isIdle && steady_clock::now() - expiredAt_ > kExpireEvery) CO_RETURN_IF_ERROR(co_await expire());
  co_return 0ms;
}

Task<> Follower::load() {
  CO_TRY(const auto stored, co_await shared_->deps.store.get(own::streamOf(project()), std::string(own::kStreamId)));
  CO_TRY(auto record, store::fromStore<own::StreamRecord>(stored));
  if (!record) record = own::StreamRecord{.id = std::string(own::kStreamId), .token = {}, .missedAt = {}};
  CO_TRY(token_, fromBase64(record->token));
  record_ = std::move(record);
  co_return Result<>();
}

Task<> Follower::loadNames() {
  store::MainStore& store = shared_->deps.store;
  const store::Epoch epoch = store.epoch(project());
  if (epoch == namesEpoch_) co_return Result<>();
  uint64_t read = epoch.value;
  if (!epoch.fresh) CO_TRY(read, co_await store.epochNow(project()));
  if (read == namesEpoch_) co_return Result<>();
  CO_TRY(const std::vector<store::CollectionInfo> collections, co_await store.collections(project()));
  numbers_.clear();
  for (const store::CollectionInfo& each : collections) {
    std::string there(each.config.view().stringOr(own::kSourceField, each.name));
    if (doc::boolOr(each.config.view(), own::kMissingField)) absent_.insert(there);
    numbers_.emplace(std::move(there), each.number);
  }
  std::erase_if(absent_, [this](const std::string& each) { return !numbers_.contains(each); });
  namesEpoch_ = read;
  co_return Result<>();
}

Task<Follower::Read> Follower::read(std::string token) {
  if (!stream_) stream_ = std::make_shared<own::ChangeStream>(database_);
  co_return co_await shared_->threads.run(
      std::to_string(project()),
      [stream = stream_, token = std::move(token), wait = shared_->streamWait()]() -> Result<Read> {
        auto batch = stream->next(token, wait);
        if (batch) return Read{*std::move(batch)};
        if (own::isPastLost(batch.error())) return Read();
        // The driver's text may hold addresses.
        return fail(own::unreachable().withCause(fmt::format("code {}", batch.error().code)));
      });
}

Task<> Follower::begin(bool missed) {
  if (!record_->opening.value_or(false)) {
    own::StreamRecord opening = *record_;
    opening.opening = true;
    CO_RETURN_IF_ERROR(co_await store(std::move(opening), {}, {}));
  }
  // What they changed before the stream begins has no event.
  CO_TRY(std::vector<own::Announcement> before, co_await pending());
  CO_TRY(const Read opened, co_await read(""));
  if (!opened.batch || opened.batch->token.empty()) {
    co_return fail(ErrorCode::unavailable, "the database gave no token of its changes");
  }
  const Timestamp now = shared_->deps.clock.now();
  own::StreamRecord next = *record_;
  next.token = toBase64(opened.batch->token);
  Chunk chunk;
  if (missed || next.restarts) chunk.entries.push_back(store::ChangeEntry::gap());
  next.restarts = false;
  next.restored.reset();
  next.opening.reset();
  std::vector<store::Insert> audit;
  if (missed) {
    next.missedAt = now;
    database_->askForProbe();
    audit = shared_->deps.auditor.entry(project(), "database.changes_missed", {"server", "", {}}, "database", "", "",
                                        sinceDetails(now));
    logWarn("a project's own database does not say all that changed; subscribers get a gap", {{"project", project()}});
  }
  CO_RETURN_IF_ERROR(co_await store(std::move(next), std::move(chunk), std::move(audit)));
  co_return co_await settle(std::move(before), own::Settled::logged);
}

Task<std::chrono::milliseconds> Follower::withoutStream() {
  if (record_->restarts || !record_->token.empty() || record_->opening.value_or(false)) {
    own::StreamRecord next = *record_;
    Chunk chunk;
    if (next.restarts) chunk.entries.push_back(store::ChangeEntry::gap());
    next.token.clear();
    next.restarts = false;
    next.restored.reset();
    next.opening.reset();
    CO_RETURN_IF_ERROR(co_await store(std::move(next), std::move(chunk), {}));
  }
  CO_TRY(std::vector<own::Announcement> left, co_await pending());
  CO_RETURN_IF_ERROR(co_await settle(std::move(left), own::Settled::removed));
  CO_RETURN_IF_ERROR(co_await expire());
  co_return kSettlePause;
}

Task<Translator::Records> Follower::pendingWritesOf(const std::vector<own::StreamEvent>& events) {
  std::set<std::string> distinct;
  for (const own::StreamEvent& each : events) {
    const auto number = numbers_.find(each.collection);
    if (number != numbers_.end() && !each.keyName.empty()) {
      distinct.insert(own::pendingWriteKey(number->second, each.keyName));
    }
  }
  const std::vector<std::string> keys(distinct.begin(), distinct.end());
  Translator::Records records;
  const store::CollectionRef collection = own::pendingWritesOf(project());
  for (size_t at = 0; at < keys.size();) {
    const size_t end = std::min(at + kPendingWritesAtOnce, keys.size());
    const std::vector<std::string> some(keys.begin() + static_cast<std::ptrdiff_t>(at),
                                        keys.begin() + static_cast<std::ptrdiff_t>(end));
    auto found = co_await shared_->deps.store.getMany(collection, some);
    // Their documents before are large.
    const bool isLarge = !found && found.error().code() == ErrorCode::payloadTooLarge;
    if (!found && !isLarge) co_return fail(found.error().clone());
    for (size_t i = 0; i < some.size(); ++i) {
      std::optional<doc::Document> stored;
      if (isLarge) {
        CO_TRY(stored, co_await shared_->deps.store.get(collection, some[i]));
      } else {
        stored = std::move((*found)[i]);
      }
      CO_TRY(auto record, store::fromStore<own::PendingWriteRecord>(stored));
      if (record) records[some[i]] = *std::move(record);
    }
    at = end;
  }
  co_return records;
}

Task<> Follower::copy(own::StreamBatch batch) {
  Chunk chunk;
  if (!batch.events.empty()) {
    CO_RETURN_IF_ERROR(co_await loadNames());
    CO_TRY(Translator::Records records, co_await pendingWritesOf(batch.events));
    PresentStates states(own::kStreamEvents, kPresentBytes);
    lookups_.begin(batch.asOf);
    for (const own::StreamEvent& event : batch.events) {
      noticeCollections(event);
      const auto number = numbers_.find(event.collection);
      if (number != numbers_.end()) {
        std::optional<doc::Document> present;
        std::string key = own::pendingWriteKey(number->second, event.keyName);
        if (lookups_.isBehind(key, event)) CO_TRY(present, co_await presentOf(event, std::move(key), states));
        Translator::Translation translation = translator_.translate(event, number->second, records, present);
        const bool isFull = chunk.entries.size() >= kChunkEntries || chunk.bytes >= kChunkBytes;
        const bool isOther = !chunk.entries.empty() && !translation.entries.empty() && chunk.trace != translation.trace;
        if (isFull || isOther) CO_RETURN_IF_ERROR(co_await commit(std::exchange(chunk, {})));
        if (!translation.entries.empty()) chunk.trace = std::move(translation.trace);
        if (translation.taken) chunk.taken[translation.taken->first].push_back(translation.taken->second);
        chunk.unnamed += translation.isUnnamed ? 1 : 0;
        for (store::ChangeEntry& each : translation.entries) {
          chunk.bytes += bytesOf(each);
          chunk.entries.push_back(std::move(each));
        }
      }
      chunk.token = event.token;
    }
  }
  chunk.token = std::move(batch.token);
  co_return co_await commit(std::move(chunk));
}

Task<std::optional<doc::Document>> Follower::presentOf(const own::StreamEvent& event, std::string key,
                                                       PresentStates& states) {
  const Present* known = states.find(key);
  if (!known) {
    Present present;
    const std::string id(event.after ? event.after->view().stringOr("id") : "");
    if (!id.empty()) {
      CO_TRY(auto found, co_await own::getStored({database_, event.collection}, {id}, steady_clock::now() + kLookTime));
      const bool isSame =
          found.front() && own::nameOfKey(*own::elementOf(found.front()->stored, "_id")) == event.keyName;
      if (isSame) present = {std::move(found.front()->shown), own::versionOf(found.front()->stored)};
    }
    const size_t bytes = present.shown ? std::min(present.shown->size(), kPresentBytes) : 0;
    known = &states.put(key, std::move(present), bytes);
  }
  if (known->shown) lookups_.readAgain(key, event, known->version);
  co_return known->shown;
}

void Follower::noticeCollections(const own::StreamEvent& event) {
  using Kind = own::StreamEvent::Kind;
  const bool vanished = event.kind == Kind::vanished && numbers_.contains(event.collection);
  // What vanished is there again by its first document, or another collection has its name now.
  const bool returned =
      (event.kind != Kind::vanished && absent_.erase(event.collection) > 0) || numbers_.contains(event.renamedTo);
  if (vanished) absent_.insert(event.collection);
  if (vanished || returned) database_->askForProbe();
}

Task<> Follower::commit(Chunk chunk) {
  const auto start = steady_clock::now();
  const size_t entries = chunk.entries.size();
  token_ = chunk.token;
  own::StreamRecord next = *record_;
  next.token = toBase64(chunk.token);
  if (chunk.unnamed > 0) countUnnamed(next, chunk.unnamed, shared_->deps.clock.now());
  // Reading events without a change again does no harm.
  const bool isLazy = next.token == record_->token || start - storedAt_ < kStoreTokenEvery;
  if (!chunk.changes() && isLazy) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await store(std::move(next), std::move(chunk), {}));
  const auto until = start + std::chrono::microseconds(1'000'000 * entries / kEntriesPerSecond);
  if (until > steady_clock::now()) {
    (void)co_await shared_->wake.waitUntil(until, [this] { return !runs(); });
  }
  co_return Result<>();
}

Task<> Follower::store(own::StreamRecord next, Chunk chunk, std::vector<store::Insert> audit) {
  store::Write write({.deadline = store::readDeadline(),
                      .actor = {store::ActorKind::server, ""},
                      .bumpEpochs = {},
                      .trace = chunk.trace});
  const store::Target row = write.change(own::streamOf(project()), next.id);
  std::vector<std::pair<store::Target, std::vector<TakenWrite>>> taken;
  for (auto& [key, writes] : chunk.taken) {
    taken.emplace_back(write.change(own::pendingWritesOf(project()), key), std::move(writes));
  }
  for (store::ChangeEntry& each : chunk.entries) write.log(project(), std::move(each));
  write.insert(std::move(audit));
  const int64_t expected = next.moves++;
  const auto callback = [row, expected, &next = std::as_const(next), &taken = std::as_const(taken)](
                            const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(const auto now, store::fromStore<own::StreamRecord>(before[row]));
    if ((now ? now->moves : 0) != expected) return fail(ErrorCode::retry, "another server copies these changes");
    changes.put(row, doc::encode(next));
    for (const auto& [record, writes] : taken) {
      TRY(const std::set<int64_t> open, own::openIn(before[record]));
      std::vector<int64_t> numbers;
      for (const TakenWrite& each : writes) {
        if (each.isOpen && !open.contains(each.number))
          return fail(ErrorCode::retry, "a write has logged its change itself");
        numbers.push_back(each.number);
      }
      TRY(store::Change change, own::settle(before[record], numbers, own::Settled::removed));
      changes.set(record, std::move(change));
    }
    return {};
  };
  CO_RETURN_IF_ERROR(co_await shared_->deps.store.write(std::move(write), callback));
  CO_TRY(token_, fromBase64(next.token));
  record_ = std::move(next);
  storedAt_ = steady_clock::now();
  co_return Result<>();
}

}  // namespace mb::own_changes
