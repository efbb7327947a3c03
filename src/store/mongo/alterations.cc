// Changes of the catalogue: each is a commit of its project's queue, which writes the catalogue and moves the head.
// What the server keeps (collections, indexes) is made before an index is ready and removed after the commit.
#include "base/log.h"
#include "store/configuration_limits.h"
#include "store/document_limits.h"
#include "store/index_rules.h"
#include "store/mongo/commands.h"
#include "store/mongo/drops.h"
#include "store/mongo/engine.h"
#include "store/mongo/index_fit.h"
#include "store/mongo/log_entry.h"
#include "store/mongo/pushed_filter.h"

namespace mb::store::mongo {

namespace {

// How long an index may be built.
constexpr std::chrono::hours kBuildTime{6};
// Commands that fail sooner, so many in a row, end the wait for a build: the server is away.
constexpr std::chrono::seconds kShortWait{10};
constexpr int kMaxFailures = 10;
constexpr std::chrono::milliseconds kPauseOfBuild{500};

std::unexpected<Error> changedConcurrently() {
  return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
}

Result<> checkName(const ProjectState& state, std::string_view name, CollectionNo except) {
  if (name.empty()) return fail(ErrorCode::validation, "a collection needs a name");
  const std::string folded = foldedName(name);
  for (const auto& [number, info] : state.collections) {
    if (number == except || foldedName(info->name) != folded) continue;
    return fail(ErrorCode::conflict, fmt::format("a collection \"{}\" exists already", info->name));
  }
  return {};
}

Result<> checkConfig(const doc::Document& config) {
  if (config.size() <= kMaxDocument) return {};
  return fail(ErrorCode::payloadTooLarge, "the configuration of a collection is at most 1 MiB");
}

std::string buildId(const CollectionRef& collection, IndexNo index) {
  return fmt::format("{}/{}/{}", collection.project, collection.number, index);
}

bool hasVectors(const CollectionInfo& info) {
  return info.config.view().find(kVectorConfigField).has_value();
}

Result<> checkVectorConfigs(const ProjectState& state, const CollectionInfo& before, const CollectionInfo& next) {
  if (hasVectors(before) || !hasVectors(next)) return {};
  const auto held = std::ranges::count_if(state.collections, [](const auto& each) { return hasVectors(*each.second); });
  if (static_cast<uint64_t>(held) < kMaxVectorConfigs) return {};
  return fail(tooMany(kMaxVectorConfigs, kVectorConfigs));
}

}  // namespace

std::optional<doc::Document> serverIndex(const CollectionRef& collection, const IndexSpec& spec,
                                         std::string_view name) {
  const bool system = isSystem(collection.number);
  doc::BsonWriter out;
  out.beginDocument("key");
  if (system) out.appendInt32("_p", 1);
  bool ordered = false;
  for (const IndexKey& key : spec.keys) {
    out.appendInt32(storedPath(key.path), key.direction);
    ordered = ordered || key.path == "id";
  }
  // Queries are sorted by `_id` last, so that the server would sort what an index without it returns. With it, a unique
  // index would refuse nothing, and a sparse one would hold every document.
  if (!system && !ordered && !spec.unique && !spec.sparse) out.appendInt32("_id", 1);
  out.end();
  out.appendString("name", name);
  if (spec.unique) out.appendBool("unique", true);
  // In a system collection `_p` is always there, so a sparse index would hold every document.
  std::vector<doc::Document> conditions;
  if (spec.sparse && system) {
    if (spec.keys.size() != 1) return std::nullopt;
    doc::BsonWriter present;
    present.beginDocument(storedPath(spec.keys.front().path));
    present.appendBool("$exists", true);
    present.end();
    conditions.push_back(present.finish());
  } else if (spec.sparse && !spec.partialFilter) {
    out.appendBool("sparse", true);
  }
  if (spec.partialFilter) {
    auto filter = doc::Filter::parse(*spec.partialFilter);
    if (!filter) return std::nullopt;
    PushedFilter pushed = pushFilter({collection.project, kFirstUserCollection, 0}, *filter);
    if (!pushed.exact && spec.unique) return std::nullopt;
    // Another index than a unique one may hold more documents: it changes no result.
    if (pushed.exact) conditions.push_back(std::move(pushed.document));
  }
  if (conditions.size() == 1) out.appendDocument("partialFilterExpression", conditions.front());
  if (conditions.size() > 1) {
    out.beginDocument("partialFilterExpression");
    out.beginArray("$and");
    for (size_t i = 0; i < conditions.size(); ++i) out.appendDocument(doc::arrayKey(i), conditions[i]);
    out.end();
    out.end();
  }
  return out.finish();
}

Result<std::shared_ptr<CollectionInfo>> Engine::alterable(const ProjectState& state, const CollectionRef& ref) {
  const auto found = state.collections.find(ref.number);
  if (found == state.collections.end() || found->second->version != ref.version) return changedConcurrently();
  auto next = std::make_shared<CollectionInfo>(*found->second);
  ++next->version;
  return next;
}

// Reads the database, since other instances change it, too.
Task<std::vector<CollectionInfo>> Engine::collections(ProjectNo project) {
  using All = std::vector<CollectionInfo>;
  co_return co_await pool_.run(project, orDefault({}), [this, project](Connection& connection) -> Result<All> {
    auto state = states_.reload(connection, project);
    if (!state) return fail(unavailableError(state.error()));
    All all;
    if (!*state || (*state)->head.dead) return all;
    for (const auto& [_, info] : (*state)->collections) all.push_back(*info);
    return all;
  });
}

Task<CollectionInfo> Engine::createCollection(ProjectNo project, std::string name, doc::Document config,
                                              std::vector<Insert> extraInserts) {
  CO_RETURN_IF_ERROR(checkConfig(config));
  auto made = std::make_shared<CollectionInfo>();
  CO_RETURN_IF_ERROR(
      co_await queues_.alter(project, std::move(extraInserts), [made, name, config](ProjectState& next) -> Result<> {
        RETURN_IF_ERROR(checkName(next, name, 0));
        if (next.collections.size() >= kMaxCollections) return fail(tooMany(kMaxCollections, kCollectionsPart));
        *made = {next.head.nextNumber++, name, 1, config, {}};
        next.collections.emplace(made->number, std::make_shared<const CollectionInfo>(*made));
        return {};
      }));
  // Else the first insert makes it, within its transaction.
  CO_RETURN_IF_ERROR(
      co_await pool_.run(project, orDefault({}), [this, project, made](Connection& connection) -> Result<> {
        doc::BsonWriter out;
        out.appendString("create", Names::collectionOf(made->number));
        (void)connection.run(names_.databaseOf(project, made->number), out.finish());
        return {};
      }));
  co_return std::move(*made);
}

Task<CollectionInfo> Engine::alterCollection(CollectionRef collection, Alteration change,
                                             std::vector<Insert> extraInserts) {
  if (collection.number < kFirstUserCollection) {
    co_return fail(ErrorCode::validation, "a system collection cannot be changed");
  }
  auto made = std::make_shared<CollectionInfo>();
  CO_RETURN_IF_ERROR(co_await queues_.alter(
      collection.project, std::move(extraInserts),
      [made, collection,
       change = std::make_shared<const Alteration>(std::move(change))](ProjectState& next) -> Result<> {
        TRY(const std::shared_ptr<CollectionInfo> info, alterable(next, collection));
        if (change->name) {
          RETURN_IF_ERROR(checkName(next, *change->name, collection.number));
          info->name = *change->name;
        }
        if (change->config) {
          RETURN_IF_ERROR(checkConfig(*change->config));
          info->config = *change->config;
          RETURN_IF_ERROR(checkVectorConfigs(next, *next.collections[collection.number], *info));
        }
        *made = *info;
        next.collections[collection.number] = info;
        return {};
      }));
  co_return std::move(*made);
}

std::function<void(Connection&)> Engine::executingDrops(ProjectNo project) {
  return [this, project](Connection& connection) {
    const auto done = executeDrops(connection, names_, states_.systemCollections(), project);
    if (done) return;
    logWarn("the database still holds an index or a collection that was dropped; the drop is repeated",
            {{"project", project}, {"cause", done.error().message}});
  };
}

Task<> Engine::dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) {
  if (collection.number < kFirstUserCollection) {
    co_return fail(ErrorCode::validation, "a system collection cannot be changed");
  }
  CO_RETURN_IF_ERROR(co_await queues_.alter(
      collection.project, std::move(extraInserts),
      [collection](ProjectState& next) -> Result<> {
        RETURN_IF_ERROR(alterable(next, collection));
        next.collections.erase(collection.number);
        return {};
      },
      executingDrops(collection.project)));
  co_return co_await afterDrops(collection.project);
}

