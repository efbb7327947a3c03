#include "vectors/vectors.h"

#include <algorithm>

#include "base/log.h"
#include "data/collection_config.h"
#include "identity/records.h"
#include "store/records.h"

namespace mb::vectors {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxQueued = 256;
constexpr auto kRefreshInterval = 5min;
constexpr uint64_t kMaxWalks = 8'000;  // of one project: each of 1,000 collections has at most 8 fields

int threadsOf(const Cores& cores) {
  return std::max(1, cores.count());
}

doc::Document detailsOf(const std::vector<StoredField>& fields) {
  doc::BsonWriter out;
  std::vector<std::string> names;
  for (const StoredField& field : fields) names.push_back(field.config.name);
  doc::encodeValue(out, "fields", names);
  return out.finish();
}

}  // namespace

Vectors::Vectors(VectorDeps deps)
    : deps_(std::move(deps)),
      tables_(deps_.store, deps_.settings.embeddingsModel),
      slot_(deps_.snapshots.addSlot<VectorTable>(tables_)),
      indexPool_("vector-keep", std::max(1, threadsOf(deps_.cores) / 2), kMaxQueued),
      searchPool_("vector-search", threadsOf(deps_.cores), kMaxQueued),
      indexes_(
          {deps_.store, deps_.feed, deps_.cores, indexPool_, deps_.directory, deps_.settings.memory, deps_.shared}),
      embedder_(deps_.outbound, searchPool_, deps_.settings),
      jobs_({deps_.store, deps_.snapshots, slot_, deps_.queue, deps_.dispatcher, embedder_, indexes_, deps_.ids,
             deps_.clock, deps_.data.vectorQuota()}),
      search_({data::SearchDocuments(deps_.store, deps_.data.grants()), deps_.data.slot(), slot_, indexes_, embedder_,
               searchPool_}) {
  deps_.dispatcher.add(jobs_);
  deps_.data.collections().setDropJobs(
      [this](const snapshot::ProjectInfo& project, const data::Collection& collection) {
        return dropJobs(project, collection.info);
      });
}

Vectors::~Vectors() = default;

void Vectors::start() {
  indexes_.start();
  refreshes_.start(deps_.cores.at(0).get_executor(), tasks_,
                   {.interval = kRefreshInterval, .firstAfter = std::chrono::milliseconds(0)},
                   [this] { return refresh(); });
}

void Vectors::drain() {
  stopping_ = true;
  refreshes_.stop();
  indexes_.drain();
}

bool Vectors::stop(std::chrono::milliseconds limit) {
  drain();
  const bool tasksDone = tasks_.closeAndWait(limit);
  const bool saved = indexes_.stop(limit);
  indexPool_.stop();
  searchPool_.stop();
  return tasksDone && saved;
}

// ---- reading

std::vector<CollectionConfigView> Vectors::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<CollectionConfigView> views;
  for (const auto& [name, vectors] : project.get(slot_).byName) views.push_back({name, vectors->config().fields});
  return views;
}

Task<ConfigView> Vectors::view(snapshot::SnapshotPtr project, std::string collection) {
  if (!collections(*project).find(collection)) co_return fail(ErrorCode::notFound, "no such collection");
  ConfigView view;
  const CollectionVectorsPtr vectors = project->get(slot_).find(collection);
  if (!vectors) co_return view;
  view.config.value = vectors->config();
  for (const VectorFieldPtr& field : vectors->fields) {
    CO_TRY(IndexView index, co_await indexView(project, vectors, field));
    view.indexes.push_back(std::move(index));
  }
  co_return view;
}

