// Removes projects that were deleted 30 days ago: their data, then their records. Source: decisions 6.
#pragma once

#include <atomic>

#include "base/task_group.h"
#include "projects/project_deps.h"

namespace mb::projects {

class Purge {
 public:
  explicit Purge(const ProjectDeps& deps) : deps_(deps) {}
  // Looks each hour from the core of `executor`, until stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { stopping_ = true; }
  // One look; gives how many projects went.
  Task<uint64_t> pass();

 private:
  Async<void> loop();
  Task<> purge(store::ProjectNo number, ProjectId id);
  Task<> removeAllOf(store::CollectionNo collection, ProjectId id);
  Task<> removeOne(store::CollectionNo collection, std::string id);

  const ProjectDeps& deps_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace mb::projects
