// The full consistency scan behind `manybase check`, on one snapshot.
#pragma once

#include "base/progress.h"
#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

class Checker {
 public:
  // `progress`, if given, receives the number of documents and entries, and may stop the scan: the report then covers
  // what was scanned by then.
  Checker(Database& database, const Catalogue& catalogue, Progress* progress = nullptr);
  CheckReport run();

 private:
  struct Counted {
    uint64_t documents = 0;
    uint64_t bytes = 0;
  };
  using RangeId = std::pair<ProjectNo, uint32_t>;  // project, and collection or index
  void checkDocuments();
  void checkDocument(const CollectionHandle& handle, std::string_view id, std::string_view bytes);
  // Checks that `key` holds the entry of a document with the expected value.
  void checkEntry(const CollectionHandle& handle, const Index& index, std::string_view key, std::string_view id,
                  std::string_view expected);
  void checkCounts();
  void checkGroupCounts();
  void checkCounters();
  void checkEntries();
  void checkEntry(const CollectionHandle& handle, const Index& index, std::string_view key, std::string_view value);
  void checkLogs();
  void checkLog(const ProjectState& project);
  // Called after each document or entry; false when the scan must end.
  bool shouldContinue(std::string_view step, uint64_t done, uint64_t total);
  void problem(std::string text);
  std::string nameOf(const CollectionHandle& handle) const;
  std::unique_ptr<rocksdb::Iterator> iterate(Family family) const;

  Database& database_;
  const Catalogue& catalogue_;
  Progress* progress_;
  SnapshotHold snapshot_;
  rocksdb::ReadOptions options_;
  std::map<RangeId, Counted> counted_;
  std::map<std::pair<RangeId, std::string>, Counted> grouped_;
  CounterSums counters_;
  std::map<RangeId, uint64_t> expected_;  // entries by index
  CheckReport report_;
};

}  // namespace mb::store::embedded
