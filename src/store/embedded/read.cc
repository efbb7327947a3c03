// Reads: on the calling core if the data is in memory and few keys are examined, else on the read pool; long scans run
// on the scan pool.
#include "base/cancellation.h"
#include "document/strip_fields.h"
#include "store/embedded/change_log.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

// The examined keys from which on a query counts as a scan.
constexpr uint64_t kKeysBeforeScan = 500;
// Work units; a query that needs more continues on the scan pool, which is shared round robin.
constexpr int64_t kReaderWork = 50'000'000;
constexpr std::chrono::seconds kScanLimit{10};
constexpr size_t kChangesAtATime = 32;

std::unexpected<Error> tooSlow() {
  return fail(ErrorCode::unavailable, "the query takes too long: create an index or narrow the filter");
}

std::unexpected<Error> tooManyScans() {
  return fail(ErrorCode::unavailable, "too many long queries wait: try again");
}

// A read may have waited for a thread of the pool.
Result<> inTime(const ReadOptions& options) {
  if (options.deadline == Deadline() || std::chrono::steady_clock::now() < options.deadline) return {};
  return fail(ErrorCode::unavailable, "the read takes too long: try again");
}

Result<std::optional<VersionedDocument>> documentOf(Database::DocumentRead read) {
  if (read.status.IsNotFound()) return std::nullopt;
  if (!read.status.ok()) return fail(readError(read.status));
  return VersionedDocument{doc::Document::fromTrusted(std::move(read.bytes)), read.version};
}

}  // namespace

Task<Database::DocumentRead> Engine::readFromDisk(std::string_view key, ReadOptions options) {
  co_return co_await readPool_->run([&]() -> Result<Database::DocumentRead> {
    RETURN_IF_ERROR(inTime(options));
    return database_->document(Tier::disk, key);
  });
}

Task<std::optional<doc::Document>> Engine::get(CollectionRef collection, std::string id, ReadOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  if (!catalogue_.collection(collection.project, collection.number)) co_return std::optional<doc::Document>();
  const std::string key = documentKey(collection.project, collection.number, id);
  Database::DocumentRead read = database_->document(Tier::memory, key);
  if (read.status.IsIncomplete()) CO_TRY(read, co_await readFromDisk(key, options));
  CO_TRY(std::optional<VersionedDocument> found, documentOf(std::move(read)));
  if (!found) co_return std::optional<doc::Document>();
  co_return std::move(found->document);
}

Task<std::optional<VersionedDocument>> Engine::getVersioned(CollectionRef collection, std::string id,
                                                            ReadOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  if (!catalogue_.collection(collection.project, collection.number)) co_return std::optional<VersionedDocument>();
  const std::string key = documentKey(collection.project, collection.number, id);
  Database::DocumentRead read = database_->document(Tier::memory, key);
  if (read.status.IsIncomplete()) CO_TRY(read, co_await readFromDisk(key, options));
  co_return documentOf(std::move(read));
}

