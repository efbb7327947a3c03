// Removes what is kept for a time only: projects that were deleted 30 days ago, their data, then their records; and
// audit entries. Source: decisions 6.
#pragma once

#include <atomic>

#include "audit/retention.h"
#include "base/periodic_task.h"
#include "base/task_group.h"
#include "projects/project_deps.h"

namespace mb::projects {

// What another module keeps about projects in the control project: documents whose `field` is the project's id.
struct CascadeTarget {
  store::CollectionNo collection = 0;
  std::string_view field;
};

class Purge {
 public:
  // Both outlive it. `cascades` go with their project.
  Purge(const ProjectDeps& deps, audit::Retention& retention, std::vector<CascadeTarget> cascades = {})
      : deps_(deps), retention_(retention), cascades_(std::move(cascades)) {}
  // Looks each hour from the core of `executor`, until stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // One look at all; gives how many projects went.
  Task<uint64_t> pass();

 private:
  Async<void> loggedPass();
  // Whether its time is over and it was purged.
  Task<bool> purgeWhereDue(doc::Document document);
  Task<> pruneAudit();
  Task<> purge(store::ProjectNo number, ProjectId id);
  Task<> removeAllOf(CascadeTarget what, ProjectId id);
  Task<> removeOne(store::CollectionNo collection, std::string id);

  const ProjectDeps& deps_;
  audit::Retention& retention_;
  const std::vector<CascadeTarget> cascades_;
  PeriodicTask passes_;
};

}  // namespace mb::projects
