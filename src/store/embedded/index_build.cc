// An index over documents that exist: a first swap lets writes maintain it, the fill adds what was there before, a
// second swap lets queries read it. The fill works as any writer, a slice of documents under their locks, so no entry
// can be lost or be left over. What a crash interrupts starts again at the next open: adding an entry twice changes
// nothing.
#include "base/log.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kSliceDocuments = 100;
constexpr size_t kSliceBytes = 1 << 20;

std::unexpected<Error> dropped() {
  return fail(ErrorCode::conflict, "the index was dropped while it was being built");
}

// Ids of the next documents after `after`.
Result<std::vector<std::string>> nextIds(Database& database, const CollectionRef& collection,
                                         const std::string& after) {
  const std::string prefix = rangePrefix(collection.project, collection.number);
  const std::string end = successor(prefix);
  const rocksdb::Slice upper = slice(end);
  rocksdb::ReadOptions options = Database::reading(Tier::disk);
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(database.db().NewIterator(options, database.family(Family::documents)));
  std::vector<std::string> ids;
  size_t bytes = 0;
  for (at->Seek(prefix + after + std::string(after.empty() ? 0 : 1, '\0')); at->Valid(); at->Next()) {
    ids.emplace_back(view(at->key()).substr(kPrefixBytes));
    bytes += at->value().size();
    if (ids.size() == kSliceDocuments || bytes > kSliceBytes) break;
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  return ids;
}

std::shared_ptr<Schema> withReady(const Schema& schema, IndexNo number) {
  auto next = std::make_shared<Schema>(schema);
  ++next->version;
  for (auto& index : next->indexes) {
    if (index->number != number) continue;
    auto ready = std::make_shared<Index>(*index);
    ready->ready = true;
    index = std::move(ready);
  }
  return next;
}

}  // namespace

Task<IndexInfo> Engine::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> alongside) {
  const Inside inside(gate_);
  if (!inside) co_return stopping();
  CO_CHECK(healthy());
  IndexInfo info;
  {
    Alterable held(catalogueLocks_);
    CO_CHECK(co_await lockCollection(held, collection));
    const Schema& now = *held.collection.schema;
    if (now.indexes.size() >= kMaxIndexes) {
      co_return fail(ErrorCode::validation, fmt::format("a collection has at most {} indexes", kMaxIndexes));
    }
    const bool empty = held.collection.state->documents == 0;
    CO_TRY(std::shared_ptr<Index> index, compileIndex(held.project->nextNumber, std::move(spec), empty));
    for (const auto& other : now.indexes) {
      if (other->spec.name == index->spec.name) {
        co_return fail(ErrorCode::conflict, fmt::format("there is an index \"{}\" already", index->spec.name));
      }
    }
    info = {held.project->nextNumber++, index->spec, true};
    auto next = std::make_shared<Schema>(now);
    ++next->version;
    next->indexes.push_back(std::move(index));
    WriteJob job(writeRoom());
    putSchema(job, *held.project, std::move(next));
    std::string number;
    appendU32(number, held.project->nextNumber);
    job.commit.put(Family::system, row::of('P', collection.project), number);
    if (empty) {
      CO_CHECK(co_await commitAlteration(job, std::move(alongside)));
      co_return info;
    }
    CO_CHECK(co_await commitAlteration(job, {}));
  }
  Result<> built = co_await fillIndex(collection, info.number);
  if (built) built = co_await publishIndex(collection, info.number, std::move(alongside));
  if (!built) {
    if (!gate_.closed()) CO_CHECK(co_await abandonIndex(collection, info.number));
    co_return fail(std::move(built).error());
  }
  co_return info;
}

Task<> Engine::fillIndex(CollectionRef collection, IndexNo index) {
  std::string after;
  while (true) {
    if (gate_.closed()) co_return stopping();
    CO_TRY(const bool more, co_await fillSlice(collection, index, after));
    if (!more) co_return Result<>();
  }
}

