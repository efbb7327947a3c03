// Expiry removes documents that an index with expireAfterSeconds has expired: through the store's write path, as the
// server, a few per commit, at low priority.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "data/collection_finder.h"
#include "data/data_deps.h"
#include "data/deletion.h"

namespace mb::data {

// The numbers of all projects that are not dropped.
using ProjectNumbers = std::function<Task<std::vector<store::ProjectNo>>()>;

class Expiry {
 public:
  Expiry(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot, ProjectNumbers projects);

  // Runs a pass every 30 s, on the first core, until stop().
  void start(TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // Scans every project once; returns the number of documents removed. Fails only if projects() fails: failures of a
  // collection are logged, and the next pass retries.
  Task<uint64_t> pass();

 private:
  Async<void> loggedPass();
  Task<uint64_t> passProject(store::ProjectNo project);
  Task<uint64_t> passIndex(store::CollectionRef collection, store::IndexSpec spec);
  // Removes those of the documents that still match, except those to which others refer and restrict their deletion.
  struct Removed {
    uint64_t removed = 0;
    uint64_t restricted = 0;
  };
  Task<Removed> removeExpired(const Collection& collection, CollectionFinder& finder, std::vector<std::string> ids,
                              doc::Filter filter);
  Task<uint64_t> removeNow(const Deletion& deletion, const Collection& collection, const std::vector<std::string>& ids,
                           const doc::Filter& filter);

  const DataDeps& deps_;
  snapshot::SlotKey<CollectionTable> slot_;
  ProjectNumbers projects_;
  PeriodicTask passes_;
};

}  // namespace mb::data
