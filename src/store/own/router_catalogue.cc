// Collections and indexes of projects whose documents are in a database of their owner: made there first, then in the
// catalogue.
#include "document/fields.h"
#include "store/document_limits.h"
#include "store/index_rules.h"
#include "store/mongo/commands.h"
#include "store/own/pending_writes.h"
#include "store/own/router.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::store::own {

namespace {

using mongo::CommandError;

constexpr int kIndexNotFound = 27;
// BadValue, FailedToParse, TypeMismatch, CannotCreateIndex, CannotIndexParallelArrays and the like.
constexpr std::array kBadIndex = {2, 9, 14, 67, 171, 197};
constexpr std::array kOtherIndex = {68, 85, 86};  // with other options or keys
constexpr std::chrono::seconds kDefinitionTime{30};
constexpr uint64_t kMaxDrops = 1000;  // at once

Deadline definitionDeadline() {
  return std::chrono::steady_clock::now() + kDefinitionTime;
}

doc::Document createCommand(std::string_view name, bool preImages) {
  doc::BsonWriter out;
  out.appendString("create", name);
  if (preImages) {
    out.beginDocument("changeStreamPreAndPostImages");
    out.appendBool("enabled", true);
    out.end();
  }
  return out.finish();
}

// Ids that clients choose need it.
doc::Document idIndexCommand(std::string_view collection) {
  doc::BsonWriter out;
  out.appendString("createIndexes", collection);
  out.beginArray("indexes");
  out.beginDocument("0");
  out.appendString("name", kIdIndex);
  out.beginDocument("key");
  out.appendInt32("id", 1);
  out.end();
  out.appendBool("unique", true);
  out.beginDocument("partialFilterExpression");
  out.beginDocument("id");
  out.appendString("$type", "string");
  out.end();
  out.end();
  out.end();
  out.end();
  return out.finish();
}

Error existsThere() {
  return Error(ErrorCode::conflict, "the project's database has a collection of this name: import it");
}

// Newer servers accept the creation of a collection that exists, so it is looked up first.
Result<bool> isThere(mongo::Connection& connection, Database& database, const std::string& name) {
  doc::BsonWriter out;
  out.appendInt32("listCollections", 1);
  out.beginDocument("filter");
  out.appendString("name", name);
  out.end();
  out.appendBool("nameOnly", true);
  const auto reply = connection.run(database.name(), out.finish());
  if (!reply) return fail(database.failed(reply.error()));
  return !mongo::batchOf(*reply).documents.empty();
}

Result<> makeCollection(mongo::Connection& connection, Database& database, const std::string& name) {
  TRY(const bool there, isThere(connection, database, name));
  if (there) return fail(existsThere());
  const auto done = connection.write(database.name(), createCommand(name, database.capabilities().preImages));
  if (!done && done.error().code == CommandError::kNamespaceExists) return fail(existsThere());
  if (!done) return fail(database.failed(done.error()));
  const auto indexed = connection.write(database.name(), idIndexCommand(name));
  if (indexed) return {};
  return fail(database.failed(indexed.error()));
}

// Expiry is carried out here, so an index that has it is a plain one there.
doc::Document indexCommand(std::string_view collection, const IndexSpec& spec) {
  doc::BsonWriter out;
  out.appendString("createIndexes", collection);
  out.beginArray("indexes");
  out.beginDocument("0");
  out.appendString("name", std::string(kIndexPrefix) + spec.name);
  out.beginDocument("key");
  for (const IndexKey& key : spec.keys) out.appendInt32(key.path, key.direction);
  out.end();
  if (spec.unique) out.appendBool("unique", true);
  if (spec.sparse) out.appendBool("sparse", true);
  if (spec.partialFilter) out.appendDocument("partialFilterExpression", *spec.partialFilter);
  out.beginDocument("collation");
  out.appendString("locale", "simple");
  out.end();
  out.end();
  out.end();
  return out.finish();
}

Error indexError(Database& database, const CommandError& error) {
  if (error.code == CommandError::kDuplicateKey) {
    return Error(ErrorCode::conflict, "documents of the collection have the same value: a unique index cannot be made");
  }
  if (std::ranges::find(kOtherIndex, error.code) != kOtherIndex.end()) {
    return Error(ErrorCode::conflict, "the collection has an index of this name or with these keys there");
  }
  if (std::ranges::find(kBadIndex, error.code) != kBadIndex.end()) {
    return Error(ErrorCode::validation, "the database cannot make this index");
  }
  if (error.code < 0 && !error.notSent) {
    return Error(ErrorCode::unavailable, "the index is still being made there: try again later");
  }
  return database.failed(error);
}

}  // namespace

