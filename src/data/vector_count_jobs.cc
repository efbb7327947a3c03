#include "data/vector_count_jobs.h"

#include <charconv>

#include "base/log.h"
#include "data/halve.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::data {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kVectorCountKind = "vector-counts";
constexpr uint64_t kCountedPerPage = 100;
constexpr size_t kCountedPageBytes = 4 << 20;
// A job that takes longer waits behind the other jobs of its kind, so that each gets its turn.
constexpr auto kCountTurn = 2s;
constexpr auto kCountTimeout = 60s;
constexpr auto kCountAgainAfter = 10min;

store::WriteOptions countsAsServer() {
  store::WriteOptions options;
  options.deadline = store::readDeadline();
  options.actor = {store::ActorKind::server, ""};
  options.priority = store::WritePriority::low;
  return options;
}

std::string countGroupOf(int64_t collection) {
  return fmt::to_string(collection);
}

// Ids are unique, so two configs are equal only if nothing has changed between them, or everything was changed back.
std::string manualConfigOf(const std::vector<ManualVectorField>& fields) {
  std::string ids;
  for (const ManualVectorField& field : fields) ids += (ids.empty() ? "" : ",") + field.id;
  return ids;
}

Result<store::Insert> countJobOf(const DataDeps& deps, store::ProjectNo project, const VectorCountJob& job) {
  if (!deps.queue) return fail(ErrorCode::unavailable, "jobs cannot be started");
  jobs::JobSpec spec;
  spec.kind = kVectorCountKind;
  spec.project = project;
  spec.group = countGroupOf(job.collection);
  spec.payload = doc::encode(job);
  return deps.queue->insertOf(std::move(spec));
}

}  // namespace

VectorCountJobs::VectorCountJobs(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot)
    : deps_(deps), slot_(slot) {
  if (!deps_.queue) return;
  jobs::Kind kind;
  kind.name = kVectorCountKind;
  kind.handler = [this](jobs::JobRun run) { return this->run(std::move(run)); };
  kind.backoff = {1s, 5s, 30s, 2min, 10min};
  kind.timeout = kCountTimeout;
  kind.concurrency = 4;
  kind.perProject = 1;
  kind.perGroup = 1;
  deps_.queue->declare(std::move(kind));
}

Result<std::vector<store::Insert>> VectorCountJobs::jobsOf(const DataDeps& deps, store::CollectionRef collection,
                                                           doc::DocumentView before,
                                                           std::optional<doc::DocumentView> after) {
  const std::string had = manualConfigOf(manualVectorFields(before));
  const std::string has = after ? manualConfigOf(manualVectorFields(*after)) : "";
  std::vector<store::Insert> jobs;
  if (had == has) return jobs;
  const VectorCountJob job{has.empty() ? "sweep" : "walk", collection.number, has, ""};
  TRY(store::Insert insert, countJobOf(deps, collection.project, job));
  jobs.push_back(std::move(insert));
  return jobs;
}

// ---- running

Task<> VectorCountJobs::run(jobs::JobRun run) {
  CO_TRY(VectorCountJob job, store::fromStore<VectorCountJob>(run.payload.view()));
  const Result<bool> done = co_await proceed(run, job);
  if (done && *done) co_return Result<>();
  if (!done && !run.last) co_return fail(done.error().clone());
  Timestamp dueAt = deps_.clock.now();
  if (!done) {
    logWarn("vectors of a collection could not be counted; the job begins again", {{"project", run.project},
                                                                                   {"collection", job.collection},
                                                                                   {"problem", done.error().message()},
                                                                                   {"cause", done.error().cause()}});
    dueAt.ms += std::chrono::milliseconds(kCountAgainAfter).count();
  }
  *run.repetition = jobs::Repetition{dueAt, doc::encode(job)};
  co_return Result<>();
}

