#include "data/missing_collections.h"

#include "data/collection_config.h"
#include "data/data_deps.h"

namespace mb::data {

namespace {

Task<> markOnce(const MissingCollectionsDeps& deps, const Collection& collection, bool missing) {
  CollectionConfig config = CollectionConfig::read(collection.info.config);
  config.isMissing = missing;
  store::Alteration change;
  change.config = config.write();
  CO_RETURN_IF_ERROR(co_await deps.store.alterCollection(collection.ref, std::move(change), {}));
  co_return Result<>();
}

// On newer snapshots where the catalogue has changed since.
Task<> mark(const MissingCollectionsDeps& deps, snapshot::SnapshotPtr project, const std::string& name, bool missing) {
  for (int attempt = 0; attempt < kMaxStaleAttempts; ++attempt) {
    const CollectionPtr* found = project->get(deps.slot).find(name);
    // It was deleted or renamed here: the next probe compares again.
    if (!found || (*found)->isMissing == missing) co_return Result<>();
    Result<> marked = co_await markOnce(deps, **found, missing);
    if (marked || marked.error().code() != ErrorCode::staleCatalogue) co_return marked;
    CO_TRY(project, co_await deps.snapshots.byNumber(project->info().number));
    if (!project) co_return Result<>();
  }
  co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
}

}  // namespace

Result<> checkPresent(const Collection& collection) {
  if (!collection.isMissing) return {};
  return fail(ErrorCode::notFound, "the collection is missing in the project's database");
}

Result<CollectionPtr> findForDocuments(const CollectionTable& table, std::string_view name) {
  const CollectionPtr* found = table.find(name);
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  RETURN_IF_ERROR(checkPresent(**found));
  return *found;
}

Task<> markMissing(MissingCollectionsDeps deps, snapshot::SnapshotPtr project,
                   std::set<std::string, std::less<>> absent) {
  const CollectionTable& table = project->get(deps.slot);
  for (const std::string& name : table.names()) {
    const Collection& collection = **table.find(name);
    const bool missing = absent.contains(collection.info.config.view().stringOr("source", name));
    if (collection.isMissing != missing) CO_RETURN_IF_ERROR(co_await mark(deps, project, name, missing));
  }
  co_return Result<>();
}

}  // namespace mb::data
