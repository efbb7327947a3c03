// ReferenceJobs runs what the deletion of a document starts: the deletion of the documents that refer to it (cascade),
// or the removal of their references (unset). A job is a record of the project and a job of the queue (jobs/), both
// inserted in the commit of the deletion. Each page of documents is one commit with the job's progress, made as the
// server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/collections.h"
#include "data/data_deps.h"
#include "data/deletion.h"
#include "document/shape.h"
#include "jobs/jobs.h"

namespace mb::data {

// A field by which a collection refers, by number: names may change until the job runs.
struct StoredReference {
  int64_t collection = 0;
  std::string path;
  static constexpr auto shape() {
    return doc::shape<StoredReference>("StoredReference", doc::field("collection", &StoredReference::collection),
                                       doc::field("path", &StoredReference::path));
  }
};

// The stored record.
struct ReferenceJob {
  std::string id;
  std::string kind;            // "cascade" or "unset"
  int64_t collection = 0;      // of the deleted document
  std::string collectionName;  // at the deletion
  std::string documentId;
  std::vector<StoredReference> references;
  std::string state = "waiting";     // "running" from its first page on, "failed" after its last attempt
  int64_t done = 0;                  // documents that it has deleted or changed
  std::optional<std::string> error;  // of the last attempt
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<ReferenceJob>(
        "ReferenceJob", doc::field("id", &ReferenceJob::id), doc::field("kind", &ReferenceJob::kind),
        doc::field("collection", &ReferenceJob::collection),
        doc::field("collectionName", &ReferenceJob::collectionName),
        doc::field("documentId", &ReferenceJob::documentId), doc::field("references", &ReferenceJob::references),
        doc::field("state", &ReferenceJob::state), doc::field("done", &ReferenceJob::done),
        doc::field("error", &ReferenceJob::error), doc::field("createdAt", &ReferenceJob::createdAt));
  }
};

// A job in a response.
struct ReferenceJobView {
  std::string id;
  std::string kind;
  std::string collection;
  std::string documentId;
  std::string state;
  int64_t done = 0;
  std::optional<std::string> error;
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<ReferenceJobView>(
        "Job", doc::field("id", &ReferenceJobView::id), doc::field("kind", &ReferenceJobView::kind),
        doc::field("collection", &ReferenceJobView::collection),
        doc::field("documentId", &ReferenceJobView::documentId), doc::field("state", &ReferenceJobView::state),
        doc::field("done", &ReferenceJobView::done), doc::field("error", &ReferenceJobView::error),
        doc::field("createdAt", &ReferenceJobView::createdAt));
  }
};

inline constexpr store::CollectionNo kReferenceJobs = 52;
store::SystemCollection referenceJobCollection();
inline store::CollectionRef referenceJobs(store::ProjectNo project) {
  return {project, kReferenceJobs, 0};
}
// "restrict", "cascade", "unset".
std::string_view onDeleteName(doc::OnDelete onDelete);
// The queue's job that runs the record `id`. Fails with unavailable without a queue.
Result<store::Insert> queuedJob(const DataDeps& deps, store::ProjectNo project, const std::string& id,
                                std::string trace);

// A job that fails its last attempt stays with its error until it is tried again; of these a project keeps the last
// kMaxFailedJobs. A finished one is removed. Any core.
class ReferenceJobs {
 public:
  static constexpr uint64_t kMaxFailedJobs = 1000;

  // Declares the kind of job at the queue, if there is one.
  ReferenceJobs(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot);

  // Unfinished and failed jobs, the oldest first.
  Task<std::vector<ReferenceJobView>> list(snapshot::SnapshotPtr project, uint64_t limit, uint64_t skip) const;
  // Starts a failed job again, audited. Fails with notFound, and with conflict if the job has not failed.
  Task<> retry(AdminAccess access, std::string id);

  // The handler of the queue.
  Task<> run(jobs::JobRun run);

 private:
  class Attempt;
  // Records the error of an attempt; the last one ends the queue's job.
  Task<> recordFailure(const jobs::JobRun& run, const std::string& id, const Error& error) const;
  Task<> trimFailed(store::ProjectNo project) const;

  const DataDeps& deps_;
  snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
