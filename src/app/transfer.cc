#include "app/transfer.h"

#include "app/application.h"
#include "base/blocking.h"
#include "base/files.h"
#include "base/sha256.h"
#include "own_changes/copier.h"
#include "store/embedded/backup.h"
#include "store/own/pending_writes.h"

namespace mb::app {

namespace {

constexpr size_t kBatchDocuments = 500;
constexpr size_t kBatchBytes = 1 << 20;
constexpr auto kWriteLimit = std::chrono::seconds(60);
constexpr uint64_t kBetweenSigns = 1000;

const store::SystemCollection* declared(const std::vector<store::SystemCollection>& all, store::CollectionNo number) {
  const auto found = std::ranges::find(all, number, &store::SystemCollection::number);
  return found == all.end() ? nullptr : &*found;
}

// Signs of progress, and the end of a stopped transfer.
class Signs {
 public:
  Signs(Progress& progress, std::string_view step, uint64_t total) : progress_(progress), step_(step), total_(total) {}
  Result<> one() {
    if (seen_++ % kBetweenSigns == 0) progress_.at(step_, seen_ - 1, total_);
    return progress_.stopped() ? fail(ErrorCode::unavailable, "stopped") : Result<>();
  }

 private:
  Progress& progress_;
  const std::string step_;
  const uint64_t total_;
  uint64_t seen_ = 0;
};

// Copies the documents of one collection into a store that has the collection.
class CollectionCopy {
 public:
  CollectionCopy(store::MainStore& target, Cores& cores, store::CollectionRef collection, std::string name)
      : target_(target), cores_(cores), collection_(collection), name_(std::move(name)) {}

  Result<> add(doc::Document document) {
    bytes_ += document.size();
    targets_.push_back({collection_, std::string(document.view().stringOr("id")), true});
    documents_.push_back(std::move(document));
    return documents_.size() >= kBatchDocuments || bytes_ >= kBatchBytes ? flush() : Result<>();
  }
  Result<> flush() {
    if (documents_.empty()) return {};
    bytes_ = 0;
    store::Write write({.deadline = std::chrono::steady_clock::now() + kWriteLimit,
                        .actor = {store::ActorKind::server, ""},
                        .priority = store::WritePriority::low,
                        .bumpEpochs = {},
                        .logged = false});
    const std::vector<store::Target> targets = write.change(std::exchange(targets_, {}));
    const std::vector<doc::Document> documents = std::exchange(documents_, {});
    const auto putAll = [&targets = std::as_const(targets), &documents = std::as_const(documents)](
                            const store::PreImages&, store::Changes& changes) -> Result<> {
      for (size_t i = 0; i < targets.size(); ++i) changes.put(targets[i], documents[i]);
      return {};
    };
    const auto written = runBlocking(cores_, target_.write(std::move(write), putAll));
    if (written) return {};
    const Violation* violation = store::indexViolation(written.error());
    if (!violation) return fail(written.error().clone());
    return fail(ErrorCode::validation, fmt::format("project {}: a document of \"{}\" breaks the unique index \"{}\"",
                                                   collection_.project, name_, violation->name));
  }

