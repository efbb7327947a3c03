// The engine: it combines the parts of this folder. Its functions are split by topic over mongo_store.cc (opening and
// closing), query.cc, alterations.cc, feed.cc and recount.cc.
#pragma once

#include <set>

#include "base/cancellation.h"
#include "store/mongo/direct_reads.h"
#include "store/mongo/document_reads.h"
#include "store/mongo/log_trim.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/transaction.h"
#include "store/mongo/watcher.h"
#include "store/mongo/write_queues.h"

namespace mb::store::mongo {

// The timeout of a call without a deadline.
inline constexpr std::chrono::seconds kDefaultWait{30};
Deadline orDefault(Deadline deadline);

struct QueryPlan;  // query.cc

class Engine final : public MongoStore {
 public:
  Engine(MongoSettings settings, std::vector<SystemCollection> system, const Clock& clock);
  ~Engine() override;
  // Called once, before all other functions. Blocks.
  Result<> start();

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
  Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) override;
  Task<std::optional<IndexProgress>> indexProgress(CollectionRef collection, IndexNo index) override;
  Notices& notices() override { return notices_; }
  Result<> healthy() const override;

  Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) override;
  uint64_t lastPosition(ProjectNo project) const override { return states_.lastPosition(project); }
  Task<uint64_t> frontier(ProjectNo project) override;
  std::shared_ptr<void> listen(ChangeListener listener) override { return listeners_.add(std::move(listener)); }

  void close() override;
  CommitStats commitStats() const override;
  CheckReport check() override;
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) override;
  Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) override;
  Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                         std::vector<std::string> held) override;
  Result<std::unique_ptr<Image>> image(bool atOneMoment) override;
  int64_t idFloorMs() const override { return idFloorMs_; }
  void rememberIdsOf(const IdGenerator& ids) override { watcher_.rememberIdsOf(ids); }
  Peers* peers() override { return &watcher_; }

 private:
  // ---- query.cc
  // A page of few documents that the server evaluates alone; nullopt where runQuery() is to find it.
  Task<std::optional<QueryResult>> findDirectly(std::shared_ptr<const Query> query,
                                                std::shared_ptr<const QueryPlan> plan);
  // Ends with `left`, between two documents. Blocks.
  Result<QueryResult> runQuery(Connection& connection, const Query& query, const QueryPlan& plan,
                               const CancellationFlag& left);
  // Of a `find` command, which the server runs for it. Blocks.
  Result<Explain> explained(Connection& connection, const CollectionRef& collection, const doc::Document& find);
  std::function<Outcome<doc::Document>(doc::DocumentView)> readingOf(Connection& connection,
                                                                     const CollectionRef& collection) const;
  // Of ids as they are stored, the documents that exist, by them. Blocks.
  Result<std::map<std::string, VersionedDocument>> readByIds(Connection& connection, const CollectionRef& collection,
                                                             const std::vector<std::string>& ids, Deadline deadline);
  // Whether this instance knows that the collection exists.
  bool isKnown(const CollectionRef& collection) const;
  // Whether the collection exists, as far as this instance must know. Blocks.
  Result<bool> exists(Connection& connection, const CollectionRef& collection);
  // The sum over the documents of a system collection that is not counted, by the database.
  Result<CollectionStats> summed(Connection& connection, const CollectionRef& collection);
  // The document with an `_id` of a collection of the shared database.
  Result<std::optional<doc::Document>> readRow(Connection& connection, std::string_view rows, const std::string& id);
  Result<CollectionStats> counted(Connection& connection, const CollectionRef& collection, std::string_view group);
  std::vector<IndexUsage> indexUsage(Connection& connection, ProjectNo project, const CollectionInfo& info,
                                     uint64_t documents) const;

  // ---- alterations.cc
  // The collection in `state`, to be replaced; fails with staleCatalogue if it has another version than `ref`.
  static Result<std::shared_ptr<CollectionInfo>> alterable(const ProjectState& state, const CollectionRef& ref);
  Result<> checkStored(Connection& connection, const CollectionRef& collection, const IndexSpec& spec);
  Task<> buildIndex(CollectionRef collection, IndexInfo index);
  Result<> buildNow(Connection& connection, const CollectionRef& collection, const IndexInfo& index);
  // Ends a build: the index is ready, or, if it could not be built, is removed.
  Task<> endBuild(CollectionRef collection, IndexNo index, bool ready, std::vector<Insert> extraInserts);
  // The row of a build that runs, by which others see one whose instance ended.
  Outcome<> registerBuild(Connection& connection, const CollectionRef& collection, IndexNo index);
  void removeBuild(Connection& connection, const CollectionRef& collection, IndexNo index);
  // A build that createIndex() runs, as long as this exists.
  class RunningBuild;
  using BuildKey = std::tuple<ProjectNo, CollectionNo, IndexNo>;
  bool isRunning(const BuildKey& build) const;
  // Makes the server drop what has left the catalogue of a project; a failure is logged, and the drop is repeated by
  // the housekeeping.
  std::function<void(Connection&)> executingDrops(ProjectNo project);
  // Returns once they have run, if this instance runs a group of the project or drops now.
  Task<> afterDrops(ProjectNo project);

  // ---- recount.cc
  Result<CounterRecount> recountNow(Connection& connection, ProjectNo project, const RecountOptions& options);
  Outcome<std::map<CounterKey, int64_t>> sumCounters(Transaction& transaction, ProjectNo project);

  // ---- feed.cc
  // The head of a project as the database has it now; nullopt for no such project.
  Task<std::optional<Head>> headNow(ProjectNo project);

  // ---- housekeeping.cc: what any instance does from time to time
  void keepHouse(const std::stop_token& stop);
  // Runs a task to its end on the housekeeper's thread.
  Result<> runHere(Task<> task);
  // Ends the sessions of instances that are silent since a moment, once for each silence. Returns whether there was
  // one.
  bool endSilentSessions(Connection& connection);
  void passHousekeeping(Connection& connection);
  Outcome<> resumeBuilds(Connection& connection);
  Outcome<> repeatDrops(Connection& connection);
  Outcome<> dropOldInstances(Connection& connection);
  // Moves the highest time of an id from the beats to where it stays; returns it.
  Outcome<int64_t> storeIdFloor(Connection& connection);

  // ---- mongo_store.cc
  Result<> prepare(Connection& connection);
  Result<> makeExpire(Connection& connection);
  // Fails if another instance runs of which the files are not those of this one.
  Result<> checkFiles();

  const MongoSettings settings_;
  const Names names_;
  const Clock& clock_;
  ProjectStates states_;
  Marks marks_;
  Notices notices_;
  FeedListeners listeners_;
  const std::string instance_;
  WriteLeases leases_;
  std::atomic<uint64_t> groups_{0};
  UnknownGroups unknown_;
  CommitCounts counts_;
  const GroupContext context_;
  // Of the housekeeper's tasks. Before the pool: a thread that has resumed a task may still use it.
  asio::io_context housekeeping_{1};
  // It would stop for good when a task ended.
  const asio::executor_work_guard<asio::io_context::executor_type> moreHousekeeping_{housekeeping_.get_executor()};
  ConnectionPool pool_;
  DocumentReads reads_;
  DirectReads direct_;
  WriteQueues queues_;
  Watcher watcher_;
  int64_t idFloorMs_ = 0;  // of the start
  // Unready indexes without a registered build, with the time when they were first seen. Of the housekeeper's thread.
  std::map<BuildKey, std::chrono::steady_clock::time_point> unregistered_;
  mutable std::mutex runningMutex_;
  std::set<BuildKey> running_;
  // Instances without beats whose sessions were ended. Of the housekeeper's thread.
  std::set<std::string, std::less<>> silent_;
  std::mutex housekeepingMutex_;
  std::condition_variable_any housekeepingWake_;
  std::jthread housekeeper_;
  std::atomic<bool> closed_{false};
};

// The server's form of an index of a collection; nullopt for one that it cannot keep as we do, as kUniqueFilters says.
std::optional<doc::Document> serverIndex(const CollectionRef& collection, const IndexSpec& spec, std::string_view name);
inline constexpr std::string_view kUniqueFilters =
    "the filter of a unique index takes equality, comparisons, $exists, $type, $in, $and and $or, but compares no path "
    "of several names with null";

}  // namespace mb::store::mongo