Task<CollectionInfo> Router::createCollection(ProjectNo project, std::string name, doc::Document config,
                                              std::vector<Insert> extraInserts) {
  const std::shared_ptr<Database> database = databases_.any() ? databases_.find(project) : nullptr;
  // An imported one is there.
  if (!database || config.view().find(kSourceField)) {
    co_return co_await main_->createCollection(project, std::move(name), std::move(config), std::move(extraInserts));
  }
  // The commit checks this again; but a collection there would be left behind.
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(project));
  const std::string folded = foldedName(name);
  const bool taken =
      std::ranges::any_of(collections, [&](const CollectionInfo& each) { return foldedName(each.name) == folded; });
  if (!taken && collections.size() < kMaxCollections) {
    Result<> made =
        co_await database->run(definitionDeadline(), [database, name](mongo::Connection& connection) -> Result<> {
          return makeCollection(connection, *database, name);
        });
    CO_RETURN_IF_ERROR(std::move(made));
  }
  doc::BsonWriter out;
  out.appendAll(config);
  out.appendString(kSourceField, name);
  co_return co_await main_->createCollection(project, std::move(name), out.finish(), std::move(extraInserts));
}

Task<CollectionInfo> Router::alterCollection(CollectionRef collection, Alteration change,
                                             std::vector<Insert> extraInserts) {
  if (isElsewhere(collection) && change.config && !change.config->view().find(kSourceField)) {
    CO_TRY(const Collection there, co_await resolveCurrent(collection));
    doc::BsonWriter out;
    out.appendAll(*change.config);
    out.appendString(kSourceField, there.name);
    change.config = out.finish();
  }
  co_return co_await main_->alterCollection(collection, std::move(change), std::move(extraInserts));
}

Task<IndexInfo> Router::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) {
  if (!isElsewhere(collection)) {
    co_return co_await main_->createIndex(collection, std::move(spec), std::move(extraInserts));
  }
  CO_RETURN_IF_ERROR(checkIndex(spec));
  HeldStripes locks(indexLocks_);
  CO_RETURN_IF_ERROR(co_await lockIndexes(locks, collection.project));
  CO_TRY(Collection there, co_await resolveCurrent(collection));
  for (const IndexKey& key : spec.keys) CO_RETURN_IF_ERROR(checkPath(key.path));
  if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(collection.project));
  const auto info = std::ranges::find(collections, collection.number, &CollectionInfo::number);
  const bool taken = info != collections.end() && std::ranges::any_of(info->indexes, [&](const IndexInfo& each) {
                       return each.spec.name == spec.name;
                     });
  const bool isFull = info != collections.end() && info->indexes.size() >= kMaxIndexes;
  // The commit refuses a taken name, and an index beyond the limit.
  if (!taken && !isFull) {
    const std::shared_ptr<Database> database = there.database;
    // An earlier one of this name may be left there.
    CO_TRY(std::vector<IndexDropRecord> left, co_await dropsOf(collection.project));
    std::erase_if(
        left, [&](const IndexDropRecord& each) { return each.collection != there.name || each.index != spec.name; });
    CO_RETURN_IF_ERROR(co_await finishDrops(database, std::move(left)));
    Result<> made = co_await database->run(
        definitionDeadline(),
        [database, there, command = indexCommand(there.name, spec)](mongo::Connection& connection) -> Result<> {
          const auto done = connection.write(database->name(), command);
          if (done) return {};
          return fail(indexError(*database, done.error()));
        });
    CO_RETURN_IF_ERROR(std::move(made));
  }
  co_return co_await main_->createIndex(collection, std::move(spec), std::move(extraInserts));
}

