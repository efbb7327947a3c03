#include "store/own/stream_event.h"

#include <array>
#include <cstring>
#include <utility>

namespace mb::store::own {

namespace {

using doc::BsonType;
using doc::ForeignElement;
using Kind = StreamEvent::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 8> kKinds = {{{"insert", Kind::insert},
                                                                      {"update", Kind::update},
                                                                      {"replace", Kind::replace},
                                                                      {"delete", Kind::remove},
                                                                      {"drop", Kind::vanished},
                                                                      {"rename", Kind::vanished},
                                                                      {"dropDatabase", Kind::vanished},
                                                                      {"invalidate", Kind::ended}}};

Kind kindOf(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return Kind::other;
}

// A document in a document; nullopt for anything else.
std::optional<std::string_view> documentIn(std::string_view outer, std::string_view key) {
  const auto element = elementOf(outer, key);
  if (!element || !element->is(BsonType::document)) return std::nullopt;
  return element->value;
}

std::string textIn(std::string_view outer, std::string_view key) {
  const auto element = elementOf(outer, key);
  return element && element->is(BsonType::string) ? std::string(element->text()) : std::string();
}

// Whether an array in a document is absent or has no element.
bool isEmpty(std::string_view outer, std::string_view key) {
  const auto element = elementOf(outer, key);
  return !element || !element->isContainer() || !doc::ForeignReader(element->value).next();
}

bool setsBackfilledId(std::string_view event, const ForeignElement& key, Cover& cover) {
  const auto description = documentIn(event, "updateDescription");
  if (!description) return false;
  const auto set = documentIn(*description, "updatedFields");
  if (!set || !isEmpty(*description, "removedFields") || !isEmpty(*description, "truncatedArrays")) return false;
  doc::ForeignReader fields(*set);
  if (!fields.next()) return false;
  const ForeignElement id = fields.element();
  if (id.key != "id" || !id.is(BsonType::string) || fields.next()) return false;
  return id.text() == backfilledId(key, cover);
}

std::optional<std::string> idIn(const std::optional<doc::Document>& document) {
  if (!document) return std::nullopt;
  return std::string(document->view().stringOr("id"));
}

ChangeEntry removalOf(CollectionNo collection, std::string id, const std::optional<doc::Document>& before) {
  ChangeEntry entry;
  entry.kind = ChangeEntry::Kind::remove;
  entry.collection = collection;
  entry.id = std::move(id);
  entry.before = before;
  return entry;
}

ChangeEntry::Kind entryKind(Kind kind) {
  if (kind == Kind::insert) return ChangeEntry::Kind::insert;
  return kind == Kind::replace ? ChangeEntry::Kind::replace : ChangeEntry::Kind::update;
}

}  // namespace

uint64_t timeOf(std::string_view timestamp) {
  uint64_t at = 0;
  if (timestamp.size() == sizeof at) std::memcpy(&at, timestamp.data(), sizeof at);
  return at;
}

StreamEvent readEvent(std::string_view event, Cover& cover) {
  StreamEvent out;
  out.bytes = event.size();
  if (const auto token = documentIn(event, "_id")) out.token = *token;
  out.kind = kindOf(textIn(event, "operationType"));
  const auto time = elementOf(event, "clusterTime");
  if (time && time->is(BsonType::timestamp)) out.at = timeOf(time->value);
  if (const auto place = documentIn(event, "ns")) out.collection = textIn(*place, "coll");
  if (const auto place = documentIn(event, "to")) out.renamedTo = textIn(*place, "coll");
  const auto keys = documentIn(event, "documentKey");
  const auto key = keys ? elementOf(*keys, "_id") : std::nullopt;
  if (!key) return out;
  out.keyName = nameOfKey(*key);
  out.idOfKey = idOfKey(*key, cover);
  if (const auto after = documentIn(event, "fullDocument")) {
    out.after = shown(*after, cover);
    out.version = versionOf(*after);
  }
  if (const auto before = documentIn(event, "fullDocumentBeforeChange")) {
    out.before = shown(*before, cover);
    out.hasBefore = true;
  }
  out.isBackfill = out.kind == Kind::update && setsBackfilledId(event, *key, cover);
  return out;
}

std::vector<ChangeEntry> entriesOf(const StreamEvent& event, CollectionNo collection,
                                   const std::optional<std::string>& knownId) {
  std::optional<std::string> was = event.hasBefore ? idIn(event.before) : knownId;
  if (event.kind == Kind::remove) {
    if (!was && !event.hasBefore) was = event.idOfKey;
    if (!was) return {};
    return {removalOf(collection, *std::move(was), event.before)};
  }
  // The removal of a document that does not exist any more is an event of its own.
  const bool stores = event.kind == Kind::insert || event.kind == Kind::update || event.kind == Kind::replace;
  if (!stores || event.version == 0 || event.isBackfill) return {};
  std::vector<ChangeEntry> entries;
  const std::optional<std::string> is = idIn(event.after);
  const bool leaves = was && was != is;
  if (leaves) entries.push_back(removalOf(collection, *was, event.before));
  if (!is) return entries;
  ChangeEntry entry;
  entry.collection = collection;
  entry.id = *is;
  entry.after = event.after;
  const bool appears = leaves || (event.hasBefore && !was);
  entry.kind = appears ? ChangeEntry::Kind::insert : entryKind(event.kind);
  if (!appears) entry.before = event.before;
  entries.push_back(std::move(entry));
  return entries;
}

}  // namespace mb::store::own