Task<> Engine::afterDrops(ProjectNo project) {
  (void)co_await queues_.exclusively(project, [](Connection&) -> Result<> { return {}; });
  co_return Result<>();
}

// Whether the index can hold the documents that are stored; those that are written from now on are checked by their
// writes.
Result<> Engine::checkStored(Connection& connection, const CollectionRef& collection, const IndexSpec& spec) {
  const std::string name = Names::collectionOf(collection.number);
  doc::BsonWriter out;
  out.appendString("find", name);
  // Others have one entry.
  out.beginDocument("filter");
  out.beginArray("$or");
  size_t count = 0;
  for (const IndexKey& key : spec.keys) {
    for (size_t end = key.path.find('.');; end = key.path.find('.', end + 1)) {
      out.beginDocument(doc::arrayKey(count++));
      out.beginDocument(storedPath(std::string_view(key.path).substr(0, end)));
      out.appendString("$type", "array");
      out.end();
      out.end();
      if (end == std::string::npos) break;
    }
  }
  out.end();
  out.end();
  Result<> fits;
  const auto read = eachDocument(readingOf(connection, collection), name, out.finish(), [&](doc::DocumentView each) {
    const auto document = unstored(collection.number, each);
    fits = document ? checkFits(spec, document->document) : fail(document.error().clone());
    return fits.has_value();
  });
  if (!read) return fail(unavailableError(read.error()));
  return fits;
}