 private:
  store::MainStore& target_;
  Cores& cores_;
  const store::CollectionRef collection_;
  const std::string name_;
  std::vector<store::WriteTarget> targets_;
  std::vector<doc::Document> documents_;
  size_t bytes_ = 0;
};

// Fails for a source of which the target could not hold everything.
Result<> checkSource(const store::Image& source) {
  const auto known = systemCollections();
  for (const store::ProjectNo project : source.projects()) {
    for (const store::CollectionInfo& collection : source.collections(project)) {
      if (collection.number < store::kFirstUserCollection && declared(known, collection.number) == nullptr) {
        TRY(const store::CollectionStats stats, source.stats(project, collection.number));
        if (stats.documents == 0) continue;
        return fail(ErrorCode::unavailable, fmt::format("this version does not know the records {}", collection.name));
      }
      for (const store::IndexInfo& index : collection.indexes) {
        if (index.ready) continue;
        return fail(ErrorCode::conflict,
                    fmt::format("project {}: the index \"{}\" of \"{}\" is being built: start the server until it is "
                                "ready, or drop it",
                                project, index.spec.name, collection.name));
      }
    }
  }
  return {};
}

Result<uint64_t> countOf(const store::Image& source) {
  uint64_t total = 0;
  for (const store::ProjectNo project : source.projects()) {
    for (const store::CollectionInfo& collection : source.collections(project)) {
      TRY(const store::CollectionStats stats, source.stats(project, collection.number));
      total += stats.documents;
    }
  }
  return total;
}

Result<Transferred> copyDocuments(const store::Image& source, store::MainStore& target, Cores& cores,
                                  Progress& progress) {
  const auto known = systemCollections();
  TRY(const uint64_t total, countOf(source));
  Signs signs(progress, "documents copied", total);
  Transferred done;
  for (const store::ProjectNo project : source.projects()) {
    ++done.projects;
    const store::ProjectNumbers numbers = source.numbersOf(project);
    done.changes += numbers.lastPosition - numbers.lostUpTo;
    for (const store::CollectionInfo& collection : source.collections(project)) {
      const store::SystemCollection* system = declared(known, collection.number);
      if (collection.number >= store::kFirstUserCollection) ++done.collections;
      CollectionCopy copy(target, cores, {project, collection.number, collection.version}, collection.name);
      CollectionSum sum{project, collection.number, 0, {}};
      Sha256 hash;
      RETURN_IF_ERROR(source.each(project, collection.number, [&](doc::DocumentView stored) -> Result<> {
        RETURN_IF_ERROR(signs.one());
        auto upgraded = system != nullptr && system->upgrade ? system->upgrade(stored) : std::nullopt;
        doc::Document document = upgraded ? *std::move(upgraded) : doc::Document(stored);
        hash.add(document.view().bytes());
        ++sum.documents;
        return copy.add(std::move(document));
      }));
      RETURN_IF_ERROR(copy.flush());
      TRY(const store::CollectionStats stats, source.stats(project, collection.number));
      if (stats.documents != sum.documents) {
        return fail(
            ErrorCode::unavailable,
            fmt::format("project {}: \"{}\" holds {} documents, counted are {}: it changed while it was read, or "
                        "`manybase check` names what is wrong",
                        project, collection.name, sum.documents, stats.documents));
      }
      if (sum.documents == 0) continue;
      sum.sha256 = hash.finish();
      done.documents += sum.documents;
      done.sums.push_back(std::move(sum));
    }
  }
  return done;
}

Result<> compareNumbers(const store::Image& source, const store::Image& target, store::ProjectNo project) {
  const store::ProjectNumbers from = source.numbersOf(project);
  const store::ProjectNumbers to = target.numbersOf(project);
  bool same = from.epoch <= to.epoch && from.nextNumber == to.nextNumber && from.lastPosition == to.lastPosition &&
              from.lostUpTo == to.lostUpTo;
  for (const store::CollectionInfo& collection : source.collections(project)) {
    TRY(const store::ChainHead was, source.chainHead(project, collection.number));
    TRY(const store::ChainHead is, target.chainHead(project, collection.number));
    same = same && was == is;
  }
  if (same) return {};
  return fail(ErrorCode::internal, fmt::format("project {}: the copy has other numbers than the source", project));
}

// Reads the target from end to end. What was copied is in `expected`, so that the source is read once.
Result<> compare(const store::Image& source, const store::Image& target, const Transferred& expected,
                 Progress& progress) {
  if (source.projects() != target.projects()) return fail(ErrorCode::internal, "the copy has other projects");
  Signs signs(progress, "documents compared", expected.documents);
  auto next = expected.sums.begin();
  for (const store::ProjectNo project : target.projects()) {
    RETURN_IF_ERROR(compareNumbers(source, target, project));
    for (const store::CollectionInfo& collection : target.collections(project)) {
      CollectionSum sum{project, collection.number, 0, {}};
      Sha256 hash;
      RETURN_IF_ERROR(target.each(project, collection.number, [&](doc::DocumentView stored) -> Result<> {
        ++sum.documents;
        hash.add(stored.bytes());
        return signs.one();
      }));
      TRY(const store::CollectionStats stats, target.stats(project, collection.number));
      sum.sha256 = sum.documents == 0 ? "" : hash.finish();
      const bool listed = next != expected.sums.end() && next->project == project && next->collection == sum.collection;
      const CollectionSum was = listed ? *next++ : CollectionSum{project, collection.number, 0, {}};
      if (sum == was && stats.documents == was.documents) continue;
      return fail(ErrorCode::internal,
                  fmt::format("project {}: the copy of \"{}\" is not what was read: {} documents, expected {}", project,
                              collection.name, sum.documents, was.documents));
    }
  }
  if (next == expected.sums.end()) return {};
  return fail(ErrorCode::internal, fmt::format("project {}: collections are missing in the copy", next->project));
}

// A core for the target's coroutines, while it is filled.
class OneCore {
 public:
  OneCore() { cores_.start(); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  ~OneCore() {
    cores_.stop();
    cores_.join();
  }
  Cores& get() { return cores_; }

 private:
  Cores cores_{1};
};

// The projects whose changes are copied from a database of their owner.
Result<std::vector<store::ProjectNo>> copiedProjects(const store::Image& source) {
  std::vector<store::ProjectNo> copied;
  for (const store::ProjectNo project : source.projects()) {
    TRY(const auto stream, source.get(project, store::own::kStream, store::own::kStreamId));
    if (stream) copied.push_back(project);
  }
  return copied;
}

}  // namespace

Result<> restartCopying(const store::Image& backup, const StoreSettings& settings,
                        const std::filesystem::path& directory) {
  TRY(const std::vector<store::ProjectNo> projects, copiedProjects(backup));
  if (projects.empty()) return {};
  const SystemClock clock;
  OneCore core;
  TRY(const OpenedStore opened, openStore(settings, directory, core.get(), clock));
  for (const store::ProjectNo project : projects) {
    RETURN_IF_ERROR(runBlocking(core.get(), own_changes::restartCopying(*opened.store, project)));
  }
  opened.store->close();
  return {};
}

Result<Transferred> fillDirectory(const store::Image& source, const std::filesystem::path& directory,
                                  Progress& progress) {
  RETURN_IF_ERROR(checkSource(source));
  RETURN_IF_ERROR(store::EmbeddedStore::createLike(source, directory, progress));
  const SystemClock clock;
  OneCore core;
  TRY(auto store,
      store::EmbeddedStore::open(directory, fillingSettings().embedded, core.get(), systemCollections(), clock));
  auto done = copyDocuments(source, *store, core.get(), progress);
  store->close();
  if (!done) return done;
  TRY(const auto target, store::StoreImage::open(directory / "store"));
  RETURN_IF_ERROR(compare(source, *target, *done, progress));
  RETURN_IF_ERROR(syncDirectory(directory / "store"));
  return done;
}

Result<Transferred> fillDatabase(const store::Image& source, store::MongoSettings settings, Progress& progress) {
  RETURN_IF_ERROR(checkSource(source));
  RETURN_IF_ERROR(store::MongoStore::createLike(source, settings, progress));
  settings.incomplete = true;
  settings.logLimits = fillingSettings().mongo.logLimits;
  const SystemClock clock;
  OneCore core;
  TRY(auto store, store::MongoStore::open(std::move(settings), systemCollections(), clock));
  TRY(Transferred done, copyDocuments(source, *store, core.get(), progress));
  {
    TRY(const auto target, store->image(false));
    RETURN_IF_ERROR(compare(source, *target, done, progress));
  }
  store->close();
  return done;
}

}  // namespace mb::app
