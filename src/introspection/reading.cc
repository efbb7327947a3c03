#include "introspection/reading.h"

#include <algorithm>

#include "document/fields.h"
#include "document/foreign_bson.h"

namespace mb::introspection {

namespace {

using store::mongo::CommandError;

constexpr std::string_view kListCursor = "$cmd.listCollections";
constexpr size_t kMaxListed = 10'000;  // that are looked at
constexpr std::chrono::seconds kListTime{5};
constexpr std::chrono::seconds kTimeAfterSizes{1};
constexpr size_t kMaxIndexes = 64;
constexpr size_t kBatchBytes = 1 << 20;
constexpr size_t kMaxBatch = 100;
constexpr std::string_view kNotOfIds = "[^A-Za-z0-9_-]";
constexpr int32_t kMaxIdBytes = 64;

// The elements of a foreign document, as shown.
doc::Document shownObject(doc::DocumentView view) {
  doc::BsonWriter out;
  doc::ForeignReader reader(view.bytes());
  while (reader.next()) doc::appendShown(out, doc::asUtf8(reader.element().key), reader.element());
  return out.finish();
}

CollectionFacts factsOf(doc::DocumentView listed) {
  const doc::DocumentView options = doc::containerOr(listed, "options");
  const std::string_view type = listed.stringOr("type");
  CollectionFacts facts;
  facts.name = doc::asUtf8(listed.stringOr("name"));
  facts.view = type == "view";
  facts.timeSeries = type == "timeseries" || options.find("timeseries").has_value();
  facts.capped = doc::boolOr(options, "capped");
  facts.clustered = options.find("clusteredIndex").has_value();
  facts.encrypted = options.find("encryptedFields").has_value();
  facts.hasCollation = !doc::containerOr(options, "collation").empty();
  facts.hasValidator = !doc::containerOr(options, "validator").empty();
  facts.keepsPreImages = doc::boolOr(doc::containerOr(options, "changeStreamPreAndPostImages"), "enabled");
  return facts;
}

doc::Document listCommand(const Source& source, const std::string* name) {
  doc::BsonWriter out;
  out.appendInt32("listCollections", 1);
  if (name != nullptr) {
    out.beginDocument("filter");
    out.beginDocument("name");
    out.appendString("$eq", *name);
    out.end();
    out.end();
  }
  source.appendTimeLimit(out, kListTime);
  return out.finish();
}

struct Size {
  int64_t documents = 0;
  int64_t bytes = 0;
};

Outcome<Size> sizeOf(Source& source, const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("collStats", collection);
  source.appendTimeLimit(out, kListTime);
  const auto reply = source.read(out.finish());
  if (!reply) {
    // The collection has been dropped, or was never filled.
    if (reply.error().code == CommandError::kNamespaceNotFound) return Size();
    return std::unexpected(reply.error());
  }
  return Size{doc::integerOr(*reply, "count"), doc::integerOr(*reply, "size")};
}

}  // namespace

Outcome<std::vector<IndexFacts>> readIndexes(Source& source, const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("listIndexes", collection);
  source.appendTimeLimit(out, kListTime);
  const auto reply = source.read(out.finish());
  std::vector<IndexFacts> indexes;
  if (!reply) {
    if (reply.error().code == CommandError::kNamespaceNotFound) return indexes;
    return std::unexpected(reply.error());
  }
  // The server puts all of a collection into the first batch.
  for (const doc::DocumentView each : store::mongo::batchOf(*reply).documents) {
    if (indexes.size() == kMaxIndexes) break;
    IndexFacts index;
    index.name = doc::asUtf8(each.stringOr("name"));
    index.keys = shownObject(doc::containerOr(each, "key"));
    // The server does not say it of its own.
    index.unique = doc::boolOr(each, "unique") || index.name == "_id_";
    index.sparse = doc::boolOr(each, "sparse");
    if (each.find("expireAfterSeconds")) index.expireAfterSeconds = doc::integerOr(each, "expireAfterSeconds");
    index.hasCollation = doc::containerOr(each, "collation").stringOr("locale", "simple") != "simple";
    index.partialFilter = shownObject(doc::containerOr(each, "partialFilterExpression"));
    indexes.push_back(std::move(index));
  }
  return indexes;
}

namespace {

// {<name>: {$type: <path>}}
void appendTypeOf(doc::BsonWriter& out, std::string_view name, std::string_view path) {
  out.beginDocument(name);
  out.appendString("$type", path);
  out.end();
}

// {<name>: whether the value at `path` is a string of the form of an id}
void appendHasForm(doc::BsonWriter& out, std::string_view name, std::string_view path) {
  const auto compare = [&](std::string_view key, std::string_view op, int32_t bound) {
    out.beginDocument(key);
    out.beginArray(op);
    out.beginDocument("0");
    out.appendString("$strLenBytes", path);
    out.end();
    out.appendInt32("1", bound);
    out.end();
    out.end();
  };
  out.beginDocument(name);
  out.beginArray("$cond");
  out.beginDocument("0");
  out.beginArray("$eq");
  appendTypeOf(out, "0", path);
  out.appendString("1", "string");
  out.end();
  out.end();
  out.beginDocument("1");
  out.beginArray("$and");
  compare("0", "$gte", 1);
  compare("1", "$lte", kMaxIdBytes);
  out.beginDocument("2");
  out.beginArray("$not");
  out.beginDocument("0");
  out.beginDocument("$regexMatch");
  out.appendString("input", path);
  out.appendString("regex", kNotOfIds);
  out.end();
  out.end();
  out.end();
  out.end();
  out.end();
  out.end();
  out.appendBool("2", false);
  out.end();
  out.end();
}

// Groups all documents by the types and forms of `id` and `_id`.
doc::Document idsCommand(const Source& source, const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("aggregate", collection);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.beginDocument("$group");
  out.beginDocument("_id");
  appendTypeOf(out, "id", "$id");
  appendTypeOf(out, "key", "$_id");
  appendHasForm(out, "idFits", "$id");
  appendHasForm(out, "keyFits", "$_id");
  out.end();
  out.beginDocument("n");
  out.appendInt32("$sum", 1);
  out.end();
  out.end();
  out.end();
  out.end();
  out.beginDocument("cursor");
  out.end();
  source.appendTimeLimit(out, kCountTime);
  return out.finish();
}

void addGroup(IdCounts& counts, doc::DocumentView group) {
  const doc::DocumentView key = doc::containerOr(group, "_id");
  const int64_t documents = doc::integerOr(group, "n");
  const std::string_view id = key.stringOr("id");
  const bool isString = id == "string";
  const bool isShown = isString && doc::boolOr(key, "idFits");
  (isString ? counts.strings : id == "missing" ? counts.missing : counts.others) += documents;
  if (isString && !isShown) counts.malformed += documents;
  const bool isShownByKey = key.stringOr("key") == "objectId" || doc::boolOr(key, "keyFits");
  if (!isShown && !isShownByKey) counts.hidden += documents;
}

}  // namespace

Outcome<std::vector<Listed>> listCollections(Source& source) {
  std::vector<Listed> all;
  const auto read = source.each(kListCursor, listCommand(source, nullptr), [&](doc::DocumentView each) {
    if (!each.stringOr("name").starts_with("system.")) all.push_back({factsOf(each), std::nullopt, std::nullopt});
    return all.size() < kMaxListed;
  });
  if (!read) return std::unexpected(read.error());
  std::ranges::sort(all, {}, [](const Listed& each) -> const std::string& { return each.facts.name; });
  if (all.size() > kMaxCollections) all.resize(kMaxCollections);
  for (Listed& each : all) {
    if (source.isLate(kTimeAfterSizes)) break;
    if (each.facts.view) continue;
    const auto size = sizeOf(source, each.facts.name);
    if (!size && size.error().code < 0) return std::unexpected(size.error());
    if (!size) continue;  // the user may not read its size
    each.documents = size->documents;
    each.bytes = size->bytes;
  }
  return all;
}

Outcome<std::optional<CollectionFacts>> readFacts(Source& source, const std::string& collection) {
  std::optional<CollectionFacts> facts;
  const auto read = source.each(kListCursor, listCommand(source, &collection), [&](doc::DocumentView each) {
    facts = factsOf(each);
    return false;
  });
  if (!read) return std::unexpected(read.error());
  if (!facts || collection.starts_with("system.")) return std::nullopt;
  if (facts->view) return facts;
  const auto size = sizeOf(source, collection);
  if (!size) return std::unexpected(size.error());
  facts->documents = size->documents;
  facts->bytes = size->bytes;
  auto indexes = readIndexes(source, collection);
  if (!indexes) return std::unexpected(indexes.error());
  facts->indexes = *std::move(indexes);
  return facts;
}

Outcome<std::optional<IdCounts>> countIds(Source& source, const std::string& collection) {
  IdCounts counts;
  const auto read = source.each(collection, idsCommand(source, collection), [&](doc::DocumentView each) {
    addGroup(counts, each);
    return true;
  });
  if (read) return counts;
  if (read.error().code < 0) return std::unexpected(read.error());
  return std::nullopt;
}

Outcome<std::vector<std::string>> sampleDocuments(Source& source, const CollectionFacts& facts, size_t size) {
  const int64_t average = facts.documents > 0 ? std::max<int64_t>(1, facts.bytes / facts.documents) : 1;
  const int64_t batch = std::clamp<int64_t>(kBatchBytes / average, 1, kMaxBatch);
  doc::BsonWriter out;
  out.appendString("aggregate", facts.name);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.beginDocument("$sample");
  out.appendInt64("size", static_cast<int64_t>(size));
  out.end();
  out.end();
  out.end();
  out.beginDocument("cursor");
  out.appendInt64("batchSize", batch);
  out.end();
  source.appendTimeLimit(out, kSampleTime);
  const auto end = std::chrono::steady_clock::now() + kSampleTime;
  std::vector<std::string> samples;
  size_t bytes = 0;
  const auto read = source.each(facts.name, out.finish(), [&](doc::DocumentView each) {
    bytes += each.bytes().size();
    if (!samples.empty() && bytes > kMaxSampleBytes) return false;
    samples.emplace_back(each.bytes());
    return samples.size() < size && std::chrono::steady_clock::now() < end;
  });
  // What was read in time counts.
  if (!read && !read.error().isTime()) return std::unexpected(read.error());
  return samples;
}

}  // namespace mb::introspection