Task<bool> Engine::fillSlice(CollectionRef collection, IndexNo index, std::string& after) {
  CO_TRY(const std::vector<std::string> ids,
         co_await readPool_->run([&] { return nextIds(*database_, collection, after); }));
  if (ids.empty()) co_return false;
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  if (!handle || !handle.schema->index(index)) co_return dropped();
  collection.version = handle.schema->version;
  std::vector<WriteTarget> targets;
  for (const std::string& id : ids) targets.push_back({collection, id});

  const Deadline deadline = std::chrono::steady_clock::now() + kDefaultWait;
  WriteJob job(writeRoom());
  CO_CHECK(job.resolve(std::move(targets)));
  if (!job.tryLatches()) CO_CHECK(co_await waitLatches(job, deadline));
  // Altered since the look above: the slice is taken again, on what is there now.
  if (!job.checkVersions()) co_return true;
  job.addDocumentLocks();
  if (!job.documentLocks().tryAll()) {
    const bool granted = co_await job.documentLocks().waitAll(deadline);
    if (!granted) co_return true;
  }
  CO_CHECK(co_await readBefore(job));
  CO_CHECK(job.fill(index));
  if (job.needsUniqueCheck()) {
    CO_TRY(const WriteOutcome outcome, co_await claimUnique(job, deadline));
    if (!outcome.committed()) {
      co_return fail(
          ErrorCode::conflict,
          fmt::format("the index \"{}\" cannot be unique: two documents hold the same value", outcome.violatedIndex));
    }
  }
  after = ids.back();
  if (job.changesNothing()) co_return true;
  WriteOptions options;
  options.lane = Lane::low;
  job.finish(options);
  CO_CHECK(admit(job.commit));
  co_await suspend<bool>([&](Resumer<bool> resumer) { queue_.submit(job.commit, std::move(resumer)); });
  co_return true;
}

Task<> Engine::publishIndex(CollectionRef collection, IndexNo index, std::vector<Insert> alongside) {
  Alterable held(catalogueLocks_);
  CO_CHECK(co_await lockCollection(held, collection, true));
  if (!held.collection.schema->index(index)) co_return dropped();
  WriteJob job(writeRoom());
  putSchema(job, *held.project, withReady(*held.collection.schema, index));
  co_return co_await commitAlteration(job, std::move(alongside));
}

Task<> Engine::removeIndex(Alterable& held, IndexNo index, std::vector<Insert> alongside) {
  auto next = std::make_shared<Schema>(*held.collection.schema);
  ++next->version;
  std::erase_if(next->indexes, [&](const auto& each) { return each->number == index; });
  WriteJob job(writeRoom());
  putSchema(job, *held.project, std::move(next));
  job.commit.onDurable = [install = std::move(job.commit.onDurable),
                          sweep = bury(job, Tombstone{0, held.project->number, false, 0, {index}})]() mutable {
    install();
    sweep();
  };
  co_return co_await commitAlteration(job, std::move(alongside));
}

Task<> Engine::abandonIndex(CollectionRef collection, IndexNo index) {
  Alterable held(catalogueLocks_);
  const Result<> locked = co_await lockCollection(held, collection, true);
  // Gone with its collection, or dropped by somebody: nothing is left to abandon.
  if (!locked || !held.collection.schema->index(index)) co_return Result<>();
  co_return co_await removeIndex(held, index, {});
}

Task<> Engine::dropIndex(CollectionRef collection, std::string name, std::vector<Insert> alongside) {
  const Inside inside(gate_);
  if (!inside) co_return stopping();
  Alterable held(catalogueLocks_);
  CO_CHECK(co_await lockCollection(held, collection));
  for (const auto& index : held.collection.schema->indexes) {
    if (index->spec.name != name) continue;
    const IndexNo number = index->number;
    co_return co_await removeIndex(held, number, std::move(alongside));
  }
  co_return fail(ErrorCode::notFound, fmt::format("there is no index \"{}\"", name));
}

Async<void> Engine::resumeBuild(CollectionRef collection, IndexNo index) {
  const Inside inside(gate_);
  if (!inside) co_return;
  Result<> built = co_await fillIndex(collection, index);
  if (built) built = co_await publishIndex(collection, index, {});
  if (built || gate_.closed()) co_return;
  logWarn("an index whose building was interrupted is dropped", {{"reason", built.error().message()}});
  const Result<> abandoned = co_await abandonIndex(collection, index);
  if (!abandoned) logWarn("the index could not be dropped", {{"reason", abandoned.error().message()}});
}

void Engine::resumeBuilds() {
  catalogue_.forEachProject([this](ProjectState& project) {
    for (const SchemaPtr& schema : catalogue_.userCollections(project.number)) {
      for (const auto& index : schema->indexes) {
        if (index->ready) continue;
        builds_.spawn(cores_.at(0).get_executor(),
                      resumeBuild({project.number, schema->number, schema->version}, index->number));
      }
    }
  });
}

}  // namespace mb::store::embedded
