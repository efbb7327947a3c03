// Collections and indexes of projects whose documents are in a database of their owner: made there first, then in the
// catalogue.
#include "document/fields.h"
#include "store/mongo/commands.h"
#include "store/own/router.h"

namespace mb::store::own {

namespace {

using mongo::CommandError;

constexpr int kIndexNotFound = 27;
constexpr int kNamespaceNotFound = 26;
constexpr int kBadIndex = 67;  // CannotCreateIndex
constexpr std::chrono::seconds kDefinitionTime{30};

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

// Expiry is carried out here, so an index that has it is a plain one there.
Error indexError(Database& database, const CommandError& error) {
  if (error.code == CommandError::kDuplicateKey) {
    return Error(ErrorCode::conflict, "documents of the collection have the same value: a unique index cannot be made");
  }
  if (error.code == kBadIndex) return Error(ErrorCode::validation, "the database cannot make this index");
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
          const auto done = connection.write(database->name(), createCommand(name, database->capabilities().preImages));
          if (done) return {};
          if (done.error().code != CommandError::kNamespaceExists) return fail(database->failed(done.error()));
          return fail(ErrorCode::conflict, "the project's database has a collection of this name: import it");
        });
    CO_RETURN_IF_ERROR(std::move(made));
  }
  doc::BsonWriter out;
  out.appendAll(config);
  out.appendString(kSourceField, name);
  co_return co_await main_->createCollection(project, std::move(name), out.finish(), std::move(extraInserts));
}

Task<IndexInfo> Router::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) {
  if (!isElsewhere(collection)) {
    co_return co_await main_->createIndex(collection, std::move(spec), std::move(extraInserts));
  }
  CO_TRY(Collection there, co_await resolveCurrent(collection));
  for (const IndexKey& key : spec.keys) CO_RETURN_IF_ERROR(checkPath(key.path));
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(collection.project));
  const auto info = std::ranges::find(collections, collection.number, &CollectionInfo::number);
  const bool taken = info != collections.end() && std::ranges::any_of(info->indexes, [&](const IndexInfo& each) {
                       return each.spec.name == spec.name;
                     });
  // The commit refuses a taken name.
  if (!taken) {
    const std::shared_ptr<Database> database = there.database;
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
  if (!isElsewhere(collection))
    co_return co_await main_->dropIndex(collection, std::move(name), std::move(extraInserts));
  CO_TRY(Collection there, co_await resolveCurrent(collection));
  CO_RETURN_IF_ERROR(co_await main_->dropIndex(collection, name, std::move(extraInserts)));
  const std::shared_ptr<Database> database = there.database;
  co_return co_await database->run(
      definitionDeadline(), [database, there, name](mongo::Connection& connection) -> Result<> {
        doc::BsonWriter out;
        out.appendString("dropIndexes", there.name);
        out.appendString("index", std::string(kIndexPrefix) + name);
        const auto done = connection.write(database->name(), out.finish());
        const bool absent = !done && (done.error().code == kIndexNotFound || done.error().code == kNamespaceNotFound);
        if (done || absent) return {};
        return fail(database->failed(done.error()));
      });
}

}  // namespace mb::store::own
