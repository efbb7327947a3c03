// Builds an index over existing documents: a first swap of the catalogue lets writes maintain it, the fill adds the
// older documents, a second swap lets queries read it. The fill works like a writer, one slice of documents under their
// locks, so no entry is lost or left over. Each slice commits its position, so a build that a crash or stop interrupts
// continues at the next open.
//
// An index whose entries must hold other fields is filled again while queries read it: each entry records the layout of
// its fields, which are used only if it is the index's current one. A change of the layout sends a running fill back to
// the start.
#include "base/log.h"
#include "store/embedded/engine.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kSliceDocuments = 500;
constexpr size_t kBuildSliceBytes = 1 << 20;
// The pause while the disk is nearly full, or too many writes or reads wait.
constexpr std::chrono::milliseconds kBusyPause{50};
// Attempts to lock an index to be abandoned, each with the timeout of a lock; after them it stays until the next start.
constexpr int kMaxAbandonAttempts = 10;

// If other writes run, the fill pauses after each slice for three times as long as the slice took, so that these writes
// get the larger part even if the fill and they could use all cores.
constexpr int kRests = 3;
constexpr std::chrono::milliseconds kLongestRest{100};
std::chrono::steady_clock::time_point restAfter(std::chrono::steady_clock::time_point begun) {
  const auto now = std::chrono::steady_clock::now();
  return now + std::min<std::chrono::steady_clock::duration>((now - begun) * kRests, kLongestRest);
}

std::unexpected<Error> dropped() {
  return fail(ErrorCode::conflict, "the index was dropped while it was being built");
}

// The ids of the next documents to fill in.
Result<std::vector<std::string>> nextIds(Database& database, const CollectionRef& collection,
                                         const BuildPosition& position) {
  const std::string prefix = rangePrefix(collection.project, collection.number);
  const std::string& after = position.lastId;
  const std::string end = prefix + position.untilId + '\0';
  const rocksdb::Slice upper = slice(end);
  rocksdb::ReadOptions options = Database::reading(Tier::disk);
  options.fill_cache = false;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(database.db().NewIterator(options, database.family(Family::documents)));
  std::vector<std::string> ids;
  size_t bytes = 0;
  for (at->Seek(prefix + after + std::string(after.empty() ? 0 : 1, '\0')); at->Valid(); at->Next()) {
    ids.emplace_back(view(at->key()).substr(kPrefixBytes));
    bytes += at->value().size();
    if (ids.size() == kSliceDocuments || bytes > kBuildSliceBytes) break;
  }
  if (!at->status().ok()) return fail(readError(at->status()));
  return ids;
}

// The highest id in the collection.
Result<std::string> lastId(Database& database, const CollectionRef& collection) {
  const std::string prefix = rangePrefix(collection.project, collection.number);
  const std::unique_ptr<rocksdb::Iterator> at(
      database.db().NewIterator(Database::reading(Tier::disk), database.family(Family::documents)));
  at->SeekForPrev(successor(prefix));
  if (!at->status().ok()) return fail(readError(at->status()));
  if (!at->Valid() || !at->key().starts_with(prefix)) return std::string();
  return std::string(view(at->key()).substr(kPrefixBytes));
}

constexpr size_t kPositionBytes = 18;  // before the ids

std::string encodePosition(const BuildPosition& at) {
  std::string row;
  appendU64(row, at.documents);
  appendU64(row, at.expected);
  appendU16(row, static_cast<uint16_t>(at.lastId.size()));
  return row + at.lastId + at.untilId;
}

Result<BuildPosition> readPosition(Database& database, ProjectNo project, IndexNo index) {
  rocksdb::PinnableSlice row;
  const auto status = database.get(Tier::disk, Family::system, row::of(row::kIndexBuild, project, index), &row);
  if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
  if (row.size() < kPositionBytes || row.size() < kPositionBytes + readU16(row.data() + 16)) {
    return fail(ErrorCode::internal, "the position of an index build is corrupt");
  }
  const std::string_view ids = view(row).substr(kPositionBytes);
  const size_t size = readU16(row.data() + 16);
  return BuildPosition{readU64(row.data()), readU64(row.data() + 8), std::string(ids.substr(0, size)),
                       std::string(ids.substr(size))};
}

std::shared_ptr<Schema> withReady(const Schema& schema, IndexNo number) {
  auto next = std::make_shared<Schema>(schema);
  ++next->version;
  for (auto& index : next->indexes) {
    if (index->number != number) continue;
    auto ready = std::make_shared<Index>(*index);
    ready->ready = true;
    ready->refilling = false;
    ready->progress.reset();
    index = std::move(ready);
  }
  return next;
}

}  // namespace

