// A DocumentStore in memory, for the tests of other modules: documents, filters, unique indexes, epochs, the catalogue
// and the change log, without durability and planner. No call suspends. Any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "store/testing/memory_feed.h"

namespace mb::store::testing {

class MemoryStore final : public DocumentStore {
 public:
  explicit MemoryStore(std::vector<SystemCollection> systemCollections);

  // ---- for tests
  // Makes all later asynchronous calls fail with this code; nullopt: none.
  void failWith(std::optional<ErrorCode> code);
  // The number of calls that failed for that reason.
  size_t injectedFailures() const;
  // Runs once, before the next write reads anything: simulates a concurrent caller.
  void beforeNextWrite(std::function<void()> hook);
  // Makes a document one that a release without versions stored.
  void forgetVersion(CollectionRef collection, const std::string& id);
  // The number of calls of get, getMany, find and count.
  size_t reads() const;
  size_t writes() const;
  // The projects of all calls of recountCounters, in order.
  std::vector<ProjectNo> recounts() const;
  // All documents of a collection, ascending id.
  std::vector<doc::Document> all(CollectionRef collection) const;
  void bumpEpoch(ProjectNo project);
  // Simulates an instance that has received no epochs from others for a while: epoch() returns the values of this call,
  // not fresh.
  void loseFreshness();
  void regainFreshness();
  // The change log of user collections.
  MemoryFeed& feed() { return feed_; }
  // The position after which documents of SystemCollection::logFloor keep the project's changes; nullopt if none does.
  std::optional<uint64_t> keptAfter(ProjectNo project) const;

  // ---- DocumentStore
  Task<std::optional<doc::Document>> get(CollectionRef collection, std::string id, ReadOptions options = {}) override;
  Task<std::optional<VersionedDocument>> getVersioned(CollectionRef collection, std::string id,
                                                      ReadOptions options = {}) override;
  Task<std::vector<std::optional<doc::Document>>> getMany(CollectionRef collection, std::vector<std::string> ids,
                                                          std::shared_ptr<const doc::FieldSet> hidden = nullptr,
                                                          ReadOptions options = {}) override;
  Task<QueryResult> find(Query query) override;
  Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) override;
  // Runs each callback twice, on copies of the documents, and uses the second result.
  Task<WriteOutcome> write(Write write, WriteCallback callback) override;
  Task<CollectionStats> stats(CollectionRef collection, ReadOptions options = {}) override;
  Task<CollectionStats> statsByField(CollectionRef collection, std::string value, ReadOptions options = {}) override;
  // Each index with an entry of no bytes for each document; without a last write.
  Task<std::vector<CollectionUsage>> usage(ProjectNo project, ReadOptions options = {}) override;
  Task<int64_t> counter(CounterKey key) override;
  // Counters are sums of the present documents, so none is ever wrong.
  Task<CounterRecount> recountCounters(ProjectNo project, RecountOptions options = {}) override;
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

 private:
  using Documents = std::map<std::string, doc::Document>;
  using CollectionKey = std::pair<ProjectNo, CollectionNo>;

  // REQUIRES: mutex_ is held.
  Result<> injected() const;
  // Returns whether it changed anything; sets WriteOutcome::versions.
  Result<bool> writeNow(Write& write, const WriteCallback& callback, std::vector<DocumentVersion>& versions);
  // 0 for a document without one.
  DocumentVersion versionOf(const CollectionRef& collection, const std::string& id) const;
  Result<CollectionInfo*> current(const CollectionRef& collection);
  std::vector<IndexSpec> indexesOf(const CollectionRef& collection) const;
  std::string violated(const CollectionRef& collection, const Documents& documents, const std::string& id) const;
  std::vector<doc::Document> matching(const CollectionRef& collection, const doc::Filter& filter) const;
  void insertAll(const std::vector<Insert>& inserts);
  int64_t counted(const std::map<CollectionKey, Documents>& documents, const CounterKey& key) const;
  Result<> checkCounters(const std::vector<CounterLimit>& limits,
                         const std::map<CollectionKey, Documents>& after) const;
  Result<> checkConditions(const Write& write) const;
  void moveMarks(const CollectionRef& collection, const std::optional<doc::Document>& document);
  // Checks the limits of configuration_limits.h with `documents` and `catalogue` as the new contents.
  Result<> checkLimits(ProjectNo project, const std::map<CollectionKey, Documents>& documents,
                       const std::map<CollectionKey, CollectionInfo>& catalogue) const;

  mutable std::mutex mutex_;
  const std::vector<SystemCollection> system_;
  std::map<CollectionKey, Documents> documents_;
  // Of user documents; an entry may outlive its document.
  std::map<std::pair<CollectionKey, std::string>, DocumentVersion> versions_;
  DocumentVersion lastVersion_ = 0;
  std::map<CollectionKey, CollectionInfo> catalogue_;
  std::map<ProjectNo, uint64_t> epochs_;
  std::optional<std::map<ProjectNo, uint64_t>> staleEpochs_;
  ProjectNo lastProject_ = kControlProject;
  CollectionNo lastCollection_ = kFirstUserCollection - 1;
  IndexNo lastIndex_ = 0;
  std::optional<ErrorCode> failure_;
  mutable size_t injectedFailures_ = 0;
  std::function<void()> beforeWrite_;
  size_t reads_ = 0;
  size_t writes_ = 0;
  std::vector<ProjectNo> recounts_;
  MemoryFeed feed_;
  Notices notices_;
  struct MarkedValue {
    ProjectNo project;
    CollectionNo collection;
    std::string path;
    doc::Value value;
    std::unique_ptr<std::atomic<uint32_t>> counter;
  };
  mutable std::vector<MarkedValue> marks_;
  std::set<std::tuple<ProjectNo, CollectionNo, std::string>> markedPaths_;
};

}  // namespace mb::store::testing