Result<bool> Engine::readMany(Tier tier, const CollectionRef& collection, const std::vector<std::string>& ids,
                              const doc::FieldSet* hidden, std::vector<std::optional<doc::Document>>& out) {
  std::vector<std::string_view> distinct(ids.begin(), ids.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  DocumentBatch batch(collection.project, collection.number, distinct.size());
  for (const std::string_view id : distinct) batch.add(id);
  const SnapshotHold snapshot(database_->db());
  rocksdb::ReadOptions options = Database::reading(tier);
  options.snapshot = snapshot.get();
  TRY(const bool read, batch.read(*database_, options, true));
  if (!read) return false;
  out.clear();
  out.reserve(ids.size());
  size_t bytes = 0;
  const bool repeated = distinct.size() < ids.size();
  for (const std::string& id : ids) {
    const auto at = static_cast<size_t>(std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin());
    std::optional<doc::Document>& document = out.emplace_back();
    if (!batch.found(at)) continue;
    std::string whole = repeated ? batch.bytes(at) : std::move(batch.bytes(at));
    if (hidden) doc::stripFields(*hidden, whole);
    document = doc::Document::fromTrusted(std::move(whole));
    bytes += document->bytes().size();
    if (bytes > kMaxResultBytes) return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB");
  }
  return true;
}

Task<std::vector<std::optional<doc::Document>>> Engine::getMany(CollectionRef collection, std::vector<std::string> ids,
                                                                std::shared_ptr<const doc::FieldSet> hidden,
                                                                ReadOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  std::vector<std::optional<doc::Document>> documents(ids.size());
  if (ids.empty() || !catalogue_.collection(collection.project, collection.number)) co_return documents;
  CO_TRY(bool read, readMany(Tier::memory, collection, ids, hidden.get(), documents));
  if (!read) {
    CO_TRY(read, co_await readPool_->run([&]() -> Result<bool> {
      RETURN_IF_ERROR(inTime(options));
      return readMany(Tier::disk, collection, ids, hidden.get(), documents);
    }));
  }
  co_return documents;
}

Task<> Engine::finishQuery(QueryRun& run, QueryRun::Step reached) {
  if (reached == QueryRun::Step::disk) {
    CO_TRY(reached,
           co_await readPool_->run([&run] { return run.step({Tier::disk, kKeysBeforeScan, kReaderWork, {}}); }));
  }
  if (reached == QueryRun::Step::done) co_return Result<>();
  const Deadline until = std::min(orDefault(run.query().deadline), std::chrono::steady_clock::now() + kScanLimit);
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  Result<> outcome;
  const bool taken = co_await scanPool_->run(run.query().collection.project, [&](const std::function<bool()>& expired) {
    const auto ends = [&] { return expired() || left.isSet() || std::chrono::steady_clock::now() > until; };
    auto step = run.step({Tier::disk, UINT64_MAX, kQueryWork, ends});
    if (!step) {
      outcome = fail(std::move(step).error());
      return true;
    }
    if (*step == QueryRun::Step::done) return true;
    if (left.isSet()) outcome = clientLeft();
    if (outcome && std::chrono::steady_clock::now() > until) outcome = tooSlow();
    return !outcome;
  });
  if (!taken) co_return gate_.closed() ? stopping() : tooManyScans();
  co_return std::move(outcome);
}

Task<QueryResult> Engine::find(Query query) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  const bool resumes = !query.after.empty();
  if ((resumes && (!query.paged || query.skip > 0)) || (query.paged && query.projection == Projection::unorderedIds)) {
    co_return fail(ErrorCode::invalidParam, "a query that continues a page must be paged, ordered and without `skip`");
  }
  CollectionHandle handle = catalogue_.collection(query.collection.project, query.collection.number);
  if (!handle) co_return QueryResult();
  const auto begin = std::chrono::steady_clock::now();
  QueryRun run(queryContext(), std::move(handle), std::move(query), false);
  CO_TRY(const QueryRun::Step reached, run.step({Tier::memory, kKeysBeforeScan, kCoreWork, {}}));
  Result<> outcome;
  if (reached != QueryRun::Step::done) outcome = co_await finishQuery(run, reached);
  const auto took = std::chrono::steady_clock::now() - begin;
  slowQueries_.record(run.query(), run.explain(), took, outcome ? "find" : "failed find");
  CO_RETURN_IF_ERROR(std::move(outcome));
  const bool explains = run.query().explain;
  CO_TRY(QueryResult result, run.takeResult());
  if (!explains) result.explain = {};
  if (explains) result.explain.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  co_return result;
}

Task<uint64_t> Engine::count(CollectionRef collection, doc::Filter filter, Deadline deadline) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  if (!handle) co_return uint64_t{0};
  if (filter.matchesAll()) co_return handle.state->documents.load();
  Query query;
  query.collection = collection;
  query.filter = std::move(filter);
  query.deadline = deadline;
  const auto begin = std::chrono::steady_clock::now();
  QueryRun run(queryContext(), std::move(handle), std::move(query), true);
  CO_TRY(const QueryRun::Step reached, run.step({Tier::memory, kKeysBeforeScan, kCoreWork, {}}));
  Result<> outcome;
  if (reached != QueryRun::Step::done) outcome = co_await finishQuery(run, reached);
  const auto took = std::chrono::steady_clock::now() - begin;
  slowQueries_.record(run.query(), run.explain(), took, outcome ? "count" : "failed count");
  CO_RETURN_IF_ERROR(std::move(outcome));
  co_return run.counted();
}

Task<CollectionStats> Engine::stats(CollectionRef collection, ReadOptions) {
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  if (!handle) co_return CollectionStats{};
  co_return CollectionStats{handle.state->documents.load(), handle.state->bytes.load()};
}

Task<CollectionStats> Engine::statsByField(CollectionRef collection, std::string value, ReadOptions) {
  const CollectionHandle handle = catalogue_.collection(collection.project, collection.number);
  if (!handle) co_return CollectionStats{};
  co_return handle.state->groupCounts.of(value);
}

Task<int64_t> Engine::counter(CounterKey key) {
  co_return catalogue_.counters.valueOf(key);
}

Mark Engine::mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const {
  return marks_.of(project, collection, path, value);
}

