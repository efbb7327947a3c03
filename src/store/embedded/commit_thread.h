// The CommitThread takes groups of writes, assigns what is totally ordered (log positions, counts, epochs, chains),
// writes and syncs each group as one batch, and then resumes the writers.
#pragma once

#include <thread>

#include "store/embedded/commit_queue.h"
#include "store/embedded/derived_state.h"

namespace mb::store::embedded {

class CommitThread {
 public:
  CommitThread(Database& database, const Catalogue& catalogue, CommitQueue& queue, CommitObservers observers,
               Cores& cores, const Clock& clock, int64_t idFloorMs);
  ~CommitThread() { stop(); }
  void start();
  // Commits the queued writes, then ends.
  void stop();

  void rememberIdsOf(const IdGenerator& ids) { derived_.followIds(ids); }
  CommitStats stats() const { return {commits_.load(), writes_.load()}; }

 private:
  void run();
  // Removes from the group the writes that exceed a limit of their project's configuration, and adds the others to the
  // derived state.
  void applyLimits(std::vector<Commit*>& group);
  std::optional<Error> limitPassedBy(const Commit& commit) const;
  void build(std::span<Commit* const> group);
  void addOps(std::span<Commit* const> group);
  void publish(std::span<Commit* const> group);
  void resume(std::span<Commit* const> group);

  Database& database_;
  const Catalogue& catalogue_;
  CommitQueue& queue_;
  Cores& cores_;
  std::atomic<uint64_t> commits_{0};
  std::atomic<uint64_t> writes_{0};
  std::thread thread_;

  // State of the current group.
  GroupBatch batch_;
  DerivedState derived_;
  std::vector<Commit*> refused_;
  struct KeyedOp {
    const Commit* commit;
    const Commit::Op* op;
    std::string_view key;
    size_t at;  // in the group
  };
  std::vector<KeyedOp> ops_;                   // of this group, by family and key
  std::vector<DocumentCache::Write> written_;  // the documents of this group
};

}  // namespace mb::store::embedded