Task<IndexInfo> Engine::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CO_RETURN_IF_ERROR(healthy());
  IndexInfo info;
  {
    Alterable held(catalogueLocks_);
    CO_RETURN_IF_ERROR(co_await lockCollection(held, collection));
    const Schema& now = *held.collection.schema;
    if (now.indexes.size() >= kMaxIndexes) {
      co_return fail(ErrorCode::validation, fmt::format("a collection has at most {} indexes", kMaxIndexes));
    }
    const bool empty = held.collection.state->documents == 0;
    CO_TRY(std::shared_ptr<Index> index, compileIndex(held.project->nextNumber, std::move(spec), empty, now.held));
    for (const auto& other : now.indexes) {
      if (other->spec.name == index->spec.name) {
        co_return fail(ErrorCode::conflict, fmt::format("an index \"{}\" exists already", index->spec.name));
      }
    }
    info = {held.project->nextNumber++, index->spec, true};
    auto next = std::make_shared<Schema>(now);
    ++next->version;
    next->indexes.push_back(std::move(index));
    WriteJob job(writeContext());
    putSchema(job, *held.project, held.collection.schema.get(), std::move(next));
    std::string number;
    appendU32(number, held.project->nextNumber);
    job.commit.put(Family::system, row::of(row::kNextNumber, collection.project), number);
    if (empty) {
      CO_RETURN_IF_ERROR(co_await commitAlteration(job, std::move(extraInserts)));
      co_return info;
    }
    BuildPosition begin;
    begin.expected = held.collection.state->documents;
    CO_TRY(begin.untilId, co_await readPool_->run([&] { return lastId(*database_, collection); }));
    job.commit.put(Family::system, row::of(row::kIndexBuild, collection.project, info.number), encodePosition(begin));
    CO_RETURN_IF_ERROR(co_await commitAlteration(job, {}));
  }
  Result<> built = co_await buildIndex(collection, info.number, std::move(extraInserts));
  if (!built) {
    if (!gate_.closed()) CO_RETURN_IF_ERROR(co_await abandonIndex(collection, info.number));
    co_return fail(std::move(built).error());
  }
  co_return info;
}

Task<> Engine::buildIndex(CollectionRef collection, IndexNo index, std::vector<Insert> extraInserts) {
  while (true) {
    CO_TRY(const uint32_t layout, co_await fillIndex(collection, index));
    const Result<bool> published = co_await publishIndex(collection, index, layout, extraInserts);
    if (published && *published) co_return Result<>();
    if (published) continue;
    if (published.error().code() != ErrorCode::unavailable || gate_.closed()) co_return fail(published.error().clone());
    co_await sleepFor(kBusyPause);
  }
}

Task<uint32_t> Engine::fillIndex(CollectionRef collection, IndexNo index) {
  BuildPosition at;
  while (true) {
    if (gate_.closed()) co_return stopping();
    const auto begun = std::chrono::steady_clock::now();
    const uint64_t writes = commitStats().writes;
    const Result<FillResult> filled = co_await fillSlice(collection, index, at);
    const bool busy = filled ? *filled == FillResult::busy : filled.error().code() == ErrorCode::unavailable;
    if (busy) {
      co_await sleepFor(kBusyPause);
      continue;
    }
    if (!filled) co_return fail(filled.error().clone());
    if (*filled == FillResult::all) co_return *at.layout;
    if (commitStats().writes > writes + 1) co_await sleepUntil(restAfter(begun));
  }
}

Task<BuildPosition> Engine::positionOf(CollectionRef collection, IndexNo index) {
  CO_TRY(BuildPosition at,
         co_await readPool_->run([&] { return readPosition(*database_, collection.project, index); }));
  if (at.untilId.empty()) {
    // Writes maintain the index by now, so later documents are in it, wherever their ids are.
    CO_TRY(at.untilId, co_await readPool_->run([&] { return lastId(*database_, collection); }));
  }
  co_return at;
}

