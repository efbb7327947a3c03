// Changes of the catalogue. Each is one commit of rows, with the inserts that belong to it. The commit thread replaces
// the catalogue in memory once the commit is durable, while the collection's latch is held exclusively.
#include "store/configuration_limits.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"
#include "store/write_steps.h"

namespace mb::store::embedded {

namespace {

std::unexpected<Error> stale() {
  return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
}

Deadline alterationDeadline() {
  return std::chrono::steady_clock::now() + kDefaultWait;
}

Result<> checkName(const Catalogue& catalogue, ProjectNo project, std::string_view name, CollectionNo except) {
  if (name.empty()) return fail(ErrorCode::validation, "a collection needs a name");
  const std::string folded = foldedName(name);
  for (const SchemaPtr& schema : catalogue.userCollections(project)) {
    if (schema->number == except || foldedName(schema->name) != folded) continue;
    return fail(ErrorCode::conflict, fmt::format("a collection \"{}\" exists already", schema->name));
  }
  return {};
}

Result<> checkConfig(const doc::Document& config) {
  if (config.size() <= kMaxDocument) return {};
  return fail(ErrorCode::payloadTooLarge, "the configuration of a collection is at most 1 MiB");
}

// REQUIRES: the project's catalogue lock is held, so that the commit finds the same count.
Result<> checkVectorConfigs(const Catalogue& catalogue, const Schema& before, const Schema& next, ProjectNo project) {
  const auto hasConfig = [](const Schema& schema) { return schema.config.view().find(kVectorConfigField).has_value(); };
  if (hasConfig(before) || !hasConfig(next)) return {};
  const std::vector<SchemaPtr> all = catalogue.userCollections(project);
  const auto held = std::ranges::count_if(all, [&](const SchemaPtr& each) { return hasConfig(*each); });
  if (static_cast<uint64_t>(held) < kMaxVectorConfigs) return {};
  return fail(tooMany(kMaxVectorConfigs, kVectorConfigs));
}

}  // namespace

Task<> Engine::lockCatalogue(Alterable& held, ProjectNo project) {
  held.catalogue.add(row::of(row::kNextNumber, project));
  if (!held.catalogue.tryAll()) {
    const bool granted = co_await held.catalogue.waitAll(alterationDeadline());
    if (!granted) co_return fail(ErrorCode::unavailable, "the project is being changed, try again");
  }
  held.project = catalogue_.project(project);
  if (project != 0 && (!held.project || held.project->dead)) co_return fail(ErrorCode::notFound, "no such project");
  co_return Result<>();
}

Task<> Engine::lockCollection(Alterable& held, CollectionRef collection, bool anyVersion) {
  if (collection.number < kFirstUserCollection) {
    co_return fail(ErrorCode::validation, "a system collection cannot be changed");
  }
  CO_RETURN_IF_ERROR(co_await lockCatalogue(held, collection.project));
  held.collection = catalogue_.collection(collection.project, collection.number);
  if (!held.collection) co_return stale();
  Latch& latch = held.collection.state->latch;
  const bool granted = co_await latch.exclusive(alterationDeadline());
  if (!granted) co_return fail(ErrorCode::unavailable, "the collection is being written, try again");
  held.latch = LatchHold(latch, true);
  if (!anyVersion && held.collection.schema->version != collection.version) co_return stale();
  co_return Result<>();
}

Task<> Engine::commitAlteration(WriteJob& job, std::vector<Insert> extraInserts, WriteOptions options) {
  if (!extraInserts.empty()) {
    std::vector<WriteTarget> targets;
    addTargets(targets, extraInserts);
    CO_RETURN_IF_ERROR(job.resolve(std::move(targets)));
    if (!job.tryLatches()) CO_RETURN_IF_ERROR(co_await waitLatches(job, alterationDeadline()));
    CO_RETURN_IF_ERROR(job.checkVersions());
    job.addDocumentLocks();
    if (!job.documentLocks().tryAll()) {
      const bool granted = co_await job.documentLocks().waitAll(alterationDeadline());
      if (!granted)
        co_return fail(ErrorCode::unavailable, "the documents inserted with it are being written, try again");
    }
    CO_RETURN_IF_ERROR(co_await readBefore(job));
    std::vector<Change> changes;
    CO_RETURN_IF_ERROR(addInserts(changes, std::move(extraInserts), true, job.before()));
    CO_RETURN_IF_ERROR(job.apply(std::move(changes), {}));
    if (job.needsUniqueCheck()) CO_RETURN_IF_ERROR(co_await claimUnique(job, alterationDeadline()));
  }
  job.finish(options);
  co_return co_await commit(job.commit, {});
}

// Holds the latch, so that no write is pending that does not know the path.
Task<> Engine::markPath(ProjectNo project, CollectionNo collection, std::string path) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CO_TRY(doc::FieldPath parsed, doc::FieldPath::parse(path));
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, {project, collection, 0}, true));
  std::vector<doc::FieldPath>& marked = held.collection.state->marked;
  const bool known = std::ranges::any_of(marked, [&](const doc::FieldPath& each) { return each.dotted() == path; });
  if (!known) marked.push_back(std::move(parsed));
  co_return Result<>();
}

