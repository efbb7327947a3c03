// Removes projects that were deleted 30 days ago: their data, then their records; and old audit entries.
#pragma once

#include <atomic>

#include "audit/retention.h"
#include "base/periodic_task.h"
#include "base/task_group.h"
#include "projects/project_deps.h"

namespace mb::projects {

class Purge {
 public:
  // References outlive it. Documents of the collections with a SystemCollection::projectField are deleted with their
  // project.
  Purge(const ProjectDeps& deps, audit::Retention& retention, std::vector<store::SystemCollection> collections);
  // Runs a pass each hour on the core of `executor`, until stop().
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // One pass over all deleted projects; returns the number of purged ones.
  Task<uint64_t> pass();

 private:
  Async<void> loggedPass();
  // Purges the project if it was deleted 30 days ago; returns whether it did.
  Task<bool> purgeWhereDue(doc::Document document);
  Task<> pruneAudit();
  Task<> purge(store::ProjectNo number, ProjectId id);
  Task<> removeAllOf(store::CollectionNo collection, std::string field, ProjectId id);
  Task<> removeOne(store::CollectionNo collection, std::string id);

  const ProjectDeps& deps_;
  audit::Retention& retention_;
  std::vector<store::SystemCollection> cascades_;  // those with a projectField
  PeriodicTask passes_;
};

}  // namespace mb::projects
