// Vectors owns the vector configs of collections, their indexes, and search. Created once by app/, before the job queue
// and the dispatcher start.
#pragma once

#include "audit/audit.h"
#include "base/periodic_task.h"
#include "data/data.h"
#include "vectors/embedding_jobs.h"
#include "vectors/vector_rules.h"
#include "vectors/vector_search.h"

namespace mb::vectors {

// The references outlive Vectors.
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
  const Clock& clock;
  audit::Auditor& auditor;
  data::ProjectNumbers projects;    // called at the start and by each refresh
  std::filesystem::path directory;  // of the index files
  VectorSettings settings;
  bool shared = false;  // other processes use the same store
};

// The caller and the project of a request.
struct Access {
  policy::Caller caller;
  snapshot::SnapshotPtr project;
};

// The routes check permissions. Every change is audited in its own commit and applies to every request that begins
// after the call returned. Calls with the name of a collection that does not exist fail with notFound. Any core.
class Vectors {
 public:
  // Registers the module's snapshot slot, its job kind and its consumer.
  explicit Vectors(VectorDeps deps);
  ~Vectors();

  // Loads or builds the indexes of all projects in the background, as far as SERVICE_VECTOR_MEMORY allows.
  void start();
  // Opens the indexes of all projects again, for example after a project was restored from a backup. Any thread.
  void refreshSoon() { refreshes_.trigger(); }
  // drain() stops the background work, which calls other modules. stop() then saves the indexes, which other modules
  // call; false if something was unfinished after `limit`. Not from a core.
  void drain();
  bool stop(std::chrono::milliseconds limit);

  std::vector<CollectionConfigView> list(const snapshot::ProjectSnapshot& project) const;  // by collection
  Task<ConfigView> view(snapshot::SnapshotPtr project, std::string collection);
  // Fails with validation.
  Task<> set(Access access, std::string collection, VectorConfig config);
  // Keeps the fields of the documents and deletes the embeddings.
  Task<> clear(Access access, std::string collection);

  VectorSearch& search() { return search_; }
  bool embeds() const { return embedder_.configured(); }
  const data::CollectionTable& collections(const snapshot::ProjectSnapshot& project) const {
    return project.get(deps_.data.slot());
  }

 private:
  struct Alteration;
  Task<> alter(Access access, std::string collection, std::optional<VectorConfig> config);
  Result<Alteration> alterationOf(const Access& access, const std::string& collection,
                                  const std::optional<VectorConfig>& config) const;
  Task<IndexView> indexView(snapshot::SnapshotPtr project, CollectionVectorsPtr vectors, VectorFieldPtr field);
  // Why documents have no embedding yet, if the plan has no space for it.
  Task<std::optional<std::string>> heldBack(snapshot::SnapshotPtr project, const EmbeddingView& embedding) const;
  Async<void> refresh();
  Async<void> openAll(bool sweeps);
  // The sweeps of the embeddings of a collection that is dropped.
  Result<std::vector<store::Insert>> dropJobs(const snapshot::ProjectInfo& project,
                                              const store::CollectionInfo& collection) const;
  // Resumes unfinished work of a project: enqueues missing walks, drops indexes and rows of deleted fields.
  Task<snapshot::SnapshotPtr> resumeProject(store::ProjectNo project);
  Task<> enqueueWalkIfDue(snapshot::SnapshotPtr project, VectorFieldPtr field);

  const VectorDeps deps_;
  VectorTables tables_;
  const snapshot::SlotKey<VectorTable> slot_;
  WorkerPool indexPool_;
  WorkerPool searchPool_;
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
