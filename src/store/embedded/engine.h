// The embedded store: it combines the parts of this folder. Its functions are split by topic over write.cc, read.cc,
// alterations.cc, index_build.cc, recount.cc, usage.cc, check.cc, backup.cc, compact.cc and embedded_store.cc.
#pragma once

#include "base/task_group.h"
#include "base/worker_pool.h"
#include "store/embedded/backlog.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/commit_thread.h"
#include "store/embedded/gate.h"
#include "store/embedded/housekeeper.h"
#include "store/embedded/query_run.h"
#include "store/embedded/scan_pool.h"
#include "store/embedded/slow_queries.h"
#include "store/embedded/write_job.h"
#include "store/key_locks.h"

namespace mb::store::embedded {

// The progress of an index fill; durable with the entries of each slice.
struct BuildPosition {
  uint64_t documents = 0;
  uint64_t expected = 0;
  std::string lastId;  // all up to and including this one are in the index; empty: none yet
  // The highest id at the time when writes began to maintain the index, or later: the fill ends after it. Empty: not
  // determined yet.
  std::string untilId;
  // The layout of the entries written so far; not stored, as each change of it resets the position to the start.
  std::optional<uint32_t> layout = {};
};

// The locks of an alteration: the catalogue of its project and, if it changes a collection, that collection's latch,
// exclusively.
struct Alterable {
  explicit Alterable(KeyLocks& locks) : catalogue(locks) {}
  HeldStripes catalogue;
  ProjectState* project = nullptr;
  CollectionHandle collection;
  LatchHold latch;
};

class Engine final : public EmbeddedStore {
 public:
  Engine(const EmbeddedSettings& settings, Cores& cores, const Clock& clock);
  ~Engine() override;
  // Called once, before all other functions.
  Result<> start(const std::filesystem::path& directory, const std::vector<SystemCollection>& system);

  Task<std::optional<doc::Document>> get(CollectionRef collection, std::string id, ReadOptions options) override;
  Task<std::optional<VersionedDocument>> getVersioned(CollectionRef collection, std::string id,
                                                      ReadOptions options) override;
  Task<std::vector<std::optional<doc::Document>>> getMany(CollectionRef collection, std::vector<std::string> ids,
                                                          std::shared_ptr<const doc::FieldSet> hidden,
                                                          ReadOptions options) override;
  Task<QueryResult> find(Query query) override;
  Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) override;
  Task<WriteOutcome> write(Write write, WriteCallback callback) override;
  Task<CollectionStats> stats(CollectionRef collection, ReadOptions options) override;
  Task<CollectionStats> statsByField(CollectionRef collection, std::string value, ReadOptions options) override;
  Task<std::vector<CollectionUsage>> usage(ProjectNo project, ReadOptions options) override;
  Task<int64_t> counter(CounterKey key) override;
  Task<CounterRecount> recountCounters(ProjectNo project, RecountOptions options) override;
  Mark mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const override;
  Task<> markPath(ProjectNo project, CollectionNo collection, std::string path) override;

  Task<ProjectNo> allocateProject() override;
  Task<> dropProject(ProjectNo project) override;
  Epoch epoch(ProjectNo project) const override;
  Task<uint64_t> epochNow(ProjectNo project) override;

