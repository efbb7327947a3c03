#include "store/own/intents.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "store/records.h"

namespace mb::store::own {

namespace {

size_t bytesOf(const std::vector<Intent>& intents) {
  size_t bytes = 0;
  for (const Intent& each : intents) bytes += each.before ? each.before->size() : 0;
  return bytes;
}

Result<IntentRecord> recordOf(const std::optional<doc::Document>& stored, const std::string& key) {
  TRY(auto record, fromStore<IntentRecord>(stored));
  return record ? *std::move(record) : IntentRecord{key, {}};
}

void append(IntentRecord& record, Intent intent) {
  if (record.intents.size() >= kMaxIntents) record.intents.erase(record.intents.begin());
  const size_t bytes = bytesOf(record.intents) + (intent.before ? intent.before->size() : 0);
  if (bytes > kMaxIntentBytes) intent.before.reset();
  record.intents.push_back(std::move(intent));
}

Write writing(Deadline deadline) {
  return Write({.deadline = deadline, .actor = {ActorKind::server, ""}, .bumpEpochs = {}});
}

}  // namespace

std::vector<SystemCollection> systemCollections() {
  return {{.number = kIntents, .name = "__own_intents", .indexes = {}},
          {.number = kStream, .name = "__own_stream", .indexes = {}}};
}

std::string intentKey(CollectionNo collection, std::string_view keyName) {
  return fmt::format("{}-{}", collection, keyName);
}

Result<doc::Document> restarted(const std::optional<doc::Document>& stream) {
  TRY(auto record, fromStore<StreamRecord>(stream));
  if (!record) record = StreamRecord{.id = std::string(kStreamId), .token = {}, .missedAt = {}};
  record->token.clear();
  record->restarts = true;
  ++record->moves;
  return doc::encode(*record);
}

ChangeEntry entryOf(const Intent& intent, std::optional<doc::Document> after) {
  using Kind = ChangeEntry::Kind;
  ChangeEntry entry;
  entry.collection = static_cast<CollectionNo>(intent.collection);
  entry.id = intent.id;
  entry.before = intent.before;
  entry.after = std::move(after);
  entry.actor = {actorKindOf(intent.actorKind), intent.actorId};
  const Kind changed = intent.replaces ? Kind::replace : Kind::update;
  entry.kind = intent.after == 0 ? Kind::remove : intent.existed ? changed : Kind::insert;
  return entry;
}

Task<bool> announce(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline) {
  Write write = writing(deadline);
  const Target stream = write.peek(streamOf(project), std::string(kStreamId));
  std::vector<Target> records;
  for (const Announcement& each : all) records.push_back(write.change(intentsOf(project), each.key));
  const auto callback = [stream, records = std::move(records), &all = std::as_const(all)](
                            const PreImages& before, Changes& changes) -> Result<bool> {
    // Several may be for one document.
    std::map<size_t, IntentRecord> now;
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t at = records[i].position();
      if (!now.contains(at)) TRY(now[at], recordOf(before[records[i]], all[i].key));
      append(now[at], all[i].intent);
      changes.put(records[i], doc::encode(now[at]));
    }
    return isCopied(before[stream]);
  };
  co_return co_await writeReturning(main, std::move(write), callback);
}

Async<void> retract(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline) {
  Write write = writing(deadline);
  std::map<std::string, std::vector<int64_t>> numbers;
  for (const Announcement& each : all) numbers[each.key].push_back(each.intent.number);
  std::vector<std::pair<Target, std::vector<int64_t>>> records;
  for (auto& [key, of] : numbers) records.emplace_back(write.change(intentsOf(project), key), std::move(of));
  const auto callback = [records = std::move(records)](const PreImages& before, Changes& changes) -> Result<> {
    for (const auto& [record, of] : records) {
      TRY(Change change, settle(before[record], of, Settled::removed));
      changes.set(record, std::move(change));
    }
    return {};
  };
  const auto done = co_await main.write(std::move(write), callback);
  if (!done)
    logWarn("intents of writes without effect not removed; they expire", {{"problem", done.error().message()}});
}

Result<Change> settle(const std::optional<doc::Document>& stored, const std::vector<int64_t>& numbers, Settled how) {
  TRY(auto record, fromStore<IntentRecord>(stored));
  if (!record) return Change::keep();
  const auto isMeant = [&numbers](const Intent& each) {
    return std::ranges::find(numbers, each.number) != numbers.end();
  };
  if (how == Settled::removed) {
    std::erase_if(record->intents, isMeant);
    if (record->intents.empty()) return Change::remove();
  } else {
    for (Intent& each : record->intents) each.logged = each.logged || isMeant(each);
  }
  return Change::put(doc::encode(*record));
}

Result<bool> isOpen(const std::optional<doc::Document>& stored, int64_t number) {
  TRY(const auto record, fromStore<IntentRecord>(stored));
  return record && std::ranges::any_of(record->intents,
                                       [number](const Intent& each) { return each.number == number && !each.logged; });
}

Result<bool> isCopied(const std::optional<doc::Document>& stream) {
  TRY(const auto record, fromStore<StreamRecord>(stream));
  return record && !record->token.empty();
}

}  // namespace mb::store::own
