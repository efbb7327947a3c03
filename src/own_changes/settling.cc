// What becomes of pending writes without an event: those of databases without change streams, and those of a stream
// that cannot continue.
#include "base/log.h"
#include "own_changes/follower.h"
#include "store/own/reading.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::own_changes {

namespace own = store::own;

namespace {

constexpr uint64_t kPage = 100;

bool isOld(const own::PendingWrite& pendingWrite, Timestamp now) {
  return now.ms - pendingWrite.at.ms > std::chrono::milliseconds(own::kPendingWriteTime).count();
}

}  // namespace

Task<std::vector<own::Announcement>> Follower::pending() {
  std::vector<own::Announcement> all;
  std::string last;
  while (true) {
    store::Query query = store::queryOf(own::pendingWritesOf(project()), {}, kPage, store::readDeadline());
    query.paged = true;
    query.seesMore = true;
    query.after = last;
    CO_TRY(const store::QueryResult page, co_await shared_->deps.store.find(std::move(query)));
    CO_TRY(std::vector<own::PendingWriteRecord> records, store::fromStore<own::PendingWriteRecord>(page.documents));
    for (own::PendingWriteRecord& record : records) {
      for (own::PendingWrite& each : record.pendingWrites) all.push_back({record.id, std::move(each)});
    }
    if (!page.more) co_return all;
    last = page.next;
  }
}

Task<> Follower::settle(std::vector<own::Announcement> pending, own::Settled how) {
  for (own::Announcement& each : pending) {
    if (!runs()) break;
    if (each.pendingWrite.logged || each.pendingWrite.silent) continue;
    const Result<> settled = co_await settleOne(std::move(each), how);
    // Its write has logged it since it was read.
    if (!settled && settled.error().code() != ErrorCode::retry) co_return fail(settled.error().clone());
  }
  co_return Result<>();
}

Task<> Follower::settleOne(own::Announcement one, own::Settled how) {
  CO_RETURN_IF_ERROR(co_await loadNames());
  const auto name = std::ranges::find_if(
      numbers_, [&one](const auto& each) { return static_cast<int64_t>(each.second) == one.pendingWrite.collection; });
  if (name == numbers_.end()) co_return Result<>();
  CO_TRY(auto found, co_await own::getStored({database_, name->first}, {one.pendingWrite.id},
                                             std::chrono::steady_clock::now() + kLookTime));
  std::optional<own::StoredDocument>& now = found.front();
  const int64_t version = now ? static_cast<int64_t>(own::versionOf(now->stored)) : 0;
  if (version != one.pendingWrite.after) co_return Result<>();
  store::Write write(
      {.deadline = store::readDeadline(), .actor = {}, .bumpEpochs = {}, .trace = one.pendingWrite.trace});
  write.log(project(), own::entryOf(one.pendingWrite, now ? std::optional(std::move(now->shown)) : std::nullopt));
  const store::Target record = write.change(own::pendingWritesOf(project()), one.key);
  const auto callback = [record, number = one.pendingWrite.number, how](const store::PreImages& before,
                                                                        store::Changes& changes) -> Result<> {
    TRY(const bool isOpen, own::isOpen(before[record], number));
    if (!isOpen) return fail(ErrorCode::retry, "the change was logged concurrently");
    TRY(store::Change change, own::settle(before[record], {number}, how));
    changes.set(record, std::move(change));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await shared_->deps.store.write(std::move(write), callback));
  co_return Result<>();
}

Task<> Follower::expire() {
  CO_TRY(std::vector<own::Announcement> old, co_await pending());
  const Timestamp now = shared_->deps.clock.now();
  std::erase_if(old, [now](const own::Announcement& each) { return !isOld(each.pendingWrite, now); });
  for (own::Announcement& each : old) {
    std::vector<own::Announcement> one;
    one.push_back(std::move(each));
    co_await own::retract(shared_->deps.store, project(), std::move(one), store::readDeadline());
  }
  expiredAt_ = std::chrono::steady_clock::now();
  co_return Result<>();
}

}  // namespace mb::own_changes
