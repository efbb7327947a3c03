// Removes what is kept for a time only: projects that were deleted 30 days ago, their data, then their records; and
// audit entries. Source: decisions 6.
#pragma once

#include <atomic>

#include "audit/retention.h"
#include "base/task_group.h"
#include "projects/project_deps.h"

namespace mb::projects {

class Purge {
 public:
  // Both outlive it.
  Purge(const ProjectDeps& deps, audit::Retention& retention) : deps_(deps), retention_(retention) {}
  // Looks each hour from the core of `executor`, until stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { stopping_ = true; }
  // One look at all; gives how many projects went.
  Task<uint64_t> pass();

 private:
  Async<void> loop();
  Task<> pruneAudit();
  Task<> purge(store::ProjectNo number, ProjectId id);
  Task<> removeAllOf(store::CollectionNo collection, ProjectId id);
  Task<> removeOne(store::CollectionNo collection, std::string id);

  const ProjectDeps& deps_;
  audit::Retention& retention_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace mb::projects