Task<bool> VectorCountJobs::proceed(const jobs::JobRun& run, VectorCountJob& job) {
  const auto turnEnd = std::chrono::steady_clock::now() + kCountTurn;
  int stale = 0;
  while (true) {
    CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(run.project));
    if (!project) co_return true;
    auto done = co_await nextPage(*project, job);
    if (!done && done.error().code() == ErrorCode::staleCatalogue && ++stale < kMaxStaleAttempts) continue;
    if (!done || *done) co_return done;
    if (std::chrono::steady_clock::now() >= turnEnd) co_return false;
  }
}

Task<bool> VectorCountJobs::nextPage(const snapshot::ProjectSnapshot& project, VectorCountJob& job) {
  const store::ProjectNo number = project.info().number;
  const auto collectionNo = static_cast<store::CollectionNo>(job.collection);
  const CollectionPtr collection = project.get(slot_).numbered(collectionNo);
  const bool walks = job.what == "walk";
  // Another job covers a config that has changed since.
  if (walks && (!collection || manualConfigOf(collection->manualVectors) != job.config)) co_return true;
  const store::CollectionRef read = walks ? collection->ref : vectorCountsOf(number);
  CO_TRY(std::vector<std::string> documents, co_await pageOf(read, job));
  if (documents.empty()) {
    const bool swept = !collection || collection->manualVectors.empty();
    CO_RETURN_IF_ERROR(co_await end(number, job, swept));
    co_return true;
  }
  std::string last = documents.back();
  CO_RETURN_IF_ERROR(co_await count(vectorCountsOf(number), collection, collectionNo, std::move(documents)));
  job.after = std::move(last);
  co_return false;
}

Task<std::vector<std::string>> VectorCountJobs::pageOf(store::CollectionRef read, const VectorCountJob& job) {
  const std::string prefix = job.what == "walk" ? "" : fmt::format("{}/", job.collection);
  store::Query query;
  query.collection = read;
  query.limit = kCountedPerPage;
  query.paged = true;
  query.after = prefix + job.after;
  query.maxBytes = kCountedPageBytes;
  query.deadline = store::readDeadline();
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  std::vector<std::string> ids;
  for (const doc::Document& each : found.documents) {
    const std::string_view id = each.view().stringOr("id");
    if (!id.starts_with(prefix)) break;
    ids.emplace_back(id.substr(prefix.size()));
  }
  co_return ids;
}

// Sets the rows of the documents to what they hold, in one commit, or in several if they are too large for one.
// `collection` is null if it was dropped.
Task<> VectorCountJobs::count(store::CollectionRef rows, CollectionPtr collection, store::CollectionNo number,
                              std::vector<std::string> documents) {
  struct Counted {
    std::optional<store::Target> document;
    store::Target row;
    std::string id;
  };
  std::vector<std::string> later;
  while (!documents.empty()) {
    store::Write write(countsAsServer());
    std::vector<Counted> all;
    for (const std::string& document : documents) {
      std::string id = vectorCountId(number, document);
      std::optional<store::Target> held;
      if (collection) held = write.hold(collection->ref, document);
      const store::Target row = write.change(rows, id);
      all.push_back({held, row, std::move(id)});
    }
    const auto written = co_await deps_.store.write(
        std::move(write),
        [&all = std::as_const(all), &collection = std::as_const(collection)](const store::PreImages& before,
                                                                             store::Changes& changes) -> Result<> {
          for (const Counted& each : all) {
            const doc::Document* document =
                each.document && before[*each.document] ? &*before[*each.document] : nullptr;
            const int64_t vectors = document ? heldVectors(collection->manualVectors, *document) : 0;
            if (vectors == vectorsIn(before[each.row])) continue;
            std::optional<doc::Document> next = vectorCountRow(each.id, vectors);
            changes.set(each.row, next ? store::Change::put(*std::move(next)) : store::Change::remove());
          }
          return {};
        });
    if (!written && written.error().code() == ErrorCode::payloadTooLarge && documents.size() > 1) {
      halve(documents, later);
      continue;
    }
    if (!written) co_return fail(written.error().clone());
    documents = std::exchange(later, {});
  }
  co_return Result<>();
}

