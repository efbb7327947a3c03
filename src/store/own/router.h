// The store of a deployment whose projects may have databases of their own: documents of user collections of such a
// project are read and written in its database, everything else in the main store.
//
// A collection's name in the database is in its configuration (kSourceField). A write that changes documents there and
// records of the main store is two commits, of which the one there is first.
#pragma once

#include "document/shape.h"
#include "store/key_locks.h"
#include "store/main_store.h"
#include "store/own/databases.h"
#include "store/own/reading.h"
#include "store/own/writing.h"

namespace mb::store::own {

// An index that has left the catalogue, until it is dropped in the owner's database.
struct IndexDropRecord {
  std::string id;          // "<number of the collection>-<number of the index>"
  std::string collection;  // its name there
  std::string index;       // its name here
  static constexpr auto shape() {
    return doc::shape<IndexDropRecord>("IndexDrop", doc::field("id", &IndexDropRecord::id),
                                       doc::field("collection", &IndexDropRecord::collection),
                                       doc::field("index", &IndexDropRecord::index));
  }
};

class Router final : public MainStore {
 public:
  // `databases` outlives it.
  Router(std::unique_ptr<MainStore> main, Databases& databases);
  ~Router() override;

  Task<std::optional<doc::Document>> get(CollectionRef collection, std::string id, ReadOptions options) override;
  Task<std::optional<VersionedDocument>> getVersioned(CollectionRef collection, std::string id,
                                                      ReadOptions options) override;
  Task<std::vector<std::optional<doc::Document>>> getMany(CollectionRef collection, std::vector<std::string> ids,
                                                          std::shared_ptr<const doc::FieldSet> hidden,
                                                          ReadOptions options) override;
  Task<QueryResult> find(Query query) override;
  Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) override;
  Task<WriteOutcome> write(Write write, WriteCallback callback) override;
  std::string newId(ProjectNo project, IdGenerator& ids) const override;
  Task<CollectionStats> stats(CollectionRef collection, ReadOptions options) override;
  Task<CollectionStats> statsByField(CollectionRef collection, std::string value, ReadOptions options) override;
  Task<std::vector<CollectionUsage>> usage(ProjectNo project, ReadOptions options) override;
  Task<int64_t> counter(CounterKey key) override { return main_->counter(std::move(key)); }
  Task<CounterRecount> recountCounters(ProjectNo project, RecountOptions options) override {
    return main_->recountCounters(project, options);
  }
  Mark mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const override;
  Task<> markPath(ProjectNo project, CollectionNo collection, std::string path) override;

  Task<ProjectNo> allocateProject() override { return main_->allocateProject(); }
  Task<> dropProject(ProjectNo project) override { return main_->dropProject(project); }
  Epoch epoch(ProjectNo project) const override { return main_->epoch(project); }
  Task<uint64_t> epochNow(ProjectNo project) override { return main_->epochNow(project); }

