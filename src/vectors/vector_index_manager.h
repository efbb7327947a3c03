// A VectorIndexManager owns the vector indexes in memory: it loads or builds each, applies the change log to it, and
// saves it. An index is derived data: it can be rebuilt from documents and embeddings.
#pragma once

#include <unordered_map>

#include "base/cores.h"
#include "base/periodic_task.h"
#include "base/task_group.h"
#include "base/worker_pool.h"
#include "store/change_feed.h"
#include "vectors/live_index.h"

namespace mb::vectors {

struct VectorIndexManagerDeps {
  store::DocumentStore& store;
  store::ChangeFeed& feed;
  Cores& cores;
  WorkerPool& pool;                 // changes, loads and saves indexes
  std::filesystem::path directory;  // of their files
  uint64_t memory = 0;              // bytes of all indexes together
  // Other processes embed texts, too: their vectors are read twice a second.
  bool shared = false;
};

// Bounds: when an index does not fit, the least recently searched of the others is evicted, except those that were
// searched in the last minute. An index that still does not fit fails, and its searches are refused. A search waits at
// most two seconds for the index to contain what was written before it.
class VectorIndexManager {
 public:
  explicit VectorIndexManager(VectorIndexManagerDeps deps);
  ~VectorIndexManager();  // REQUIRES: stop() was called

  void start();
  // Ends all waits of settled(); later ones end at once. Any thread.
  void drain();
  // Saves unsaved changes; false if some were left after `limit`: the next start reads them from the change log. Not
  // from a core.
  bool stop(std::chrono::milliseconds limit);

  // ---- any thread
  // Starts to load or build the index unless it is open.
  LiveIndexPtr open(const FieldPlace& place);
  // Returns the index once it contains everything that was committed before the call, or as it is after two seconds.
  // Fails with unavailable if it is being built, does not fit, or the deadline has passed.
  Task<std::shared_ptr<VectorIndex>> use(FieldPlace place, store::Deadline deadline);
  // Returns once the index is ready, failed or ended. No other limit: a build takes as long as its documents are read.
  Async<void> settled(LiveIndexPtr live);
  // Null if it was not opened since the start.
  LiveIndexPtr find(store::ProjectNo project, const std::string& fieldId) const;
  // Called after embeddings of the field were committed.
  void embedded(store::ProjectNo project, const std::string& fieldId);
  // Removes index and file of a field that was deleted.
  void drop(store::ProjectNo project, const std::string& fieldId);
  // The same for all fields of projects that are not in `all`.
  void dropOthers(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all);
  // Removes the files of fields that `all` does not name, and the folders of projects that are not in `all`.
  void sweep(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all) const;

  // The ids of the project's fields that have an index here.
  std::vector<std::string> fields(store::ProjectNo project) const;
  uint64_t bytes() const;  // of all

 private:
  struct Update {
    std::string id;
    std::vector<float> vector;  // empty: removes the id
  };

  static Async<void> maintain(VectorIndexManager* self, LiveIndexPtr live);
  // Wakes the indexes whose save is due by time, without a change that would trigger it.
  Async<void> wakeForSaves();
  void wakeProject(store::ProjectNo project);
  // Lets the index end; its memory is freed later.
  void end(LiveIndex& live);

  // False if the index must be built instead, or does not fit.
  Async<bool> load(LiveIndexPtr live);
  Task<> build(LiveIndexPtr live);
  Task<> buildOfDocuments(LiveIndexPtr live);
  Task<> buildOfEmbeddings(LiveIndexPtr live);
  // Applies one batch of the change log, and of embeddings; true if there may be more. Sets `rebuild` if the log does
  // not reach back to the index's position.
  Task<bool> follow(LiveIndexPtr live, bool& rebuild);
  Task<bool> followEmbeddings(LiveIndexPtr live);
  Task<std::vector<Update>> updatesOf(LiveIndexPtr live, std::vector<store::ChangeEntry> entries);
  Task<> apply(LiveIndexPtr live, std::vector<Update> updates);
  Async<void> save(LiveIndexPtr live);
  bool saveIsDue(const LiveIndex& live) const;
  // Evicts other indexes until `live` fits into the memory limit, and waits for their end. Fails if it does not fit.
  Task<> evictUntilFits(LiveIndexPtr live);
  std::vector<LiveIndexPtr> all() const;
  bool stopped(const LiveIndex& live) const { return stopping_ || live.ending; }

  const VectorIndexManagerDeps deps_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> stopping_{false};
  AsyncCondition memoryFreed_;           // for predicates over timesFreed_ and stopped()
  std::atomic<uint64_t> timesFreed_{0};  // counts the ends of indexes
  mutable std::mutex mutex_;
  std::unordered_map<store::ProjectNo, std::unordered_map<std::string, LiveIndexPtr>> byProject_;
  std::shared_ptr<void> listener_;
  PeriodicTask saves_;
  int64_t lookedMs_ = 0;  // when vectors of other processes were read; used by wakeForSaves() only
  TaskGroup tasks_;
};

}  // namespace mb::vectors