Task<> Router::dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) {
  if (!isElsewhere(collection)) {
    co_return co_await main_->dropIndex(collection, std::move(name), std::move(extraInserts));
  }
  HeldStripes locks(indexLocks_);
  CO_RETURN_IF_ERROR(co_await lockIndexes(locks, collection.project));
  CO_TRY(Collection there, co_await resolveCurrent(collection));
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(collection.project));
  std::vector<IndexDropRecord> drops;
  for (const CollectionInfo& info : collections) {
    if (info.number != collection.number) continue;
    for (const IndexInfo& each : info.indexes) {
      if (each.spec.name != name) continue;
      drops.push_back({fmt::format("{}-{}", info.number, each.number), there.name, name});
      extraInserts.push_back({indexDropsOf(collection.project), doc::encode(drops.back())});
    }
  }
  CO_RETURN_IF_ERROR(co_await main_->dropIndex(collection, std::move(name), std::move(extraInserts)));
  co_return co_await finishDrops(std::move(there.database), std::move(drops));
}

Task<> Router::lockIndexes(HeldStripes& locks, ProjectNo project) {
  locks.add(std::to_string(project));
  if (locks.tryAll()) co_return Result<>();
  if (co_await locks.waitAll(definitionDeadline())) co_return Result<>();
  co_return fail(ErrorCode::unavailable, "indexes of the project are being changed: try again");
}

Task<std::vector<IndexDropRecord>> Router::dropsOf(ProjectNo project) {
  CO_TRY(const QueryResult found, co_await main_->find(queryOf(indexDropsOf(project), {}, kMaxDrops, readDeadline())));
  co_return fromStore<IndexDropRecord>(found.documents);
}

Task<> Router::finishDrops(std::shared_ptr<Database> database, std::vector<IndexDropRecord> drops) {
  for (const IndexDropRecord& each : drops) {
    Result<> dropped = co_await database->run(
        definitionDeadline(), [database, drop = each](mongo::Connection& connection) -> Result<> {
          doc::BsonWriter out;
          out.appendString("dropIndexes", drop.collection);
          out.appendString("index", std::string(kIndexPrefix) + drop.index);
          const auto done = connection.write(database->name(), out.finish());
          const bool absent =
              !done && (done.error().code == kIndexNotFound || done.error().code == CommandError::kNamespaceNotFound);
          if (done || absent) return {};
          return fail(database->failed(done.error()));
        });
    CO_RETURN_IF_ERROR(std::move(dropped));
    Write write({.deadline = readDeadline(), .actor = {ActorKind::server, ""}, .bumpEpochs = {}});
    const Target record = write.change(indexDropsOf(database->project()), each.id);
    const auto callback = [record](const PreImages&, Changes& changes) -> Result<> {
      changes.set(record, Change::remove());
      return {};
    };
    CO_RETURN_IF_ERROR(co_await main_->write(std::move(write), callback));
  }
  co_return Result<>();
}

Task<> Router::dropLeftIndexes(ProjectNo project) {
  const std::shared_ptr<Database> database = databases_.find(project);
  if (!database) co_return Result<>();
  HeldStripes locks(indexLocks_);
  CO_RETURN_IF_ERROR(co_await lockIndexes(locks, project));
  // What has its name in the catalogue now was made after the one that left was dropped.
  CO_TRY(std::vector<IndexDropRecord> drops, co_await dropsOf(project));
  co_return co_await finishDrops(database, std::move(drops));
}

}  // namespace mb::store::own
