// What the commands of a deployment need of its store.
#include "document/fields.h"
#include "store/mongo/attempt.h"
#include "store/mongo/commands.h"
#include "store/mongo/engine.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

Result<ChainHead> decodeChain(doc::DocumentView row) {
  const auto hash = digestOf(row.stringOr("hash"));
  if (!hash) return fail(ErrorCode::internal, "the head of a chain is corrupt");
  return ChainHead{static_cast<uint64_t>(doc::integerOr(row, "seq")), *hash};
}

CommitStats Engine::commitStats() const {
  return {counts_.groups.load(), counts_.writes.load()};
}

Result<ChainHead> Engine::chainHead(ProjectNo project, CollectionNo collection) {
  Connection connection(settings_.uri);
  const std::string id = countId(project, collection, "");
  const auto reply = connection.read(names_.shared(), findByIds(kChains, std::span(&id, 1)));
  if (!reply) return fail(unavailableError(reply.error()));
  const Batch found = batchOf(*reply);
  if (found.documents.empty()) return ChainHead();
  return decodeChain(found.documents.front());
}

Task<> Engine::restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) {
  const SystemCollection* system = states_.system(collection);
  if (system == nullptr || !system->chained) co_return fail(ErrorCode::notFound, "no such chained collection");
  co_return co_await queues_.exclusively(
      project, [this, project, collection, head](Connection& connection) -> Result<> {
        const doc::Document statement = chainStatement(countId(project, collection, ""), head);
        const auto done = connection.write(names_.shared(), updateCommand(kChains, statement));
        if (!done) return fail(unavailableError(done.error()));
        return {};
      });
}

Task<CollectionInfo> Engine::restoreCollection(ProjectNo project, CollectionInfo collection, std::vector<std::string>) {
  CO_TRY(CollectionInfo made,
         co_await createCollection(project, std::move(collection.name), std::move(collection.config), {}));
  for (IndexInfo& index : collection.indexes) {
    CO_RETURN_IF_ERROR(co_await createIndex({project, made.number, made.version}, std::move(index.spec), {}));
    CO_TRY(const std::vector<CollectionInfo> all, co_await collections(project));
    const auto found = std::ranges::find(all, made.number, &CollectionInfo::number);
    if (found == all.end()) co_return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
    made = *found;
  }
  co_return std::move(made);
}

}  // namespace mb::store::mongo
