// The commit thread: takes groups, gives them their places in what is totally ordered (log positions, counts, epochs,
// chains), writes and syncs each as one batch, and only then lets the writers go on.
#pragma once

#include <thread>

#include "store/embedded/commit_queue.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/marks.h"

namespace mb::store::embedded {

// What learns of commits once they are durable.
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
  // Commits what is queued, then ends.
  void stop();

  void rememberIdsOf(const IdGenerator& ids) { ids_ = &ids; }
  EmbeddedStats stats() const { return {commits_.load(), writes_.load()}; }

 private:
  void run();
  // Takes out of the group what would pass a limit of its project's configuration, and counts the rest.
  void applyLimits(std::vector<Commit*>& group);
  std::optional<Error> limitPassedBy(const Commit& commit) const;
  void build(std::span<Commit* const> group);
  void addLinks(Commit& commit);
  void addOps(std::span<Commit* const> group);
  void addLog(Commit& commit);
  void addCounts(const Commit& commit);
  void addTallies(const Commit& commit);
  void addCounters(const Commit& commit);
  void addMarks(Commit& commit);
  void addBumps(const Commit& commit);
  void addTouched();
  void addIdFloor();
  void publish(std::span<Commit* const> group);
  void resume(std::span<Commit* const> group);
  void tellListeners();

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

  // Of the group under way.
  uint64_t group_ = 0;
  rocksdb::WriteBatch batch_;
  std::vector<Commit*> refused_;
  std::vector<CollectionState*> collections_;                                        // whose counts it changes
  std::vector<CollectionState*> chained_;                                            // whose chain it goes on with
  std::map<std::pair<CollectionState*, std::string>, CollectionStats> groupCounts_;  // that it changes, as they will be
  std::vector<CounterPtr> counters_;                                                 // that it moves
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
