// Vector configs of collections, the indexes that follow from them, and search. The module, wired: made once by app/,
// before the queue and the dispatcher start. Source: contract 2.7, 4.3, 4.5; decisions 4.
#pragma once

#include "audit/audit.h"
#include "base/periodic_task.h"
#include "data/data.h"
#include "vectors/embedding_jobs.h"
#include "vectors/vector_rules.h"
#include "vectors/vector_search.h"

namespace mb::vectors {

// References outlive the module.
struct VectorDeps {
  store::DocumentStore& store;
  store::ChangeFeed& feed;
  snapshot::Snapshots& snapshots;
  jobs::Queue& queue;
  events::Dispatcher& dispatcher;
  outbound::Outbound& outbound;
  data::Data& data;
  Cores& cores;
  IdGenerator& ids;
  audit::Auditor& auditor;
  data::ProjectNumbers projects;    // asked at the start
  std::filesystem::path directory;  // of the indexes' files
  VectorSettings settings;
};

// Who does it, in which project.
struct Access {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
};

// Permissions are the routes' business; every change is audited in its own commit and holds for every request that
// begins after it was answered. Calls on a named collection fail with notFound where there is none. Any core.
class Vectors {
 public:
  // Adds the module's slot, its kind of job, and its consumer.
  explicit Vectors(VectorDeps deps);
  ~Vectors();

  // Loads or builds the indexes of all projects in the background, as far as there is memory.
  void start();
  // Looks at all projects again: one has come back from a backup. Any thread.
  void refreshSoon() { refreshes_.trigger(); }
  // Begins nothing more, then saves the indexes; false when something was left after `limit`. Not from a core. In two
  // parts: what asks others first, what others ask last.
  void drain();
  bool stop(std::chrono::milliseconds limit);

  std::vector<CollectionConfigView> list(const snapshot::ProjectSnapshot& project) const;  // by collection
  Task<ConfigView> view(snapshot::SnapshotPtr project, std::string collection);
  // Fails with validation.
  Task<> set(Access access, std::string collection, VectorConfig config);
  // The fields of documents stay, embeddings go.
  Task<> clear(Access access, std::string collection);

  VectorSearch& search() { return search_; }
  bool embeds() const { return embedder_.configured(); }
  const data::CollectionTable& collections(const snapshot::ProjectSnapshot& project) const {
    return project.get(deps_.data.slot());
  }
  // In the indexes of the project. Any thread.
  uint64_t stored(store::ProjectNo project) const { return indexes_.vectors(project); }

 private:
  struct Alteration;
  Task<> alter(Access access, std::string collection, std::optional<VectorConfig> config);
  Result<Alteration> alterationOf(const Access& access, const std::string& collection,
                                  const std::optional<VectorConfig>& config) const;
  Task<IndexView> indexView(snapshot::SnapshotPtr project, CollectionVectorsPtr vectors, VectorFieldPtr field);
  Async<void> refresh();
  Async<void> openAll(bool sweeps);
  // What was left undone for a project: fields to be walked through, fields that are gone.
  Task<snapshot::SnapshotPtr> settledSnapshot(store::ProjectNo project);
  Task<> walkWhereDue(snapshot::SnapshotPtr project, VectorFieldPtr field);

  const VectorDeps deps_;
  VectorTables tables_;
  const snapshot::SlotKey<VectorTable> slot_;
  WorkerPool keeping_;
  WorkerPool searching_;
  VectorIndexManager indexes_;
  Embedder embedder_;
  EmbeddingJobs jobs_;
  VectorSearch search_;
  std::atomic<bool> stopping_{false};
  PeriodicTask refreshes_;
  bool refreshed_ = false;  // once since the start
  TaskGroup tasks_;
};

}  // namespace mb::vectors
