#include "store/own/pending_writes.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "store/records.h"

namespace mb::store::own {

namespace {

size_t bytesOf(const std::vector<PendingWrite>& pendingWrites) {
  size_t bytes = 0;
  for (const PendingWrite& each : pendingWrites) bytes += each.before ? each.before->size() : 0;
  return bytes;
}

Result<PendingWriteRecord> recordOf(const std::optional<doc::Document>& stored, const std::string& key) {
  TRY(auto record, fromStore<PendingWriteRecord>(stored));
  return record ? *std::move(record) : PendingWriteRecord{key, {}};
}

void append(PendingWriteRecord& record, PendingWrite pendingWrite) {
  if (record.pendingWrites.size() >= kMaxPendingWrites) record.pendingWrites.erase(record.pendingWrites.begin());
  const size_t bytes = bytesOf(record.pendingWrites) + (pendingWrite.before ? pendingWrite.before->size() : 0);
  if (bytes > kMaxPendingWriteBytes) pendingWrite.before.reset();
  record.pendingWrites.push_back(std::move(pendingWrite));
}

Write writing(Deadline deadline) {
  return Write({.deadline = deadline, .actor = {ActorKind::server, ""}, .bumpEpochs = {}});
}

Result<StreamRecord> restartedRecord(const std::optional<doc::Document>& stream) {
  TRY(auto record, fromStore<StreamRecord>(stream));
  if (!record) record = StreamRecord{.id = std::string(kStreamId), .token = {}, .missedAt = {}};
  record->token.clear();
  record->restarts = true;
  ++record->moves;
  return *std::move(record);
}

}  // namespace

std::vector<SystemCollection> systemCollections() {
  return {{.number = kPendingWrites, .name = "__own_pending_writes", .indexes = {}},
          {.number = kStream, .name = "__own_stream", .indexes = {}},
          {.number = kIndexDrops, .name = "__own_index_drops", .indexes = {}}};
}

std::string pendingWriteKey(CollectionNo collection, std::string_view keyName) {
  return fmt::format("{}-{}", collection, keyName);
}

Result<doc::Document> restarted(const std::optional<doc::Document>& stream) {
  TRY(const StreamRecord record, restartedRecord(stream));
  return doc::encode(record);
}

Result<doc::Document> restoredStream(const std::optional<doc::Document>& stream) {
  TRY(StreamRecord record, restartedRecord(stream));
  record.restored = true;
  return doc::encode(record);
}

ChangeEntry entryOf(const PendingWrite& pendingWrite, std::optional<doc::Document> after) {
  using Kind = ChangeEntry::Kind;
  ChangeEntry entry;
  entry.collection = static_cast<CollectionNo>(pendingWrite.collection);
  entry.id = pendingWrite.id;
  entry.before = pendingWrite.before;
  entry.after = std::move(after);
  entry.actor = {actorKindOf(pendingWrite.actorKind), pendingWrite.actorId};
  const Kind changed = pendingWrite.replaces ? Kind::replace : Kind::update;
  entry.kind = pendingWrite.after == 0 ? Kind::remove : pendingWrite.existed ? changed : Kind::insert;
  return entry;
}

Task<bool> announce(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline) {
  Write write = writing(deadline);
  const Target stream = write.peek(streamOf(project), std::string(kStreamId));
  std::vector<Target> records;
  for (const Announcement& each : all) records.push_back(write.change(pendingWritesOf(project), each.key));
  const auto callback = [stream, records = std::move(records), &all = std::as_const(all)](
                            const PreImages& before, Changes& changes) -> Result<bool> {
    // Several may be for one document.
    std::map<size_t, PendingWriteRecord> now;
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t at = records[i].position();
      if (!now.contains(at)) TRY(now[at], recordOf(before[records[i]], all[i].key));
      append(now[at], all[i].pendingWrite);
      changes.put(records[i], doc::encode(now[at]));
    }
    return isCopied(before[stream]);
  };
  co_return co_await writeReturning(main, std::move(write), callback);
}

Async<void> retract(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline) {
  Write write = writing(deadline);
  std::map<std::string, std::vector<int64_t>> numbers;
  for (const Announcement& each : all) numbers[each.key].push_back(each.pendingWrite.number);
  std::vector<std::pair<Target, std::vector<int64_t>>> records;
  for (auto& [key, of] : numbers) records.emplace_back(write.change(pendingWritesOf(project), key), std::move(of));
  const auto callback = [records = std::move(records)](const PreImages& before, Changes& changes) -> Result<> {
    for (const auto& [record, of] : records) {
      TRY(Change change, settle(before[record], of, Settled::removed));
      changes.set(record, std::move(change));
    }
    return {};
  };
  const auto done = co_await main.write(std::move(write), callback);
  if (!done) logWarn("pending writes without effect not removed; they expire", {{"problem", done.error().message()}});
}

Result<Change> settle(const std::optional<doc::Document>& stored, const std::vector<int64_t>& numbers, Settled how) {
  TRY(auto record, fromStore<PendingWriteRecord>(stored));
  if (!record) return Change::keep();
  const auto isMeant = [&numbers](const PendingWrite& each) {
    return std::ranges::find(numbers, each.number) != numbers.end();
  };
  if (how == Settled::removed) {
    std::erase_if(record->pendingWrites, isMeant);
    if (record->pendingWrites.empty()) return Change::remove();
  } else {
    for (PendingWrite& each : record->pendingWrites) each.logged = each.logged || isMeant(each);
  }
  return Change::put(doc::encode(*record));
}

Result<std::set<int64_t>> openIn(const std::optional<doc::Document>& stored) {
  TRY(const auto record, fromStore<PendingWriteRecord>(stored));
  std::set<int64_t> open;
  if (!record) return open;
  for (const PendingWrite& each : record->pendingWrites) {
    if (!each.logged) open.insert(each.number);
  }
  return open;
}

Result<bool> isOpen(const std::optional<doc::Document>& stored, int64_t number) {
  TRY(const std::set<int64_t> open, openIn(stored));
  return open.contains(number);
}

Result<bool> isCopied(const std::optional<doc::Document>& stream) {
  TRY(const auto record, fromStore<StreamRecord>(stream));
  return record && !record->token.empty();
}

Result<bool> mayBring(const std::optional<doc::Document>& stream) {
  TRY(const auto record, fromStore<StreamRecord>(stream));
  return record && (!record->token.empty() || record->opening.value_or(false));
}

}  // namespace mb::store::own
