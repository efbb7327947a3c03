#include "billing/meters.h"

#include <algorithm>
#include <map>

#include "billing/history.h"
#include "billing/project_pages.h"
#include "data/vector_counts.h"
#include "functions/run_log.h"
#include "projects/membership_context.h"
#include "storage/storage_types.h"

namespace mb::billing {

namespace {

// The history is completed by the runs of past months.
static_assert(functions::kStoredMonthDays >= kStoredDays);

int64_t environmentsOf(const std::optional<projects::ProjectRecord>& root) {
  return root && root->environments ? static_cast<int64_t>(root->environments->size()) : 0;
}

int64_t rootsOf(const std::vector<projects::ProjectRecord>& all) {
  return std::ranges::count_if(all, [](const projects::ProjectRecord& one) { return !one.parentId.value; });
}

}  // namespace

Task<ProjectUsage> ServerMeters::measured(store::ProjectNo project) {
  ProjectUsage usage;
  CO_TRY(const int64_t stored, co_await deps_.store.counter({project, storage::kStoredBytes, ""}));
  usage.storageBytes = std::max<int64_t>(stored, 0);
  CO_TRY(const int64_t runs, co_await deps_.runs.runsOfMonth(project, deps_.clock.now()));
  usage.functionRuns = std::max<int64_t>(runs, 0);
  CO_TRY(const int64_t vectors, co_await deps_.store.counter(data::vectorCounterOf(project)));
  usage.vectors = std::max<int64_t>(vectors, 0);
  usage.realtimeConnections = static_cast<int64_t>(deps_.connections(project));
  co_return usage;
}

Task<ProjectUsage> ServerMeters::of(projects::ProjectRecord project) {
  CO_TRY(ProjectUsage usage, co_await measured(static_cast<store::ProjectNo>(project.number)));
  CO_TRY(const auto all, co_await projectsOf(deps_.store, project.organizationId.str()));
  usage.projects = rootsOf(all);
  std::optional<projects::ProjectRecord> root = project;
  if (project.parentId.value) {
    CO_TRY(const auto stored,
           co_await deps_.store.get(projects::controlCollection(projects::kProjects), project.parentId.value->str()));
    CO_TRY(root, store::fromStore<projects::ProjectRecord>(stored));
  }
  usage.environments = environmentsOf(root);
  co_return usage;
}

Task<std::vector<ProjectUsage>> ServerMeters::ofAll(std::vector<projects::ProjectRecord> all) {
  std::map<std::string, int64_t> environments;  // by the root's id
  for (const projects::ProjectRecord& one : all) {
    if (!one.parentId.value) environments[one.id.str()] = environmentsOf(one);
  }
  const int64_t roots = rootsOf(all);
  std::vector<ProjectUsage> usages;
  for (const projects::ProjectRecord& one : all) {
    CO_TRY(ProjectUsage usage, co_await measured(static_cast<store::ProjectNo>(one.number)));
    usage.projects = roots;
    const auto found = environments.find(one.parentId.value ? one.parentId.value->str() : one.id.str());
    usage.environments = found == environments.end() ? 0 : found->second;
    usages.push_back(usage);
  }
  co_return usages;
}

}  // namespace mb::billing