void Engine::putSchema(WriteJob& job, ProjectState& project, const Schema* before, SchemaPtr next) {
  job.commit.project = &project;
  job.commit.schemaBytes += configuredBytes(*next) - (before ? configuredBytes(*before) : 0);
  job.commit.put(Family::system, row::of(row::kCollection, project.number, next->number), encodeSchema(*next));
  job.commit.bumps.push_back(&project);
  job.commit.onDurable = [this, number = project.number, next = std::move(next)] { catalogue_.install(number, next); };
}

std::move_only_function<void()> Engine::addTombstone(WriteJob& job, Tombstone tombstone) {
  tombstone.row = catalogue_.nextTombstone++;
  job.commit.put(Family::system, row::tombstone(tombstone.row), encodeTombstone(tombstone));
  return [this, tombstone = std::move(tombstone)] { housekeeper_->enqueueTombstone(tombstone); };
}

Task<std::vector<CollectionInfo>> Engine::collections(ProjectNo project) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  std::vector<CollectionInfo> infos;
  for (const SchemaPtr& schema : catalogue_.userCollections(project)) infos.push_back(infoOf(*schema));
  co_return infos;
}

Task<CollectionInfo> Engine::createCollection(ProjectNo project, std::string name, doc::Document config,
                                              std::vector<Insert> extraInserts) {
  CO_RETURN_IF_ERROR(checkConfig(config));
  CollectionInfo collection{0, std::move(name), 0, std::move(config), {}};
  co_return co_await addCollection(project, std::move(collection), {}, std::move(extraInserts), {});
}

Task<CollectionInfo> Engine::restoreCollection(ProjectNo project, CollectionInfo collection,
                                               std::vector<std::string> held) {
  WriteOptions options;
  options.logged = false;
  co_return co_await addCollection(project, std::move(collection), std::move(held), {}, std::move(options));
}

// The indexes are ready at once, since the collection is empty.
Task<CollectionInfo> Engine::addCollection(ProjectNo project, CollectionInfo collection,
                                           std::vector<std::string> heldFields, std::vector<Insert> extraInserts,
                                           WriteOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CO_RETURN_IF_ERROR(healthy());
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCatalogue(held, project));
  if (!held.project) co_return fail(ErrorCode::notFound, "no such project");
  CO_RETURN_IF_ERROR(checkName(catalogue_, project, collection.name, 0));
  if (catalogue_.userCollections(project).size() >= kMaxCollections) {
    co_return fail(tooMany(kMaxCollections, kCollectionsPart));
  }
  auto schema = std::make_shared<Schema>();
  schema->number = held.project->nextNumber++;
  schema->name = std::move(collection.name);
  schema->version = 1;
  schema->config = std::move(collection.config);
  schema->held = std::move(heldFields);
  for (IndexInfo& index : collection.indexes) {
    CO_TRY(std::shared_ptr<Index> compiled,
           compileIndex(held.project->nextNumber++, std::move(index.spec), true, schema->held));
    schema->indexes.push_back(std::move(compiled));
  }
  WriteJob job(writeContext());
  putSchema(job, *held.project, nullptr, schema);
  std::string next;
  appendU32(next, held.project->nextNumber);
  job.commit.put(Family::system, row::of(row::kNextNumber, project), next);
  CO_RETURN_IF_ERROR(co_await commitAlteration(job, std::move(extraInserts), std::move(options)));
  co_return infoOf(*schema);
}

