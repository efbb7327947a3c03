// The CommitThread takes groups of writes, assigns what is totally ordered (log positions, counts, epochs, chains),
// writes and syncs each group as one batch, and then resumes the writers.
#pragma once

#include <thread>

#include "store/embedded/commit_queue.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/marks.h"

namespace mb::store::embedded {

// The parts that are updated or notified once commits are durable.
struct CommitObservers {
  Counters& counters;
  Marks& marks;
  const Notices& notices;
  const FeedListeners& listeners;
};

class CommitThread {
 public:
  CommitThread(Database& database, const Catalogue& catalogue, CommitQueue& queue, CommitObservers observers,
               Cores& cores, const Clock& clock, int64_t idFloorMs);
  ~CommitThread() { stop(); }
  void start();
  // Commits the queued writes, then ends.
  void stop();

  void rememberIdsOf(const IdGenerator& ids) { ids_ = &ids; }
  EmbeddedStats stats() const { return {commits_.load(), writes_.load()}; }

 private:
  void run();
  // Removes from the group the writes that exceed a limit of their project's configuration, and counts the others.
  void applyLimits(std::vector<Commit*>& group);
  std::optional<Error> limitPassedBy(const Commit& commit) const;
  void build(std::span<Commit* const> group);
  void addLinks(Commit& commit);
  void addOps(std::span<Commit* const> group);
  void addChangeLog(Commit& commit);
  void addCounts(const Commit& commit);
  void addGroupCounts(const Commit& commit);
  void addCounters(const Commit& commit);
  void addMarks(Commit& commit);
  void addBumps(const Commit& commit);
  void addTouched();
  void addIdFloor();
  void publish(std::span<Commit* const> group);
  void resume(std::span<Commit* const> group);
  void notifyListeners();

  Database& database_;
  const Catalogue& catalogue_;
  CommitQueue& queue_;
  const CommitObservers observers_;
  Cores& cores_;
  const Clock& clock_;
  std::atomic<const IdGenerator*> ids_{nullptr};
  std::atomic<uint64_t> commits_{0};
  std::atomic<uint64_t> writes_{0};
  std::thread thread_;

  // State of the current group.
  uint64_t group_ = 0;
  rocksdb::WriteBatch batch_;
  std::vector<Commit*> refused_;
  std::vector<CollectionState*> collections_;                                        // whose counts change
  std::vector<CollectionState*> chained_;                                            // whose chains grow
  std::map<std::pair<CollectionState*, std::string>, CollectionStats> groupCounts_;  // the new counts
  std::vector<CounterPtr> counters_;                                                 // that change
  std::vector<ProjectState*> logged_;
  std::vector<ProjectState*> bumped_;
  struct KeyedOp {
    const Commit* commit;
    const Commit::Op* op;
    std::string_view key;
    size_t at;  // in the group
  };
  std::vector<KeyedOp> ops_;                   // of this group, by family and key
  std::vector<DocumentCache::Write> written_;  // the documents of this group
  int64_t idFloorMs_;
  int64_t nowMs_ = 0;
  EntrySet entries_;
  std::string key_;
  std::string value_;
};

}  // namespace mb::store::embedded
