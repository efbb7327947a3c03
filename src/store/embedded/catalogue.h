// The Catalogue is the in-memory catalogue: projects, their collections and indexes, counts and epochs. The rows of the
// system family are its durable form. A lookup never waits. Only the commit thread changes it (once a change is
// durable), so a reader that sees a new epoch sees the catalogue of that epoch.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "store/chain.h"
#include "store/embedded/counters.h"
#include "store/embedded/database.h"
#include "store/embedded/group_counts.h"
#include "store/embedded/latch.h"
#include "store/embedded/schema.h"

namespace mb::store::embedded {

// One collection of one project, until it is dropped.
struct CollectionState {
  CollectionState(ProjectNo p, CollectionNo n) : project(p), number(n) {}
  const ProjectNo project;
  const CollectionNo number;
  Latch latch;
  // Durable counts.
  std::atomic<uint64_t> documents{0};
  std::atomic<uint64_t> bytes{0};
  // Of a user collection: CollectionUsage::lastWrite; 0 for none.
  std::atomic<int64_t> lastWriteMs{0};
  GroupCounts groupCounts;  // set by the commit thread
  // Of a user collection: paths whose values have marks. Changed under the exclusive latch; read under the latch.
  std::vector<doc::FieldPath> marked;

  // Of the commit thread: counts that include the current group, and the last group that changed them.
  uint64_t nextDocuments = 0;
  uint64_t nextBytes = 0;
  uint64_t group = 0;
  int64_t nextWriteMs = 0;  // lastWriteMs with the current group
  // The same, of a chained collection.
  ChainHead nextHead;
  uint64_t chainGroup = 0;
};

struct CollectionHandle {
  std::shared_ptr<CollectionState> state;
  SchemaPtr schema;
  explicit operator bool() const { return state != nullptr; }
};

struct ProjectState {
  explicit ProjectState(ProjectNo n) : number(n) {}
  const ProjectNo number;
  std::atomic<bool> dead{false};
  std::atomic<uint64_t> epoch{0};
  std::atomic<uint64_t> lastPosition{0};  // of the change log
  std::atomic<uint64_t> lowWater{0};
  std::atomic<uint64_t> loggedBytes{0};
  std::atomic<bool> traced{false};  // whether an entry of its log may have a trace context

  // Under the project's catalogue lock.
  uint32_t nextNumber = kFirstUserCollection;

  // Of the commit thread.
  int64_t nextSchemaBytes = 0;  // configuredBytes() of the user collections
  uint64_t nextEpoch = 0;
  uint64_t nextPosition = 0;
  uint64_t nextLoggedBytes = 0;
  int64_t lastLoggedMs = 0;
  uint64_t logGroup = 0;    // the last group that changed its log
  uint64_t epochGroup = 0;  // and its epoch

  // Collections by number; system collections appear on first use.
  mutable std::shared_mutex mutex;
  std::map<CollectionNo, CollectionHandle> collections;
};

// A dropped range that the sweeper must free.
struct Tombstone {
  uint64_t row = 0;  // its row number
  ProjectNo project = 0;
  bool wholeProject = false;
  CollectionNo collection = 0;  // 0: indexes only
  std::vector<IndexNo> indexes;
};
std::string encodeTombstone(const Tombstone& tombstone);

// The value of a row::kChainHead row. Decoding fails with internal.
std::string encodeChainHead(const ChainHead& head);
Result<ChainHead> decodeChainHead(std::string_view value);

class Catalogue {
 public:
  static constexpr ProjectNo kMaxProjects = 4096 * 1024;

  Catalogue() = default;
  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Reads all rows, creates the control plane's project if it does not exist, and brings system collections to their
  // specs, building new indexes. Fails with a complete message. Called once, before all other functions.
  Result<> load(Database& database, const std::vector<SystemCollection>& system);