Result<bool> Engine::readTraces(Tier tier, const ProjectState& project, std::vector<ChangeEntry>& entries) {
  if (!project.traced) return true;
  const rocksdb::ReadOptions options = Database::reading(tier);
  for (size_t from = 0; from < entries.size(); from += kChangesAtATime) {
    const size_t count = std::min(kChangesAtATime, entries.size() - from);
    std::array<std::string, kChangesAtATime> keys;
    std::array<rocksdb::Slice, kChangesAtATime> slices;
    std::array<rocksdb::PinnableSlice, kChangesAtATime> values;
    std::array<rocksdb::Status, kChangesAtATime> statuses;
    for (size_t i = 0; i < count; ++i) slices[i] = keys[i] = logKey(project.number, entries[from + i].position);
    database_->getMany(options, Family::traces, std::span(slices).first(count), values, statuses);
    for (size_t i = 0; i < count; ++i) {
      if (statuses[i].IsIncomplete()) return false;
      if (statuses[i].ok()) {
        entries[from + i].trace = view(values[i]);
      } else if (!statuses[i].IsNotFound()) {
        return fail(readError(statuses[i]));
      }
    }
  }
  return true;
}

// Uses point reads, which find recent entries in the memtable; positions have no gaps above the low-water mark.
Result<bool> Engine::readChanges(Tier tier, const ProjectState& project, uint64_t after, size_t limit,
                                 ChangeBatch& out) {
  const uint64_t lowWater = project.lowWater;
  out = {.entries = {}, .through = std::max(after, lowWater), .lostUpTo = lowWater > after ? lowWater : 0};
  const uint64_t last = project.lastPosition.load(std::memory_order_acquire);
  uint64_t position = out.through + 1;
  rocksdb::ReadOptions options = Database::reading(tier);
  size_t bytes = 0;
  while (position <= last && out.entries.size() < limit && bytes < kMaxChangesBytes) {
    options.value_size_soft_limit = kMaxChangesBytes - bytes;
    const size_t count = std::min<size_t>({kChangesAtATime, limit - out.entries.size(), last - position + 1});
    std::array<std::string, kChangesAtATime> keys;
    std::array<rocksdb::Slice, kChangesAtATime> slices;
    std::array<rocksdb::PinnableSlice, kChangesAtATime> values;
    std::array<rocksdb::Status, kChangesAtATime> statuses;
    for (size_t i = 0; i < count; ++i) slices[i] = keys[i] = logKey(project.number, position + i);
    database_->getMany(options, Family::log, std::span(slices).first(count), values, statuses);
    for (size_t i = 0; i < count; ++i, ++position) {
      // Past the soft limit, possibly because of later entries that are in memory.
      if (statuses[i].IsAborted() && !out.entries.empty()) return true;
      if (statuses[i].IsAborted()) statuses[i] = database_->get(tier, Family::log, keys[i], &values[i]);
      if (statuses[i].IsIncomplete()) return false;
      if (statuses[i].IsNotFound() && project.dead) return true;
      // The log was trimmed concurrently: reads again from the new low-water mark.
      if (statuses[i].IsNotFound() && position <= project.lowWater) {
        return readChanges(tier, project, after, limit, out);
      }
      if (!statuses[i].ok()) return fail(readError(statuses[i]));
      bytes += values[i].size();
      TRY(ChangeEntry entry, decodeLogEntry(position, view(values[i])));
      out.entries.push_back(std::move(entry));
      out.through = position;
    }
  }
  return true;
}

Task<ChangeBatch> Engine::changes(ProjectNo project, uint64_t after, size_t limit) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  ChangeBatch batch{.entries = {}, .through = after};
  const ProjectState* state = catalogue_.project(project);
  if (!state || state->dead) co_return batch;
  limit = std::min(limit, kMaxChanges);
  if (after >= state->lastPosition || limit == 0) co_return batch;
  CO_TRY(bool read, readChanges(Tier::memory, *state, after, limit, batch));
  if (read) CO_TRY(read, readTraces(Tier::memory, *state, batch.entries));
  if (!read) {
    CO_TRY(read, co_await readPool_->run([&]() -> Result<bool> {
      TRY(const bool logged, readChanges(Tier::disk, *state, after, limit, batch));
      return logged ? readTraces(Tier::disk, *state, batch.entries) : Result<bool>(false);
    }));
  }
  co_return batch;
}

uint64_t Engine::lastPosition(ProjectNo project) const {
  const ProjectState* state = catalogue_.project(project);
  return state ? state->lastPosition.load(std::memory_order_acquire) : 0;
}

Task<uint64_t> Engine::frontier(ProjectNo project) {
  co_return lastPosition(project);
}

Task<uint64_t> Engine::epochNow(ProjectNo project) {
  co_return epoch(project).value;
}

Epoch Engine::epoch(ProjectNo project) const {
  const ProjectState* state = catalogue_.project(project);
  return {state ? state->epoch.load(std::memory_order_acquire) : 0};
}

}  // namespace mb::store::embedded
