#include <algorithm>

#include "own_changes/follower.h"

namespace mb::own_changes {

namespace {

using store::own::PendingWrite;
using store::own::StreamEvent;

// Statements that are made here replace, insert and remove whole documents.
bool mayBeOwn(const StreamEvent& event) {
  return event.kind == StreamEvent::Kind::insert || event.kind == StreamEvent::Kind::replace ||
         event.kind == StreamEvent::Kind::remove;
}

// A log entry must fit into a document of MongoDB, where the main store is on it: without the document before, else as
// a gap.
constexpr size_t kMaxBoth = 8 << 20;
constexpr size_t kMaxOne = 14 << 20;

size_t sizeOf(const std::optional<doc::Document>& document) {
  return document ? document->size() : 0;
}

void bound(store::ChangeEntry& entry) {
  if (std::max(sizeOf(entry.before), sizeOf(entry.after)) > kMaxOne) {
    entry = store::ChangeEntry::gap();
  } else if (entry.after && sizeOf(entry.before) + entry.after->size() > kMaxBoth) {
    entry.before.reset();
  }
}

// Where the document is still the one that the entry names.
void show(store::ChangeEntry& entry, const std::optional<doc::Document>& present) {
  if (present && entry.after && present->view().stringOr("id") == entry.id) entry.after = present;
}

}  // namespace

void Translator::remember(const std::string& key, const StreamEvent& event) {
  if (event.kind == StreamEvent::Kind::remove) return knownIds_.erase(key);
  if (!event.after) return;
  std::string id(event.after->view().stringOr("id"));
  if (id == event.idOfKey) return knownIds_.erase(key);
  knownIds_.put(key, std::move(id));
}

Translator::Translation Translator::translate(const StreamEvent& event, store::CollectionNo collection,
                                              Records& records, const std::optional<doc::Document>& present) {
  Translation out;
  if (event.kind == StreamEvent::Kind::vanished) {
    out.entries.push_back(store::ChangeEntry::gap());
    return out;
  }
  if (event.keyName.empty()) return out;
  const std::string key = store::own::pendingWriteKey(collection, event.keyName);
  const auto record = mayBeOwn(event) ? records.find(key) : records.end();
  if (record != records.end()) {
    std::vector<PendingWrite>& pendingWrites = record->second.pendingWrites;
    const auto version = event.kind == StreamEvent::Kind::remove ? 0 : static_cast<int64_t>(event.version);
    const auto pendingWrite = std::ranges::find(pendingWrites, version, &PendingWrite::after);
    if (pendingWrite != pendingWrites.end()) {
      const bool isOpen = !pendingWrite->silent && !pendingWrite->logged;
      out.taken.emplace(key, TakenWrite{pendingWrite->number, isOpen});
      out.trace = pendingWrite->trace;
      if (isOpen) {
        out.entries.push_back(store::own::entryOf(*pendingWrite, event.after));
        if (!out.entries.back().before) out.entries.back().before = event.before;
        show(out.entries.back(), present);
        bound(out.entries.back());
      }
      pendingWrites.erase(pendingWrite);
      remember(key, event);
      return out;
    }
  }
  const std::string* known = knownIds_.find(key);
  out.entries = store::own::entriesOf(event, collection, known ? std::optional(*known) : std::nullopt);
  out.isUnnamed = event.kind == StreamEvent::Kind::remove && !event.hasBefore && out.entries.empty();
  for (store::ChangeEntry& each : out.entries) {
    each.actor = {store::ActorKind::external, ""};
    show(each, present);
    bound(each);
  }
  remember(key, event);
  return out;
}

}  // namespace mb::own_changes