  // Null for a number that was never assigned. The state lives as long as the catalogue. Any thread.
  ProjectState* project(ProjectNo number) const;
  // Empty for an unknown collection, or if its project is dropped. Any thread.
  CollectionHandle collection(ProjectNo project, CollectionNo number) const;
  // By number, as load() found or created them.
  const std::map<CollectionNo, SchemaPtr>& systemCollections() const { return system_; }
  // Of user collections, by number.
  std::vector<SchemaPtr> userCollections(ProjectNo project) const;
  // The durable head of a collection's chain. Reads the disk.
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) const;
  // The states of all collections that were used, also of a dropped project.
  std::vector<std::shared_ptr<CollectionState>> states(ProjectNo project) const;
  uint64_t lowWater(ProjectNo project) const;
  // Calls `visit` with each project that is not dropped.
  void forEachProject(const std::function<void(ProjectState&)>& visit) const;

  // The declared name; "" for an undeclared counter.
  std::string counterName(CounterNo counter) const;

  // ---- called when a commit is durable
  void addProject(ProjectNo number);
  void install(ProjectNo project, SchemaPtr schema);
  void remove(ProjectNo project, CollectionNo collection);

  std::string numbersRow() const;  // the value of row::kNextNumbers

  ProjectNo nextProject = kControlProject + 1;  // under the catalogue lock of project 0
  std::atomic<uint64_t> nextTombstone{1};
  std::vector<Tombstone> tombstones;  // as of load()
  int64_t idFloorMs = 0;              // as of load()
  Counters counters;

 private:
  static constexpr size_t kChunk = 1024;
  struct Chunk {
    std::array<std::atomic<ProjectState*>, kChunk> projects{};
  };
  struct Counts {
    std::pair<ProjectNo, CollectionNo> where;
    uint64_t documents;
    uint64_t bytes;
  };
  Result<> loadRows();
  Result<> loadRow(std::string_view key, std::string_view value);
  void applyMarks();
  // counter_specs.cc
  // Recounts the counters whose rows may be wrong: the store was opened by a version without counters, or with other
  // counter declarations. Stamps the rows as valid for this opening.
  Result<> bringCountersToSpec();
  Result<> recount(const std::vector<SchemaPtr>& counted);
  Result<> checkFormat();
  ProjectState& ensureProject(ProjectNo number);
  void applyCounts();
  Result<> findTraced();
  // system_specs.cc
  Result<> bringSystemToSpec(const std::vector<SystemCollection>& system);
  Result<> bringToSpec(const SystemCollection& wanted);
  Result<IndexNo> freeSystemIndex(const Schema& making);
  Result<> sweepSystemIndexes();
  Result<> clearSystemIndexIn(ProjectNo project, IndexNo number);
  // SystemCollection::upgrade.
  Result<> upgradeDocuments(const SystemCollection& collection);
  Result<> upgradeDocumentsIn(ProjectNo project, const SystemCollection& collection, Counts& counts);
  Result<> buildSystemIndex(const SystemCollection& collection, const Index& index);
  Result<> buildSystemIndexIn(ProjectNo project, CollectionNo collection, const Index& index);

  Database* database_ = nullptr;
  std::map<CollectionNo, SchemaPtr> system_;
  uint32_t nextSystemIndex_ = 1;
  std::array<std::atomic<Chunk*>, kMaxProjects / kChunk> chunks_{};
  std::mutex growth_;                  // guards chunks_ and their contents
  std::atomic<ProjectNo> highest_{0};  // written under growth_
  std::vector<Counts> counts_;         // while loading: row::kCount rows, until their collections are known
  std::vector<std::pair<std::pair<ProjectNo, CollectionNo>, int64_t>> lastWrites_;  // row::kLastWrite rows
  std::vector<std::pair<std::pair<ProjectNo, CollectionNo>, ChainHead>> heads_;     // row::kChainHead rows
  struct GroupRow {
    std::pair<ProjectNo, CollectionNo> where;
    std::string value;
    CollectionStats stats;
  };
  std::vector<GroupRow> groupCounts_;  // row::kGroupCount rows
  std::string counterStamp_;           // while loading: the row::kCounterStamp row
  // While loading: row::kIndexTraits rows, which precede some of the rows that they refer to.
  std::vector<std::pair<std::pair<ProjectNo, IndexNo>, std::pair<uint32_t, uint32_t>>> marks_;
};

}  // namespace mb::store::embedded