Outcome<> Engine::registerBuild(Connection& connection, const CollectionRef& collection, IndexNo index) {
  const doc::Document statement = upsertStatement(buildId(collection, index), [&](doc::BsonWriter& out) {
    out.beginDocument("$set");
    out.appendInt64("p", collection.project);
    out.appendInt64("c", collection.number);
    out.appendInt64("i", index);
    out.appendString("by", instance_);
    out.end();
  });
  auto done = connection.write(names_.shared(), updateCommand(kBuilds, statement));
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

void Engine::removeBuild(Connection& connection, const CollectionRef& collection, IndexNo index) {
  const doc::Document statement = removeStatement(buildId(collection, index));
  // A row that stays is removed by the next pass of the housekeeping.
  (void)connection.write(names_.shared(), deleteCommand(kBuilds, statement));
}

Result<> Engine::buildNow(Connection& connection, const CollectionRef& collection, const IndexInfo& index) {
  const Deadline deadline = std::chrono::steady_clock::now() + kBuildTime;
  const auto form = serverIndex(collection, index.spec, indexName(index.number));
  if (!form) return fail(ErrorCode::validation, std::string(kUniqueFilters));
  RETURN_IF_ERROR(checkStored(connection, collection, index.spec));
  doc::BsonWriter out;
  out.appendString("createIndexes", Names::collectionOf(collection.number));
  out.beginArray("indexes");
  out.appendDocument("0", *form);
  out.end();
  const doc::Document command = out.finish();
  bool hasDropped = false;
  for (int failures = 0;;) {
    const auto began = std::chrono::steady_clock::now();
    const auto done = connection.run(names_.databaseOf(collection.project, collection.number), command);
    if (done) return {};
    if (done.error().code == CommandError::kDuplicateKey) {
      return fail(
          ErrorCode::conflict,
          fmt::format("the unique index \"{}\" cannot be created: documents have the same values", index.spec.name));
    }
    if (done.error().code == CommandError::kIndexOptionsConflict && !std::exchange(hasDropped, true)) {
      // The other one may be one that was dropped, and is still there.
      executingDrops(collection.project)(connection);
      continue;
    }
    if (done.error().code == CommandError::kIndexOptionsConflict) {
      return fail(ErrorCode::conflict,
                  fmt::format("the index \"{}\" cannot be created: another one has the same fields", index.spec.name));
    }
    // A build continues without its caller, and the same command waits for its end again.
    const bool waited = std::chrono::steady_clock::now() - began >= kShortWait;
    failures = waited ? 0 : failures + 1;
    const bool isOver = done.error().code != CommandError::kDriver || failures == kMaxFailures || closed_;
    if (isOver || std::chrono::steady_clock::now() >= deadline) return fail(unavailableError(done.error()));
    std::this_thread::sleep_for(kPauseOfBuild);
  }
}

Task<> Engine::buildIndex(CollectionRef collection, IndexInfo index) {
  const Deadline deadline = std::chrono::steady_clock::now() + kBuildTime;
  co_return co_await pool_.run(collection.project, deadline,
                               [this, collection, index](Connection& connection) -> Result<> {
                                 if (auto noted = registerBuild(connection, collection, index.number); !noted) {
                                   return fail(unavailableError(noted.error()));
                                 }
                                 return buildNow(connection, collection, index);
                               });
}

Task<> Engine::endBuild(CollectionRef collection, IndexNo index, bool ready, std::vector<Insert> extraInserts) {
  CO_RETURN_IF_ERROR(co_await queues_.alter(
      collection.project, std::move(extraInserts),
      [collection, index, ready](ProjectState& next) -> Result<> {
        const auto found = next.collections.find(collection.number);
        if (found == next.collections.end()) return changedConcurrently();
        auto info = std::make_shared<CollectionInfo>(*found->second);
        ++info->version;
        const auto at = std::ranges::find(info->indexes, index, &IndexInfo::number);
        if (at == info->indexes.end()) return changedConcurrently();
        if (ready) {
          at->ready = true;
        } else {
          info->indexes.erase(at);
        }
        next.collections[collection.number] = std::move(info);
        return {};
      },
      ready ? std::function<void(Connection&)>() : executingDrops(collection.project)));
  co_return co_await pool_.run(collection.project, orDefault({}), [=, this](Connection& connection) -> Result<> {
    removeBuild(connection, collection, index);
    return {};
  });
}

class Engine::RunningBuild {
 public:
  RunningBuild(Engine& engine, BuildKey key) : engine_(engine), key_(std::move(key)) {
    const std::lock_guard lock(engine_.runningMutex_);
    engine_.running_.insert(key_);
  }
  ~RunningBuild() {
    const std::lock_guard lock(engine_.runningMutex_);
    engine_.running_.erase(key_);
  }
  RunningBuild(const RunningBuild&) = delete;
  RunningBuild& operator=(const RunningBuild&) = delete;

 private:
  Engine& engine_;
  const BuildKey key_;
};

bool Engine::isRunning(const BuildKey& build) const {
  const std::lock_guard lock(runningMutex_);
  return running_.contains(build);
}

Task<IndexInfo> Engine::createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) {
  if (collection.number < kFirstUserCollection) {
    co_return fail(ErrorCode::validation, "a system collection cannot be changed");
  }
  CO_RETURN_IF_ERROR(checkIndex(spec));
  if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
  auto made = std::make_shared<IndexInfo>();
  CO_RETURN_IF_ERROR(
      co_await queues_.alter(collection.project, {}, [made, collection, spec](ProjectState& next) -> Result<> {
        TRY(const std::shared_ptr<CollectionInfo> info, alterable(next, collection));
        // The server's own index of ids is one of its 64.
        if (info->indexes.size() >= kMaxIndexes) {
          return fail(ErrorCode::validation, fmt::format("a collection has at most {} indexes", kMaxIndexes));
        }
        for (const IndexInfo& other : info->indexes) {
          if (other.spec.name != spec.name) continue;
          return fail(ErrorCode::conflict, fmt::format("an index \"{}\" exists already", spec.name));
        }
        *made = {next.head.nextNumber++, spec, false};
        info->indexes.push_back(*made);
        next.collections[collection.number] = info;
        return {};
      }));
  const RunningBuild running(*this, {collection.project, collection.number, made->number});
  Result<> built = co_await buildIndex(collection, *made);
  const bool ready = built.has_value();
  Result<> ended =
      co_await endBuild(collection, made->number, ready, ready ? std::move(extraInserts) : std::vector<Insert>());
  // The index is in the catalogue, and the housekeeping of an instance continues its build.
  if (!ended && ended.error().code() == ErrorCode::unavailable) co_return fail(unknownOutcome(ended.error().message()));
  if (!built) co_return fail(std::move(built).error());
  if (!ended) co_return fail(std::move(ended).error());
  made->ready = true;
  co_return std::move(*made);
}

