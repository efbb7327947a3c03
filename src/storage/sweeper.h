// Removes unreferenced blobs. Blobs of overwritten or deleted files and of deleted buckets are removed by jobs of those
// commits; blobs left by a killed process or a purged project are found by a pass over all blobs, at the start and each
// hour.
#pragma once

#include <atomic>
#include <functional>
#include <unordered_set>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "jobs/jobs.h"
#include "snapshot/snapshot.h"
#include "storage/blob_store.h"
#include "storage/pinned_blobs.h"
#include "storage/storage_types.h"

namespace mb::storage {

// References outlive it.
struct SweeperDeps {
  store::DocumentStore& store;
  // All stored projects, including deleted ones until they are purged.
  std::function<Task<std::vector<snapshot::ProjectInfo>>()> projects;
  jobs::Queue& queue;
  BlobStore& blobs;
  PinnedBlobs& pinned;
  // Other processes write blobs, too, and pin them where this one does not see it. Then a pass removes only what the
  // pass before it has found unreferenced, an hour earlier: a record follows its blob within seconds.
  bool shared = false;
};

class Sweeper {
 public:
  // Declares the module's kinds of job.
  explicit Sweeper(SweeperDeps deps);

  // Runs a pass at once, then each hour and after each backup that postponed removals, on the core of `executor`, until
  // stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // One pass over all blobs; returns the number of removed blobs. Removes nothing during a backup or a restore.
  Task<uint64_t> pass();

  // Since the start: blobs removed, and how many of them were found by a pass.
  uint64_t removed() const { return removed_; }
  uint64_t orphans() const { return orphans_; }

 private:
  Async<void> loggedPass();
  // True while a backup pins all blobs; a pass follows its end.
  bool postponed();
  Task<> removeBlobs(jobs::JobRun run);
  Task<> removeBucket(jobs::JobRun run);
  // Unfinished uploads to the bucket, so that they count in kStoredBytes no longer.
  Task<> removeUploads(store::ProjectNo project, const std::string& bucket);
  Task<> removeRecords(store::ProjectNo project, std::vector<FileRecord> records);
  Task<std::vector<BlobName>> orphansOf(store::ProjectNo project, std::vector<BlobName> blobs);
  Task<> removeOrphans(std::vector<BlobName> blobs);
  // Those of the orphans that the last pass found, too. Adds all of them to `found`.
  std::vector<BlobName> foundBefore(std::vector<BlobName> orphans, std::unordered_set<BlobName>& found) const;

  const SweeperDeps deps_;
  PeriodicTask passes_;
  // What the last pass found unreferenced, where that is `shared`; at most kMaxFound, further ones are found later.
  static constexpr size_t kMaxFound = 100'000;
  std::unordered_set<BlobName> found_;
  std::atomic<bool> missed_ = false;  // removals were postponed because blobs were pinned for a backup
  std::atomic<uint64_t> removed_ = 0;
  std::atomic<uint64_t> orphans_ = 0;
};

}  // namespace mb::storage