Task<IndexView> Vectors::indexView(snapshot::SnapshotPtr project, CollectionVectorsPtr vectors, VectorFieldPtr field) {
  const store::ProjectNo number = project->info().number;
  IndexView view;
  view.field = field->config.name;
  view.state = stateName(IndexState::ended);
  if (const LiveIndexPtr live = indexes_.find(number, field->id)) {
    const IndexState state = live->state();
    view.state = stateName(state);
    view.vectors = static_cast<int64_t>(live->vectors.load());
    view.bytes = static_cast<int64_t>(live->bytes.load());
    if (state == IndexState::failed) view.problem = live->problem();
    if (state == IndexState::building) {
      const auto expected = static_cast<double>(std::max<uint64_t>(1, live->expected));
      view.progress = std::min(1.0, static_cast<double>(live->done.load()) / expected);
    }
  }
  if (!field->automatic) co_return view;
  EmbeddingView embedding;
  embedding.model = embedder_.model();
  CO_TRY(const store::CollectionStats documents, co_await deps_.store.stats({number, vectors->number, 0}));
  CO_TRY(const store::CollectionStats rows, co_await deps_.store.statsByField(embeddingsOf(number), stateOf(*field)));
  CO_TRY(const jobs::GroupLoad load, co_await deps_.queue.load(std::string(kEmbeddingKind), number, field->id));
  embedding.documents = static_cast<int64_t>(documents.documents);
  embedding.embedded = static_cast<int64_t>(rows.documents);
  embedding.waiting = static_cast<int64_t>(load.jobs);
  if (!view.problem) {
    CO_TRY(view.problem, co_await heldBack(project, embedding));
  }
  view.embedding = std::move(embedding);
  co_return view;
}

Task<std::optional<std::string>> Vectors::heldBack(snapshot::SnapshotPtr project,
                                                   const EmbeddingView& embedding) const {
  const data::VectorQuota& quota = deps_.data.vectorQuota();
  const std::optional<int64_t> max = quota.max(*project);
  if (!max || embedding.embedded >= embedding.documents || embedding.waiting == 0) co_return std::nullopt;
  CO_TRY(const int64_t use, co_await quota.use(project->info().number));
  if (use < *max) co_return std::nullopt;
  co_return quota.exceeded(*project, use).message();
}

// ---- changing

struct Vectors::Alteration {
  store::CollectionRef collection;
  doc::Document config;
  std::vector<store::Insert> extraInserts;
  std::vector<std::string> jobs;           // ids
  std::vector<std::string> removedFields;  // ids
};

Task<> Vectors::set(Access access, std::string collection, VectorConfig config) {
  CO_RETURN_IF_ERROR(check(config, embeds()));
  co_return co_await alter(std::move(access), std::move(collection), canonical(std::move(config)));
}

Task<> Vectors::clear(Access access, std::string collection) {
  co_return co_await alter(std::move(access), std::move(collection), std::nullopt);
}

// A field that keeps its name, dimensions and mode keeps its id, and so its rows and files.
Result<Vectors::Alteration> Vectors::alterationOf(const Access& access, const std::string& collection,
                                                  const std::optional<VectorConfig>& config) const {
  const snapshot::ProjectInfo& project = access.project->info();
  const data::CollectionPtr* found = collections(*access.project).find(collection);
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  const CollectionVectorsPtr before = access.project->get(slot_).find(collection);

  StoredConfig stored;
  if (config) {
    for (const FieldConfig& each : config->fields) {
      const VectorFieldPtr old = before ? before->find(each.name) : nullptr;
      const bool same = old && old->config.dimensions == each.dimensions && old->config.mode == each.mode;
      stored.fields.push_back({same ? old->id : "vec_" + deps_.ids.next(), each});
    }
  }
  Alteration alteration;
  alteration.collection = (*found)->ref;
  data::CollectionConfig whole = data::CollectionConfig::read((*found)->info.config);
  whole.vectors.reset();
  if (config) whole.vectors = doc::encode(stored);
  alteration.config = whole.write();

  store::CollectionInfo after = (*found)->info;
  after.config = alteration.config;
  const CollectionVectorsPtr now = tables_.vectorsOf(after);
  std::vector<jobs::JobSpec> jobs;
  for (const VectorFieldPtr& field : now ? now->fields : std::vector<VectorFieldPtr>()) {
    const VectorFieldPtr old = before ? before->find(field->config.name) : nullptr;
    const bool walked = old && old->id == field->id && old->fingerprint == field->fingerprint;
    if (field->automatic && !walked) jobs.push_back(jobs_.walkOf(project, *field));
  }
  for (const VectorFieldPtr& field : before ? before->fields : std::vector<VectorFieldPtr>()) {
    const bool stays =
        std::ranges::any_of(stored.fields, [&](const StoredField& each) { return each.id == field->id; });
    if (stays) continue;
    alteration.removedFields.push_back(field->id);
    if (field->automatic) jobs.push_back(jobs_.sweepOf(project, field->id));
  }
  alteration.extraInserts = deps_.auditor.entry(project.number, config ? "vectors.set" : "vectors.clear",
                                                identity::auditActorOf(access.caller), "collections/" + collection,
                                                access.caller.ip, access.caller.requestId, detailsOf(stored.fields));
  TRY(std::vector<store::Insert> inserts,
      deps_.data.vectorCounts().jobsOf(alteration.collection, (*found)->info.config, alteration.config.view()));
  for (jobs::JobSpec& spec : jobs) {
    TRY(store::Insert job, deps_.queue.insertOf(std::move(spec)));
    inserts.push_back(std::move(job));
  }
  alteration.jobs = store::idsOf(inserts);
  std::ranges::move(inserts, std::back_inserter(alteration.extraInserts));
  return alteration;
}

