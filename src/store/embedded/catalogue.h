// The catalogue in memory: projects, their collections and indexes, counts and epochs. Rows of the system family are
// its durable form. Looking up never waits. Changes come from the commit thread alone (once they are durable), so
// whoever sees a new epoch sees the catalogue it stands for.
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

// One collection of one project, for as long as it lives.
struct CollectionState {
  CollectionState(ProjectNo p, CollectionNo n) : project(p), number(n) {}
  const ProjectNo project;
  const CollectionNo number;
  Latch latch;
  // Durable counts.
  std::atomic<uint64_t> documents{0};
  std::atomic<uint64_t> bytes{0};
  GroupCounts groupCounts;  // set by the commit thread
  // Of a user collection: paths whose values have marks. Changed with the latch held exclusively; read with it held.
  std::vector<doc::FieldPath> marked;

  // The commit thread's own: counts with the group under way, and the group that last touched them.
  uint64_t nextDocuments = 0;
  uint64_t nextBytes = 0;
  uint64_t group = 0;
  // Likewise, of a chained collection.
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

  // Under the project's catalogue lock.
  uint32_t nextNumber = kFirstUserCollection;

  // The commit thread's own.
  int64_t nextSchemaBytes = 0;  // configuredBytes() of the user collections
  uint64_t nextEpoch = 0;
  uint64_t nextPosition = 0;
  uint64_t nextLoggedBytes = 0;
  int64_t lastLoggedMs = 0;
  uint64_t logGroup = 0;    // the groups that last touched its log
  uint64_t epochGroup = 0;  // and its epoch

  // Collections by number; system collections appear on first use.
  mutable std::shared_mutex mutex;
  std::map<CollectionNo, CollectionHandle> collections;
};

// A dropped range that the sweeper has yet to free.
struct Tombstone {
  uint64_t row = 0;  // its number
  ProjectNo project = 0;
  bool wholeProject = false;
  CollectionNo collection = 0;  // 0: indexes only
  std::vector<IndexNo> indexes;
};
std::string encodeTombstone(const Tombstone& tombstone);

// The value of an 'A' row. Decoding fails with internal.
std::string encodeChainHead(const ChainHead& head);
Result<ChainHead> decodeChainHead(std::string_view value);

class Catalogue {
 public:
  static constexpr ProjectNo kMaxProjects = 4096 * 1024;

  Catalogue() = default;
  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Reads every row, makes the control plane's project where there is none, and brings system collections to their
  // specs, building indexes that are new. Fails with a line to show. Before anything else, once.
  Result<> load(Database& database, const std::vector<SystemCollection>& system);

  // Null when the number was never given out. The state lives as long as the catalogue. Any thread.
  ProjectState* project(ProjectNo number) const;
  // Empty when there is no such collection, or its project is dropped. Any thread.
  CollectionHandle collection(ProjectNo project, CollectionNo number) const;
  // By number. As load() found or made them.
  const std::map<CollectionNo, SchemaPtr>& systemCollections() const { return system_; }
  // Of user collections, by number.
  std::vector<SchemaPtr> userCollections(ProjectNo project) const;
  // The durable end of a collection's chain. Reads the disk.
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) const;
  // Of all that were used, dead project or not.
  std::vector<std::shared_ptr<CollectionState>> states(ProjectNo project) const;
  uint64_t lowWater(ProjectNo project) const;
  // Calls `visit` with each project that lives.
  void forEachProject(const std::function<void(ProjectState&)>& visit) const;

  // As declared; "" for one that is not.
  std::string counterName(CounterNo counter) const;

  // ---- what becomes true when a commit is durable
  void addProject(ProjectNo number);
  void install(ProjectNo project, SchemaPtr schema);
  void remove(ProjectNo project, CollectionNo collection);

  std::string numbersRow() const;  // the value of 'G'

  ProjectNo nextProject = kControlProject + 1;  // under the catalogue lock of project 0
  std::atomic<uint64_t> nextTombstone{1};
  std::vector<Tombstone> tombstones;  // as they were when load() read them
  int64_t idFloorMs = 0;              // likewise
  Counters counters;

 private:
  static constexpr size_t kChunk = 1024;
  struct Chunk {
    std::array<std::atomic<ProjectState*>, kChunk> projects{};
  };
  Result<> loadRows();
  Result<> loadRow(std::string_view key, std::string_view value);
  void applyMarks();
  // counter_specs.cc
  // Counts again what the rows do not vouch for: the store was opened by a version that knows no counters, or other
  // counters were declared then. Stamps the rows as right for this opening.
  Result<> bringCountersToSpec();
  Result<> recount(const std::vector<SchemaPtr>& counted);
  Result<> checkFormat();
  ProjectState& ensureProject(ProjectNo number);
  void applyCounts();
  // system_specs.cc
  Result<> bringSystemToSpec(const std::vector<SystemCollection>& system);
  Result<> bringToSpec(const SystemCollection& wanted);
  Result<IndexNo> freeSystemIndex(const Schema& making);
  Result<> sweepSystemIndexes();
  Result<> clearSystemIndexIn(ProjectNo project, IndexNo number);
  Result<> buildSystemIndex(const SystemCollection& collection, const Index& index);
  Result<> buildSystemIndexIn(ProjectNo project, CollectionNo collection, const Index& index);

  Database* database_ = nullptr;
  std::map<CollectionNo, SchemaPtr> system_;
  uint32_t nextSystemIndex_ = 1;
  std::array<std::atomic<Chunk*>, kMaxProjects / kChunk> chunks_{};
  std::mutex growth_;                  // of chunks_ and of what is in them
  std::atomic<ProjectNo> highest_{0};  // written under growth_
  struct Counts {
    std::pair<ProjectNo, CollectionNo> where;
    uint64_t documents;
    uint64_t bytes;
  };
  std::vector<Counts> counts_;  // while loading: 'N' rows, until the collections they speak of are known
  std::vector<std::pair<std::pair<ProjectNo, CollectionNo>, ChainHead>> heads_;  // and 'A' rows
  struct GroupRow {
    std::pair<ProjectNo, CollectionNo> where;
    std::string value;
    CollectionStats stats;
  };
  std::vector<GroupRow> groupCounts_;  // and 'Y' rows
  std::string counterStamp_;           // while loading: the 'O' row
  // While loading: 'M' rows, which stand before some of the rows they speak of.
  std::vector<std::pair<std::pair<ProjectNo, IndexNo>, std::pair<uint32_t, uint32_t>>> marks_;
};

}  // namespace mb::store::embedded