  Task<std::vector<CollectionInfo>> collections(ProjectNo project) override;
  Task<CollectionInfo> createCollection(ProjectNo project, std::string name, doc::Document config,
                                        std::vector<Insert> extraInserts) override;
  Task<CollectionInfo> alterCollection(CollectionRef collection, Alteration change,
                                       std::vector<Insert> extraInserts) override;
  Task<> dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) override;
  Task<IndexInfo> createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) override;
  Task<std::optional<IndexProgress>> indexProgress(CollectionRef collection, IndexNo index) override;
  Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) override;
  Notices& notices() override { return notices_; }
  Result<> healthy() const override;
  void holdFields(ProjectNo project, CollectionNo collection, std::vector<std::string> paths) override;

  Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) override;
  uint64_t lastPosition(ProjectNo project) const override;
  Task<uint64_t> frontier(ProjectNo project) override;
  std::shared_ptr<void> listen(ChangeListener listener) override { return listeners_.add(std::move(listener)); }

  void close() override;
  CommitStats commitStats() const override;
  CheckReport check() override;
  Result<> checkpoint(const std::filesystem::path& to) override;
  Result<CompactReport> compact(std::optional<ProjectNo> project, Progress& progress) override;
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) override;
  Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) override;
  Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                         std::vector<std::string> held) override;
  Result<std::unique_ptr<Image>> image(bool atOneMoment) override;
  int64_t idFloorMs() const override { return catalogue_.idFloorMs; }
  void rememberIdsOf(const IdGenerator& ids) override { committer_->rememberIdsOf(ids); }

 private:
  WriteContext writeContext() { return {*database_, catalogue_, documentLocks_, uniqueLocks_, catalogue_.counters}; }

  // ---- write.cc: the steps of a write that may suspend
  Task<> waitLatches(WriteJob& job, Deadline deadline);
  Task<> readBefore(WriteJob& job);
  // Fails with the Violation if a unique index refuses the write.
  Task<> claimUnique(WriteJob& job, Deadline deadline);
  Task<> waitUnique(WriteJob& job, Deadline deadline);
  // Fails with the Violation of the first condition that does not hold.
  Task<> checkConditions(const Write& write);
  // Queues the commit and waits until it is durable. Fails with the Violation of a limit that it exceeds, unavailable
  // if the queue is full, and the error with which the commit thread refuses it.
  Task<> commit(Commit& commit, std::vector<CounterLimit> limits);

  // ---- recount.cc
  // In commits of a bounded size, each of which is there as a whole or not at all. Waits while the queue is full, until
  // `ended` returns true.
  Task<> applyCorrections(ProjectNo project, std::span<const CounterCorrection> corrections,
                          const std::function<bool()>& ended);

  // ---- read.cc
  QueryContext queryContext() { return {*database_, catalogue_, planMemory_}; }
  Task<> finishQuery(QueryRun& run, QueryRun::Step reached);
  // `key` must live until the call ends.
  Task<Database::DocumentRead> readFromDisk(std::string_view key, ReadOptions options);
  Result<bool> readMany(Tier tier, const CollectionRef& collection, const std::vector<std::string>& ids,
                        const doc::FieldSet* hidden, std::vector<std::optional<doc::Document>>& out);
  // Sets the trace contexts of the entries. False if the disk is needed.
  Result<bool> readTraces(Tier tier, const ProjectState& project, std::vector<ChangeEntry>& entries);
  Result<bool> readChanges(Tier tier, const ProjectState& project, uint64_t after, size_t limit, ChangeBatch& out);

  // ---- alterations.cc
  Task<> lockCatalogue(Alterable& held, ProjectNo project);
  // The same for a user collection of the caller's version, and takes its latch exclusively.
  Task<> lockCollection(Alterable& held, CollectionRef collection, bool anyVersion = false);
  // Commits the contents of the job together with the inserts.
  Task<> commitAlteration(WriteJob& job, std::vector<Insert> extraInserts, WriteOptions options = {});
  Task<CollectionInfo> addCollection(ProjectNo project, CollectionInfo collection, std::vector<std::string> heldFields,
                                     std::vector<Insert> extraInserts, WriteOptions options);
  // Adds to the job the replacement of `before` (null for a new collection) by `next`.
  void putSchema(WriteJob& job, ProjectState& project, const Schema* before, SchemaPtr next);
  // Adds to the job that these ranges must be swept; returns the function to call once that is durable.
  std::move_only_function<void()> addTombstone(WriteJob& job, Tombstone tombstone);

  // ---- index_build.cc
  Task<> buildIndex(CollectionRef collection, IndexNo index, std::vector<Insert> extraInserts);
  // Returns the layout of the entries once all are filled in.
  Task<uint32_t> fillIndex(CollectionRef collection, IndexNo index);
  enum class FillResult { more, busy, all };
  Task<FillResult> fillSlice(CollectionRef collection, IndexNo index, BuildPosition& at);
  // Returns false if the layout changed since the fill.
  Task<bool> publishIndex(CollectionRef collection, IndexNo index, uint32_t layout, std::vector<Insert> extraInserts);
  Task<> removeIndex(Alterable& held, IndexNo index, std::vector<Insert> extraInserts);
  Task<> abandonIndex(CollectionRef collection, IndexNo index);
  Task<BuildPosition> positionOf(CollectionRef collection, IndexNo index);
  Async<void> resumeBuild(CollectionRef collection, IndexNo index);
  void resumeBuilds();
  // The tasks of the backlogs.
  Async<void> refill(TaskSubject subject);
  Async<void> applyHeld(TaskSubject subject);
  Task<> setHeld(CollectionRef collection, std::vector<std::string> paths);

  const EmbeddedSettings settings_;
  Cores& cores_;
  const Clock& clock_;
  Gate gate_;
  Catalogue catalogue_;
  std::unique_ptr<Database> database_;
  // Lock order: the projects' catalogues, then latches, then documents, then unique values.
  KeyLocks documentLocks_{16384};
  KeyLocks uniqueLocks_{16384};
  KeyLocks catalogueLocks_{256};
  CommitQueue queue_;
  FeedListeners listeners_;
  Marks marks_;
  Notices notices_;
  std::unique_ptr<CommitThread> committer_;
  std::unique_ptr<WorkerPool> readPool_;
  std::unique_ptr<ScanPool> scanPool_;
  PlanMemory planMemory_;
  SlowQueries slowQueries_;
  std::unique_ptr<Housekeeper> housekeeper_;
  TaskGroup builds_;
  // Indexes to be refilled while they are read, and collections whose indexes must hold wantedFields_.
  Backlog refills_;
  Backlog fieldChanges_;
  std::mutex wantedMutex_;
  std::map<std::pair<ProjectNo, CollectionNo>, std::vector<std::string>> wantedFields_;
  std::atomic<bool> recounting_{false};
  std::atomic<bool> closed_{false};
};

// The error of all calls once the store stops.
std::unexpected<Error> stopping();
// The timeout of a call without a deadline.
inline constexpr std::chrono::seconds kDefaultWait{30};
Deadline orDefault(Deadline deadline);

}  // namespace mb::store::embedded