Result<std::vector<store::Insert>> Vectors::dropJobs(const snapshot::ProjectInfo& project,
                                                     const store::CollectionInfo& collection) const {
  std::vector<store::Insert> inserts;
  const CollectionVectorsPtr vectors = tables_.vectorsOf(collection);
  for (const VectorFieldPtr& field : vectors ? vectors->fields : std::vector<VectorFieldPtr>()) {
    if (!field->automatic) continue;
    TRY(store::Insert job, deps_.queue.insertOf(jobs_.sweepOf(project, field->id)));
    inserts.push_back(std::move(job));
  }
  return inserts;
}

Task<> Vectors::alter(Access access, std::string collection, std::optional<VectorConfig> config) {
  const store::ProjectNo number = access.project->info().number;
  for (int attempt = 1;; ++attempt) {
    // The current snapshot: an import may have created the collection just before.
    CO_TRY(access.project, co_await deps_.snapshots.byNumber(number));
    if (!access.project) co_return fail(ErrorCode::notFound, "no such project");
    CO_TRY(Alteration alteration, alterationOf(access, collection, config));
    const CollectionVectorsPtr before = access.project->get(slot_).find(collection);
    if (config ? before && before->config() == *config : !before) co_return Result<>();
    const auto done = co_await deps_.store.alterCollection(alteration.collection,
                                                           {.name = {}, .config = std::move(alteration.config)},
                                                           std::move(alteration.extraInserts));
    if (done) {
      deps_.queue.wake(std::move(alteration.jobs));
      for (const std::string& field : alteration.removedFields) indexes_.drop(number, field);
      break;
    }
    if (done.error().code() != ErrorCode::staleCatalogue) co_return fail(done.error().clone());
    if (attempt == data::kMaxStaleAttempts) {
      co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
    }
  }
  // Opened here, so that the first search does not wait for it.
  const auto project = co_await deps_.snapshots.byNumber(number);
  const CollectionVectorsPtr now = project && *project ? (*project)->get(slot_).find(collection) : nullptr;
  for (const VectorFieldPtr& field : now ? now->fields : std::vector<VectorFieldPtr>()) {
    indexes_.open({number, now->number, field});
  }
  co_return Result<>();
}

// ---- in the background

// Runs repeatedly, as other processes restore projects and collections are dropped. Only the first run sweeps files.
Async<void> Vectors::refresh() {
  return openAll(!std::exchange(refreshed_, true));
}