  Task<std::vector<CollectionInfo>> collections(ProjectNo project) override { return main_->collections(project); }
  Task<CollectionInfo> createCollection(ProjectNo project, std::string name, doc::Document config,
                                        std::vector<Insert> extraInserts) override;
  // The name there stays.
  Task<CollectionInfo> alterCollection(CollectionRef collection, Alteration change,
                                       std::vector<Insert> extraInserts) override;
  // The documents there stay.
  Task<> dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) override {
    return main_->dropCollection(collection, std::move(extraInserts));
  }
  Task<IndexInfo> createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) override;
  Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) override;
  // Drops the indexes in the project's database that have left the catalogue while the database was away, or this
  // process ended. Fails with unavailable.
  Task<> dropLeftIndexes(ProjectNo project);
  Task<std::optional<IndexProgress>> indexProgress(CollectionRef collection, IndexNo index) override {
    return main_->indexProgress(collection, index);
  }
  Notices& notices() override { return main_->notices(); }
  Result<> healthy() const override { return main_->healthy(); }

  Task<ChangeBatch> changes(ProjectNo project, uint64_t after, size_t limit) override {
    return main_->changes(project, after, limit);
  }
  uint64_t lastPosition(ProjectNo project) const override { return main_->lastPosition(project); }
  Task<uint64_t> frontier(ProjectNo project) override { return main_->frontier(project); }
  std::shared_ptr<void> listen(ChangeListener listener) override { return main_->listen(std::move(listener)); }

  void close() override { main_->close(); }
  CommitStats commitStats() const override { return main_->commitStats(); }
  CheckReport check() override { return main_->check(); }
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) override {
    return main_->chainHead(project, collection);
  }
  Task<> restoreChain(ProjectNo project, CollectionNo collection, ChainHead head) override {
    return main_->restoreChain(project, collection, head);
  }
  Task<CollectionInfo> restoreCollection(ProjectNo project, CollectionInfo collection,
                                         std::vector<std::string> held) override {
    return main_->restoreCollection(project, std::move(collection), std::move(held));
  }
  Result<std::unique_ptr<Image>> image(bool atOneMoment) override { return main_->image(atOneMoment); }
  int64_t idFloorMs() const override { return main_->idFloorMs(); }
  void rememberIdsOf(const IdGenerator& ids) override { main_->rememberIdsOf(ids); }
  EntryFields* entryFields() override { return main_->entryFields(); }
  Peers* peers() override { return main_->peers(); }

 private:
  // What the catalogue says of the collections of one project, at an epoch.
  struct Names {
    uint64_t epoch = 0;
    std::map<CollectionNo, std::pair<uint64_t, std::string>> byNumber;  // version and name there
  };

  // Whether the collection's documents are in a database of the project's owner. Never blocks.
  bool isElsewhere(const CollectionRef& collection) const;
  // The collection there; nullopt if the catalogue does not have it.
  Task<std::optional<Collection>> resolve(CollectionRef collection);
  // The same for a write: fails with staleCatalogue where the catalogue has no such version.
  Task<Collection> resolveCurrent(CollectionRef collection);
  Task<std::shared_ptr<const Names>> namesOf(ProjectNo project);

  // What the functions of these names do for documents elsewhere; without them, calls of the main store would be
  // coroutines within coroutines.
  Task<std::optional<doc::Document>> getElsewhere(CollectionRef collection, std::string id, ReadOptions options);
  Task<std::optional<VersionedDocument>> getVersionedElsewhere(CollectionRef collection, std::string id,
                                                               ReadOptions options);
  Task<std::vector<std::optional<doc::Document>>> getManyElsewhere(CollectionRef collection,
                                                                   std::vector<std::string> ids,
                                                                   std::shared_ptr<const doc::FieldSet> hidden,
                                                                   ReadOptions options);
  Task<QueryResult> findElsewhere(Query query);
  Task<uint64_t> countElsewhere(CollectionRef collection, doc::Filter filter, Deadline deadline);

  // ---- router_catalogue.cc
  // The exclusive use of the indexes of a project, by this process. Fails with unavailable.
  Task<> lockIndexes(HeldStripes& locks, ProjectNo project);
  // Drops those of `drops` in the database, with their records.
  Task<> finishDrops(std::shared_ptr<Database> database, std::vector<IndexDropRecord> drops);
  Task<std::vector<IndexDropRecord>> dropsOf(ProjectNo project);

  // ---- router_write.cc
  Task<WriteOutcome> writeElsewhere(Write write, WriteCallback callback);
  // The conditions of a write, before it writes elsewhere.
  Task<> checkConditions(const std::vector<Absence>& conditions, const std::vector<CounterLimit>& limits,
                         Deadline deadline);

  const std::unique_ptr<MainStore> main_;
  Databases& databases_;
  // So that writes of one document through this process follow one another instead of racing.
  KeyLocks locks_{4096};
  KeyLocks indexLocks_{64};  // of projects
  std::mutex mutex_;
  std::map<ProjectNo, std::shared_ptr<const Names>> names_;  // of projects with a database of their own
};

// In the configuration of a collection: its name in the database of the project's owner.
inline constexpr std::string_view kSourceField = "source";
// The same: whether that database has no such collection.
inline constexpr std::string_view kMissingField = "missing";

}  // namespace mb::store::own