Task<Engine::FillResult> Engine::fillSlice(CollectionRef collection, IndexNo index, BuildPosition& at) {
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  const Index* filled = handle ? handle.schema->index(index) : nullptr;
  if (!filled) co_return dropped();
  if (at.layout != filled->layout) {
    CO_TRY(at, co_await positionOf(collection, index));
    at.layout = filled->layout;
  }
  CO_TRY(const std::vector<std::string> ids,
         co_await readPool_->run([&] { return nextIds(*database_, collection, at); }));
  if (ids.empty()) co_return FillResult::all;
  if (!housekeeper_->takesWrites()) co_return FillResult::busy;
  if (filled->progress) {
    filled->progress->expected = at.expected;
    filled->progress->done = at.documents;
  }
  collection.version = handle.schema->version;
  std::vector<WriteTarget> targets;
  for (const std::string& id : ids) targets.push_back({collection, id});

  const Deadline deadline = std::chrono::steady_clock::now() + kDefaultWait;
  WriteJob job(writeContext());
  CO_RETURN_IF_ERROR(job.resolve(std::move(targets)));
  if (!job.tryLatches()) CO_RETURN_IF_ERROR(co_await waitLatches(job, deadline));
  // The collection was altered since the lookup above: the slice is repeated on the current catalogue.
  if (!job.checkVersions()) co_return FillResult::more;
  job.addDocumentLocks();
  if (!job.documentLocks().tryAll()) {
    const bool granted = co_await job.documentLocks().waitAll(deadline);
    if (!granted) co_return FillResult::more;
  }
  CO_TRY(const bool read, co_await readPool_->run([&job] { return job.readBefore(Tier::disk, false); }));
  if (!read) co_return fail(ErrorCode::internal, "the store could not be read");
  CO_RETURN_IF_ERROR(job.fill(index));
  if (job.needsUniqueCheck()) {
    Result<> claimed = co_await claimUnique(job, deadline);
    const Violation* violation = claimed ? nullptr : indexViolation(claimed.error());
    if (violation) {
      co_return fail(
          ErrorCode::conflict,
          fmt::format("the index \"{}\" cannot be unique: two documents hold the same value", violation->name));
    }
    CO_RETURN_IF_ERROR(std::move(claimed));
  }
  BuildPosition next{at.documents + ids.size(), at.expected, ids.back(), at.untilId, at.layout};
  job.commit.put(Family::system, row::of(row::kIndexBuild, collection.project, index), encodePosition(next));
  WriteOptions options;
  options.priority = WritePriority::low;
  job.finish(options);
  if (!co_await commit(job.commit, {})) co_return FillResult::busy;
  at = std::move(next);
  co_return FillResult::more;
}

Task<bool> Engine::publishIndex(CollectionRef collection, IndexNo index, uint32_t layout,
                                std::vector<Insert> extraInserts) {
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, collection, true));
  const Index* filled = held.collection.schema->index(index);
  if (!filled) co_return dropped();
  if (filled->layout != layout) co_return false;
  WriteJob job(writeContext());
  putSchema(job, *held.project, held.collection.schema.get(), withReady(*held.collection.schema, index));
  job.commit.remove(Family::system, row::of(row::kIndexBuild, collection.project, index));
  CO_RETURN_IF_ERROR(co_await commitAlteration(job, std::move(extraInserts)));
  co_return true;
}

Task<> Engine::removeIndex(Alterable& held, IndexNo index, std::vector<Insert> extraInserts) {
  auto next = std::make_shared<Schema>(*held.collection.schema);
  ++next->version;
  std::erase_if(next->indexes, [&](const auto& each) { return each->number == index; });
  WriteJob job(writeContext());
  putSchema(job, *held.project, held.collection.schema.get(), std::move(next));
  job.commit.onDurable = [install = std::move(job.commit.onDurable),
                          sweep = addTombstone(job, Tombstone{0, held.project->number, false, 0, {index}})]() mutable {
    install();
    sweep();
  };
  co_return co_await commitAlteration(job, std::move(extraInserts));
}

Task<> Engine::abandonIndex(CollectionRef collection, IndexNo index) {
  // A lock timeout does not depend on the index, and each write pays for an index that stays.
  for (int attempt = 1;; ++attempt) {
    Alterable held(catalogueLocks_);
    const Result<> locked = co_await lockCollection(held, collection, true);
    if (!locked && locked.error().code() == ErrorCode::unavailable && attempt < kMaxAbandonAttempts) continue;
    const bool deleted = !locked && locked.error().code() != ErrorCode::unavailable;
    if (deleted || (locked && !held.collection.schema->index(index))) co_return Result<>();
    if (!locked) co_return fail(locked.error().clone());
    co_return co_await removeIndex(held, index, {});
  }
}

Task<> Engine::dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, collection));
  for (const auto& index : held.collection.schema->indexes) {
    if (index->spec.name != name) continue;
    const IndexNo number = index->number;
    co_return co_await removeIndex(held, number, std::move(extraInserts));
  }
  co_return fail(ErrorCode::notFound, fmt::format("there is no index \"{}\"", name));
}