// `sweeps`: deletes files of projects and fields that do not exist.
Async<void> Vectors::openAll(bool sweeps) {
  const auto numbers = co_await deps_.projects();
  if (!numbers) {
    logWarn("projects could not be listed; vector indexes are loaded by their first search",
            {{"problem", numbers.error().message()}});
    co_return;
  }
  std::unordered_map<store::ProjectNo, std::vector<std::string>> all;
  for (const store::ProjectNo number : *numbers) {
    if (stopping_) co_return;
    const auto project = co_await resumeProject(number);
    std::vector<std::string>& fields = all[number];
    if (!project) {
      // Its indexes and files remain; the next refresh retries.
      logWarn("project could not be read for its vector indexes; the next refresh retries",
              {{"project", number}, {"problem", project.error().message()}});
      sweeps = false;
      continue;
    }
    if (!*project) continue;
    for (const auto& [id, place] : (*project)->get(slot_).byFieldId) {
      fields.push_back(id);
      if (indexes_.find(number, id)) continue;
      co_await indexes_.settled(indexes_.open({number, place.collection->number, place.field}));
    }
  }
  indexes_.dropOthers(all);
  if (!sweeps) co_return;
  const auto swept = co_await indexPool_.run([this, &all]() -> Result<> {
    indexes_.sweep(all);
    return {};
  });
  if (!swept) {
    logWarn("files of deleted vector indexes could not be removed; the next start retries",
            {{"problem", swept.error().message()}});
  }
}

Task<snapshot::SnapshotPtr> Vectors::resumeProject(store::ProjectNo number) {
  CO_TRY(snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(number));
  static const VectorTable kNone;
  const VectorTable& table = project ? project->get(slot_) : kNone;
  for (const std::string& field : indexes_.fields(number)) {
    if (!table.byFieldId.contains(field)) indexes_.drop(number, field);
  }
  if (!project) co_return project;
  CO_RETURN_IF_ERROR(co_await deps_.data.vectorCounts().resume(project));
  for (const auto& [id, place] : table.byFieldId) {
    if (place.field->automatic && embeds()) CO_RETURN_IF_ERROR(co_await enqueueWalkIfDue(project, place.field));
  }
  store::Query query;
  query.collection = {number, kWalks, 0};
  query.limit = kMaxWalks;
  query.deadline = std::chrono::steady_clock::now() + 10s;
  CO_TRY(const store::QueryResult walked, co_await deps_.store.find(std::move(query)));
  for (const doc::Document& row : walked.documents) {
    const std::string field(row.view().stringOr("id"));
    if (!table.byFieldId.contains(field))
      CO_RETURN_IF_ERROR(co_await deps_.queue.put(jobs_.sweepOf(project->info(), field)));
  }
  co_return project;
}

// A walk is due if none has finished under the current config and model, or one is for documents without space, and
// none is queued or running.
Task<> Vectors::enqueueWalkIfDue(snapshot::SnapshotPtr project, VectorFieldPtr field) {
  const store::ProjectNo number = project->info().number;
  CO_TRY(const auto stored, co_await deps_.store.get({number, kWalks, 0}, field->id));
  CO_TRY(const std::optional<WalkRow> row, store::fromStore<WalkRow>(stored));
  const bool walked = row && row->fingerprint == field->fingerprint;
  if (walked && !row->held.value_or(false)) co_return Result<>();
  const std::string kind(kEmbeddingKind);
  CO_TRY(const std::vector<jobs::WaitingJob> waiting, co_await deps_.queue.oldest(kind, number, field->id, 200));
  CO_TRY(const jobs::GroupLoad load, co_await deps_.queue.load(kind, number, field->id));
  // A running job, or one past the 200 oldest, may be a walk: the next refresh decides.
  if (load.jobs > waiting.size()) co_return Result<>();
  for (const jobs::WaitingJob& job : waiting) {
    CO_TRY(const EmbeddingJob payload, store::fromStore<EmbeddingJob>(job.payload.view()));
    if (payload.what == "walk" && payload.fingerprint == field->fingerprint) co_return Result<>();
  }
  CO_RETURN_IF_ERROR(co_await deps_.queue.put(jobs_.walkOf(project->info(), *field, walked)));
  co_return Result<>();
}

}  // namespace mb::vectors