Task<CollectionInfo> Engine::alterCollection(CollectionRef collection, Alteration change,
                                             std::vector<Insert> extraInserts) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CO_RETURN_IF_ERROR(healthy());
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, collection));
  auto next = std::make_shared<Schema>(*held.collection.schema);
  ++next->version;
  if (change.name) {
    CO_RETURN_IF_ERROR(checkName(catalogue_, collection.project, *change.name, collection.number));
    next->name = *std::move(change.name);
  }
  if (change.config) {
    CO_RETURN_IF_ERROR(checkConfig(*change.config));
    next->config = *std::move(change.config);
    CO_RETURN_IF_ERROR(checkVectorConfigs(catalogue_, *held.collection.schema, *next, collection.project));
  }
  WriteJob job(writeContext());
  putSchema(job, *held.project, held.collection.schema.get(), next);
  CO_RETURN_IF_ERROR(co_await commitAlteration(job, std::move(extraInserts)));
  co_return infoOf(*next);
}

Task<> Engine::dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCollection(held, collection));
  WriteJob job(writeContext());
  job.commit.project = held.project;
  job.commit.schemaBytes -= configuredBytes(*held.collection.schema);
  job.commit.remove(Family::system, row::of(row::kCollection, collection.project, collection.number));
  job.commit.bumps.push_back(held.project);
  Tombstone tombstone{0, collection.project, false, collection.number, {}};
  for (const auto& index : held.collection.schema->indexes) tombstone.indexes.push_back(index->number);
  job.commit.onDurable = [this, collection, sweep = addTombstone(job, std::move(tombstone))]() mutable {
    catalogue_.remove(collection.project, collection.number);
    sweep();
  };
  co_return co_await commitAlteration(job, std::move(extraInserts));
}

Task<ProjectNo> Engine::allocateProject() {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  CO_RETURN_IF_ERROR(healthy());
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCatalogue(held, 0));
  if (catalogue_.nextProject >= Catalogue::kMaxProjects) {
    co_return fail(ErrorCode::unavailable, "this deployment cannot hold more projects");
  }
  const ProjectNo number = catalogue_.nextProject++;
  catalogue_.addProject(number);
  WriteJob job(writeContext());
  job.commit.project = catalogue_.project(number);
  job.commit.bumps.push_back(job.commit.project);
  job.commit.put(Family::system, row::plain(row::kNextNumbers), catalogue_.numbersRow());
  std::string next;
  appendU32(next, kFirstUserCollection);
  job.commit.put(Family::system, row::of(row::kNextNumber, number), next);
  CO_RETURN_IF_ERROR(co_await commitAlteration(job, {}));
  co_return number;
}

Task<> Engine::dropProject(ProjectNo project) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  if (project == kControlProject)
    co_return fail(ErrorCode::validation, "the control plane's project cannot be dropped");
  Alterable held(catalogueLocks_);
  CO_RETURN_IF_ERROR(co_await lockCatalogue(held, project));
  if (!held.project) co_return fail(ErrorCode::notFound, "no such project");
  // New requests do not find its collections any more; running ones are waited for, one collection after another.
  held.project->dead = true;
  for (const auto& collection : catalogue_.states(project)) {
    const bool granted = co_await collection->latch.exclusive(alterationDeadline());
    if (granted) {
      collection->latch.releaseExclusive();
      continue;
    }
    held.project->dead = false;
    co_return fail(ErrorCode::unavailable, "the project is being written, try again");
  }
  WriteJob job(writeContext());
  job.commit.project = held.project;
  job.commit.bumps.push_back(held.project);
  job.commit.onDurable = [this, project, sweep = addTombstone(job, Tombstone{0, project, true, 0, {}})]() mutable {
    catalogue_.counters.forgetProject(project);
    sweep();
  };
  Result<> dropped = co_await commitAlteration(job, {});
  if (!dropped) held.project->dead = false;
  co_return dropped;
}

}  // namespace mb::store::embedded
