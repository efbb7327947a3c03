#include "introspection/backfill.h"

#include <algorithm>

#include "document/fields.h"
#include "store/mongo/commands.h"
#include "store/own/documents.h"

namespace mb::introspection {

namespace {

constexpr size_t kRound = 100;            // documents of one command
constexpr size_t kMaxKeyBytes = 8 << 20;  // of all `_id`s of a call
constexpr std::chrono::seconds kFindTime{20};
constexpr std::chrono::seconds kTimeAfterRounds{2};  // for what follows the last round

void appendMissing(doc::BsonWriter& out) {
  out.beginDocument("id");
  out.appendBool("$exists", false);
  out.end();
}

// The `_id`s of the next documents without `id`.
Outcome<std::vector<doc::Value>> keysWithoutId(Source& source, const std::string& collection, int64_t limit) {
  doc::BsonWriter out;
  out.appendString("find", collection);
  out.beginDocument("filter");
  appendMissing(out);
  out.end();
  out.beginDocument("projection");
  out.appendInt32("_id", 1);
  out.end();
  out.beginDocument("sort");
  out.appendInt32("_id", 1);
  out.end();
  out.appendInt64("limit", limit);
  source.appendTimeLimit(out, kFindTime);
  std::vector<doc::Value> keys;
  size_t bytes = 0;
  const auto read = source.each(collection, out.finish(), [&](doc::DocumentView each) {
    const auto key = each.find("_id");
    if (!key) return true;
    bytes += key->raw().size();
    keys.emplace_back(*key);
    return bytes < kMaxKeyBytes;
  });
  if (!read) return std::unexpected(read.error());
  return keys;
}

// By this the copier of changes knows these writes (store/own/stream_event.h).
std::string idFor(doc::ValueView key, store::own::Cover& cover) {
  return store::own::backfilledId({static_cast<uint8_t>(key.type()), "_id", key.raw()}, cover);
}

// {q: {_id: {$eq: key}, id: {$exists: false}}, u: {$set: {id: id}}}
doc::Document statementFor(doc::ValueView key, std::string_view id) {
  doc::BsonWriter out;
  out.beginDocument("q");
  out.beginDocument("_id");
  out.append("$eq", key);
  out.end();
  appendMissing(out);
  out.end();
  out.beginDocument("u");
  out.beginDocument("$set");
  out.appendString("id", id);
  out.end();
  out.end();
  return out.finish();
}

Outcome<int64_t> countWithoutId(Source& source, const std::string& collection) {
  doc::BsonWriter missing;
  appendMissing(missing);
  const doc::Document command = store::mongo::countCommand(
      collection, missing.finish(), [&](doc::BsonWriter& out) { source.appendTimeLimit(out, kFindTime); });
  int64_t count = 0;
  const auto read = source.each(collection, command, [&](doc::DocumentView each) {
    count = doc::integerOr(each, "n");
    return true;
  });
  if (!read) return std::unexpected(read.error());
  return count;
}

}  // namespace

Outcome<BackfillReport> backfillIds(Source& source, const std::string& collection, int64_t limit,
                                    store::own::Cover& cover) {
  const auto keys = keysWithoutId(source, collection, limit);
  if (!keys) return std::unexpected(keys.error());
  BackfillReport report;
  for (size_t at = 0; at < keys->size() && !source.isLate(kTimeAfterRounds); at += kRound) {
    std::vector<doc::Document> statements;
    for (size_t i = at; i < std::min(at + kRound, keys->size()); ++i) {
      statements.push_back(statementFor((*keys)[i], idFor((*keys)[i], cover)));
    }
    const auto reply = source.write(store::mongo::statementsCommand("update", collection, "updates", statements));
    if (!reply) return std::unexpected(reply.error());
    report.matched += static_cast<int64_t>(statements.size());
    report.modified += doc::integerOr(*reply, "nModified");
  }
  const auto remaining = countWithoutId(source, collection);
  if (!remaining) return std::unexpected(remaining.error());
  report.remaining = *remaining;
  return report;
}

Outcome<> createIdIndex(Source& source, const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("createIndexes", collection);
  out.beginArray("indexes");
  out.beginDocument("0");
  out.beginDocument("key");
  out.appendInt32("id", 1);
  out.end();
  out.appendString("name", kIdIndex);
  out.appendBool("unique", true);
  out.beginDocument("partialFilterExpression");
  out.beginDocument("id");
  out.appendString("$type", "string");
  out.end();
  out.end();
  // The collection may have another one, by which ids of different case would be the same.
  out.beginDocument("collation");
  out.appendString("locale", "simple");
  out.end();
  out.end();
  out.end();
  const auto reply = source.write(out.finish());
  if (!reply) return std::unexpected(reply.error());
  return {};
}

Outcome<> keepPreImages(Source& source, const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("collMod", collection);
  out.beginDocument("changeStreamPreAndPostImages");
  out.appendBool("enabled", true);
  out.end();
  const auto reply = source.write(out.finish());
  if (!reply) return std::unexpected(reply.error());
  return {};
}

}  // namespace mb::introspection
