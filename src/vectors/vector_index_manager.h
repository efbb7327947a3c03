// Keeps the indexes: loads or builds each, follows the change log with it, and saves it now and then. An index is
// derived: what is lost of it is made again of documents and embeddings.
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
  WorkerPool& pool;                 // where indexes are changed, loaded and saved
  std::filesystem::path directory;  // of their files
  uint64_t memory = 0;              // of all indexes together
};

// Bounds: an index that does not fit beside those that were searched in the last minute is not kept, and searches of it
// are refused; of others the one that was not searched for longest makes room. A search waits at most two seconds for
// an index to have seen what was written before it.
class VectorIndexManager {
 public:
  explicit VectorIndexManager(VectorIndexManagerDeps deps);
  ~VectorIndexManager();  // after stop()

  void start();
  // Saves what is unsaved; false when something was left after `limit`: it is caught up with at the next start. Not
  // from a core.
  bool stop(std::chrono::milliseconds limit);

  // ---- any thread
  // Has the index loaded or built, where it is not.
  LiveIndexPtr open(const FieldPlace& place);
  // The index, with all in it that was committed before the call, as far as two seconds allow. Fails with unavailable:
  // it is being built, does not fit, or the deadline has passed.
  Task<std::shared_ptr<VectorIndex>> use(FieldPlace place, store::Deadline deadline);
  // Null where it was not opened since the start.
  LiveIndexPtr find(store::ProjectNo project, const std::string& fieldId) const;
  // Embeddings of the field were committed.
  void embedded(store::ProjectNo project, const std::string& fieldId);
  // The field is no more: its index and file go.
  void drop(store::ProjectNo project, const std::string& fieldId);
  // The same for all fields of projects that are not in `all`.
  void dropOthers(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all);
  // Removes files that belong to none of `fields` of the project, and folders of projects that are not in `all`.
  void sweep(const std::unordered_map<store::ProjectNo, std::vector<std::string>>& all) const;

  // Of a project, those that have an index here.
  std::vector<std::string> fields(store::ProjectNo project) const;
  uint64_t bytes() const;                            // of all
  uint64_t vectors(store::ProjectNo project) const;  // of its indexes

 private:
  struct Update {
    std::string id;
    std::vector<float> vector;  // empty: it goes
  };

  static Async<void> maintain(VectorIndexManager* self, LiveIndexPtr live);
  // Wakes the indexes whose save is due without a change that would start it.
  Async<void> wakeForSaves();
  void grown(store::ProjectNo project);

  Async<bool> load(LiveIndexPtr live);
  Task<> build(LiveIndexPtr live);
  Task<> buildOfDocuments(LiveIndexPtr live);
  Task<> buildOfEmbeddings(LiveIndexPtr live);
  // One batch of the log, and of embeddings; true when there may be more. `anew`: the log does not reach back.
  Task<bool> follow(LiveIndexPtr live, bool& anew);
  Task<bool> followEmbeddings(LiveIndexPtr live);
  Task<std::vector<Update>> updatesOf(LiveIndexPtr live, std::vector<store::ChangeEntry> entries);
  Task<> apply(LiveIndexPtr live, std::vector<Update> updates);
  Async<void> save(LiveIndexPtr live);
  bool saveIsDue(const LiveIndex& live) const;
  // Fails where there is no module for it.
  Task<> evictUntilFits(LiveIndexPtr live);
  std::vector<LiveIndexPtr> all() const;
  bool stopped(const LiveIndex& live) const { return stopping_ || live.ending; }

  const VectorIndexManagerDeps deps_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::unordered_map<store::ProjectNo, std::unordered_map<std::string, LiveIndexPtr>> byProject_;
  std::shared_ptr<void> listening_;
  PeriodicTask saves_;
  TaskGroup tasks_;
};

}  // namespace mb::vectors
