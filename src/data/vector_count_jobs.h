// VectorCountJobs makes the rows of vector_counts.h follow vector configs. A walk reads all documents of a collection
// and counts those from before its present config; a sweep goes through the rows of a collection that has been dropped,
// or has no field in mode manual any more. Each is a job of the queue that is inserted in the commit of the change and
// continues where it was: a few documents a commit, held until it. Concurrent writes of documents keep the rows right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/data_deps.h"
#include "data/vector_counts.h"
#include "document/shape.h"
#include "jobs/jobs.h"

namespace mb::data {

// The payload of a job.
struct VectorCountJob {
  std::string what;  // walk, sweep
  int64_t collection = 0;
  std::string config;  // of a walk: VectorCountWalk::config
  std::string after;   // the last id that was read; "" at the beginning
  static constexpr auto shape() {
    return doc::shape<VectorCountJob>("VectorCountJob", doc::field("what", &VectorCountJob::what),
                                      doc::field("collection", &VectorCountJob::collection),
                                      doc::field("config", &VectorCountJob::config),
                                      doc::field("after", &VectorCountJob::after));
  }
};

// Records that a walk has counted all documents of a collection under a config.
struct VectorCountWalk {
  std::string id;      // the collection's number
  std::string config;  // the ids of its fields in mode manual
  static constexpr auto shape() {
    return doc::shape<VectorCountWalk>("VectorCountWalk", doc::field("id", &VectorCountWalk::id),
                                       doc::field("config", &VectorCountWalk::config));
  }
};

// Any core.
class VectorCountJobs {
 public:
  // Declares the kind of job at the queue, if there is one. The references outlive it.
  VectorCountJobs(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot);

  // The jobs of a change of a collection's configuration (CollectionInfo::config), or of its drop (`after` nullopt):
  // inserts of the commit of the change, to wake after it. Fails with unavailable without a queue.
  static Result<std::vector<store::Insert>> jobsOf(const DataDeps& deps, store::CollectionRef collection,
                                                   doc::DocumentView before, std::optional<doc::DocumentView> after);
  Result<std::vector<store::Insert>> jobsOf(store::CollectionRef collection, doc::DocumentView before,
                                            std::optional<doc::DocumentView> after) const {
    return jobsOf(deps_, collection, before, after);
  }
  // Enqueues the walks and sweeps that a project lacks: of data from before this counter, or restored from a backup.
  Task<> resume(snapshot::SnapshotPtr project);

  // The handler of the queue. A job that fails its last attempt begins again 10 minutes later.
  Task<> run(jobs::JobRun run);

 private:
  // One run, until its turn ends; true once the job is done. Moves `job.after` on.
  Task<bool> proceed(const jobs::JobRun& run, VectorCountJob& job);
  Task<bool> nextPage(const snapshot::ProjectSnapshot& project, VectorCountJob& job);
  // The ids of the next documents, or of the documents of the next rows.
  Task<std::vector<std::string>> pageOf(store::CollectionRef read, const VectorCountJob& job);
  Task<> count(store::CollectionRef rows, CollectionPtr collection, store::CollectionNo number,
               std::vector<std::string> documents);
  Task<> end(store::ProjectNo project, const VectorCountJob& job, bool swept);
  Task<> resumeWalks(const snapshot::ProjectSnapshot& project);
  Task<> resumeSweeps(const snapshot::ProjectSnapshot& project);
  Task<> put(store::ProjectNo project, VectorCountJob job);

  const DataDeps& deps_;
  snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