Task<> Engine::dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) {
  if (collection.number < kFirstUserCollection) {
    co_return fail(ErrorCode::validation, "a system collection cannot be changed");
  }
  // While no group runs here: a server was seen to wait for ever with an open transaction that had written to the
  // collection.
  CO_RETURN_IF_ERROR(co_await queues_.alter(
      collection.project, std::move(extraInserts),
      [collection, name](ProjectState& next) -> Result<> {
        TRY(const std::shared_ptr<CollectionInfo> info, alterable(next, collection));
        const auto index =
            std::ranges::find_if(info->indexes, [&](const IndexInfo& each) { return each.spec.name == name; });
        if (index == info->indexes.end()) return fail(ErrorCode::notFound, fmt::format("no index \"{}\"", name));
        info->indexes.erase(index);
        next.collections[collection.number] = info;
        return {};
      },
      executingDrops(collection.project)));
  co_return co_await afterDrops(collection.project);
}

Task<std::optional<IndexProgress>> Engine::indexProgress(CollectionRef collection, IndexNo index) {
  using Progress = std::optional<IndexProgress>;
  co_return co_await pool_.run(collection.project, orDefault({}),
                               [=, this](Connection& connection) -> Result<Progress> {
                                 auto state = states_.reload(connection, collection.project);
                                 if (!state) return fail(unavailableError(state.error()));
                                 if (!*state) return Progress();
                                 const auto found = (*state)->collections.find(collection.number);
                                 if (found == (*state)->collections.end()) return Progress();
                                 for (const IndexInfo& each : found->second->indexes) {
                                   if (each.number != index || each.ready) continue;
                                   TRY(const CollectionStats stats, counted(connection, collection, ""));
                                   return Progress(IndexProgress{0, stats.documents});
                                 }
                                 return Progress();
                               });
}

Task<> Engine::dropProject(ProjectNo project) {
  if (project == kControlProject) {
    co_return fail(ErrorCode::validation, "the control plane's project cannot be dropped");
  }
  CO_RETURN_IF_ERROR(co_await queues_.alter(project, {}, [](ProjectState& next) -> Result<> {
    next.head.dead = true;
    return {};
  }));
  // It takes long where the project holds much, and nothing waits for it.
  pool_.submit(project, executingDrops(project));
  co_return Result<>();
}

}  // namespace mb::store::mongo