Task<> VectorCountJobs::end(store::ProjectNo project, const VectorCountJob& job, bool swept) {
  if (job.what != "walk" && !swept) co_return Result<>();
  store::Write write(countsAsServer());
  const std::string id = fmt::to_string(job.collection);
  const store::Target walk = write.change({project, kVectorCountWalks, 0}, id);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [walk, walked = job.what == "walk", record = doc::encode(VectorCountWalk{id, job.config})](
          const store::PreImages&, store::Changes& changes) -> Result<> {
        changes.set(walk, walked ? store::Change::put(record) : store::Change::remove());
        return {};
      }));
  co_return Result<>();
}

// ---- resuming

Task<> VectorCountJobs::resume(snapshot::SnapshotPtr project) {
  CO_RETURN_IF_ERROR(co_await resumeWalks(*project));
  co_return co_await resumeSweeps(*project);
}

Task<> VectorCountJobs::resumeWalks(const snapshot::ProjectSnapshot& project) {
  const store::ProjectNo number = project.info().number;
  for (const auto& [name, collection] : project.get(slot_).byName) {
    if (collection->manualVectors.empty()) continue;
    const store::CollectionNo collectionNo = collection->ref.number;
    CO_TRY(const auto stored, co_await deps_.store.get({number, kVectorCountWalks, 0}, fmt::to_string(collectionNo)));
    CO_TRY(const std::optional<VectorCountWalk> walk, store::fromStore<VectorCountWalk>(stored));
    const std::string config = manualConfigOf(collection->manualVectors);
    if (walk && walk->config == config) continue;
    CO_RETURN_IF_ERROR(co_await put(number, {"walk", collectionNo, config, ""}));
  }
  co_return Result<>();
}

// Looks at one row of each collection that has any.
Task<> VectorCountJobs::resumeSweeps(const snapshot::ProjectSnapshot& project) {
  const store::ProjectNo number = project.info().number;
  std::string after;
  for (size_t collections = 0; collections <= 2 * store::kMaxCollections; ++collections) {
    store::Query query;
    query.collection = vectorCountsOf(number);
    query.limit = 1;
    query.paged = true;
    query.after = after;
    query.deadline = store::readDeadline();
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    if (found.documents.empty()) break;
    const std::string id(found.documents.front().view().stringOr("id"));
    const std::string digits = id.substr(0, id.find('/'));
    after = digits + "0";  // "0" follows "/": after all rows of the collection
    int64_t collectionNo = 0;
    const char* const digitsEnd = digits.data() + digits.size();
    const auto [parsed, problem] = std::from_chars(digits.data(), digitsEnd, collectionNo);
    if (problem != std::errc() || parsed != digitsEnd) continue;
    const CollectionPtr collection = project.get(slot_).numbered(static_cast<store::CollectionNo>(collectionNo));
    if (collection && !collection->manualVectors.empty()) continue;
    CO_RETURN_IF_ERROR(co_await put(number, {"sweep", collectionNo, "", ""}));
  }
  co_return Result<>();
}

// Unless a job of the collection waits or runs, which may be this one: the next call decides.
Task<> VectorCountJobs::put(store::ProjectNo project, VectorCountJob job) {
  if (!deps_.queue) co_return Result<>();
  CO_TRY(const jobs::GroupLoad load,
         co_await deps_.queue->load(std::string(kVectorCountKind), project, countGroupOf(job.collection)));
  if (load.jobs > 0) co_return Result<>();
  CO_TRY(store::Insert insert, countJobOf(deps_, project, job));
  std::vector<std::string> ids{insert.id()};
  store::Write write(countsAsServer());
  write.insert(std::move(insert));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), nullptr));
  deps_.queue->wake(std::move(ids));
  co_return Result<>();
}

}  // namespace mb::data