Task<std::optional<IndexProgress>> Engine::indexProgress(CollectionRef collection, IndexNo number) {
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  const Index* index = handle ? handle.schema->index(number) : nullptr;
  if (!index || !index->progress) co_return std::optional<IndexProgress>();
  co_return IndexProgress{.done = index->progress->done, .expected = index->progress->expected};
}

Async<void> Engine::resumeBuild(CollectionRef collection, IndexNo index) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return;
  const Result<> built = co_await buildIndex(collection, index, {});
  if (built || gate_.closed()) co_return;
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  const Index* there = handle ? handle.schema->index(index) : nullptr;
  if (!there) co_return;
  if (there->ready) {
    logWarn("index entries not rewritten; retrying at the next start or policy change",
            {{"reason", built.error().message()}});
    co_return;
  }
  logWarn("resumed index build failed; the index is dropped", {{"reason", built.error().message()}});
  const Result<> abandoned = co_await abandonIndex(collection, index);
  if (abandoned) co_return;
  logWarn("failed index not dropped; it stays until the next start", {{"reason", abandoned.error().message()}});
}

void Engine::holdFields(ProjectNo project, CollectionNo collection, std::vector<std::string> paths) {
  const CollectionHandle handle = catalogue_.collection(project, collection);
  if (!handle) return;
  const bool refilling = std::ranges::any_of(handle.schema->indexes, &Index::refilling);
  {
    const std::lock_guard lock(wantedMutex_);
    const bool isChanging = wantedFields_.contains({project, collection});
    if (!isChanging && !refilling && handle.schema->held == paths) return;
    wantedFields_[{project, collection}] = std::move(paths);
  }
  fieldChanges_.add({project, collection});
}

Async<void> Engine::applyHeld(TaskSubject subject) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return;
  const std::pair which(subject.project, subject.collection);
  std::vector<std::string> paths;
  {
    const std::lock_guard lock(wantedMutex_);
    const auto wanted = wantedFields_.find(which);
    if (wanted == wantedFields_.end()) co_return;
    paths = wanted->second;
  }
  const Result<> applied = co_await setHeld({subject.project, subject.collection, 0}, paths);
  {
    const std::lock_guard lock(wantedMutex_);
    const auto wanted = wantedFields_.find(which);
    if (wanted->second == paths) wantedFields_.erase(wanted);
  }
  if (applied || gate_.closed() || !catalogue_.collection(subject.project, subject.collection)) co_return;
  logWarn("fields held by index entries not changed", {{"reason", applied.error().message()}});
}

Task<> Engine::setHeld(CollectionRef collection, std::vector<std::string> paths) {
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, collection, true));
  auto next = std::make_shared<Schema>(*held.collection.schema);
  ++next->version;
  next->held = std::move(paths);
  WriteJob job(writeContext());
  BuildPosition begin;
  begin.expected = held.collection.state->documents;
  std::vector<IndexNo> refilling;
  for (auto& index : next->indexes) {
    CO_TRY(std::vector<doc::FieldPath> fields, heldPaths(index->spec, next->held));
    // An index left over from a failed refill is refilled, too.
    if (fields != index->held ? index->ready : index->refilling) refilling.push_back(index->number);
    if (fields == index->held) continue;
    // A running fill goes back to the start.
    auto changed = std::make_shared<Index>(*index);
    changed->held = std::move(fields);
    ++changed->layout;
    changed->refilling = changed->ready;
    job.commit.put(Family::system, row::of(row::kIndexBuild, collection.project, index->number), encodePosition(begin));
    index = std::move(changed);
  }
  if (next->held != held.collection.schema->held) {
    putSchema(job, *held.project, held.collection.schema.get(), std::move(next));
    CO_RETURN_IF_ERROR(co_await commitAlteration(job, {}));
  }
  for (const IndexNo index : refilling) refills_.add({collection.project, collection.number, index});
  co_return Result<>();
}

Async<void> Engine::refill(TaskSubject subject) {
  const CollectionHandle handle = catalogue_.collection(subject.project, subject.collection);
  const Index* there = handle ? handle.schema->index(subject.index) : nullptr;
  if (there && there->refilling) co_await resumeBuild({subject.project, subject.collection, 0}, subject.index);
}

void Engine::resumeBuilds() {
  catalogue_.forEachProject([this](ProjectState& project) {
    for (const SchemaPtr& schema : catalogue_.userCollections(project.number)) {
      for (const auto& index : schema->indexes) {
        if (index->refilling) refills_.add({project.number, schema->number, index->number});
        if (index->ready) continue;
        builds_.spawn(cores_.at(0).get_executor(),
                      resumeBuild({project.number, schema->number, schema->version}, index->number));
      }
    }
  });
}

}  // namespace mb::store::embedded
