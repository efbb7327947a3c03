// Removes what nothing names any more: blobs of files that were overwritten or deleted, and of buckets that are gone,
// by jobs that came with those commits; and what a process that was killed left, or a project that was purged, by a
// look at all there is, at the start and each hour.
#pragma once

#include <atomic>
#include <functional>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "jobs/jobs.h"
#include "snapshot/snapshot.h"
#include "storage/blob_store.h"
#include "storage/pinned_blobs.h"
#include "storage/storage_types.h"

namespace mb::storage {

class Sweeper {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    // All that there are, deleted ones too until they are purged.
    std::function<Task<std::vector<snapshot::ProjectInfo>>()> projects;
    jobs::Queue& queue;
    BlobStore& blobs;
    PinnedBlobs& pinned;
  };
  // Declares the module's kinds of job.
  explicit Sweeper(Deps deps);

  // Looks at once, then each hour and behind each backup that kept something, from the core of `executor`, until
  // stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // One look at all blobs; gives how many were removed. Nothing while a backup or a restore is under way.
  Task<uint64_t> pass();

  // Since the start: blobs that were removed, and how many of these a look at all had to find.
  uint64_t removed() const { return removed_; }
  uint64_t orphans() const { return orphans_; }

 private:
  Async<void> loggedPass();
  // True while a backup pins all blobs; a pass follows its end.
  bool postponed();
  Task<> removeBlobs(jobs::JobRun run);
  Task<> removeBucket(jobs::JobRun run);
  Task<> removeRecords(store::ProjectNo project, std::vector<FileRecord> records);
  Task<std::vector<BlobName>> orphansOf(store::ProjectNo project, std::vector<BlobName> blobs);
  Task<> removeOrphans(std::vector<BlobName> blobs);

  const Deps deps_;
  PeriodicTask passes_;
  std::atomic<bool> missed_ = false;  // work was left because blobs were pinned for a backup
  std::atomic<uint64_t> removed_ = 0;
  std::atomic<uint64_t> orphans_ = 0;
};

}  // namespace mb::storage
