// Jobs of suspended projects: they wait in the store alone, so that they use no capacity of other projects' jobs, and
// are read again at the resume.
#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

std::optional<bool> Queue::Impl::knownSuspended(store::ProjectNo project) {
  if (!deps.isSuspended || project == store::kControlProject) return false;
  const store::Epoch epoch = deps.store.epoch(project);
  const std::lock_guard lock(statesMutex);
  const ProjectState* cached = states.find(std::to_string(project));
  return cached && epoch == cached->epoch ? std::optional(cached->suspended) : std::nullopt;
}

Task<bool> Queue::Impl::isSuspended(store::ProjectNo project) {
  if (const auto state = knownSuspended(project)) co_return *state;
  // The epoch is read before the state, so a change in between is noticed at the next call.
  const uint64_t epoch = deps.store.epoch(project).value;
  CO_TRY(const bool suspended, co_await deps.isSuspended(project));
  const std::lock_guard lock(statesMutex);
  states.put(std::to_string(project), {epoch, suspended});
  co_return suspended;
}

void Queue::Impl::recheck(store::ProjectNo project) {
  if (toRecheck.size() < kMaxStates) {
    toRecheck.insert(project);
  } else {
    restartSweep = true;
  }
}

Async<void> Queue::Impl::recheckProjects() {
  while (!toRecheck.empty() && !stopping) {
    const store::ProjectNo project = toRecheck.extract(toRecheck.begin()).value();
    const Result<bool> suspended = co_await isSuspended(project);
    if (!suspended) {
      logWarn("project state could not be read; its jobs are found by the next sweep",
              {{"project", project}, {"error", suspended.error().message()}, {"cause", suspended.error().cause()}});
    } else if (*suspended) {
      unload(project);
    } else {
      reload(project);
    }
  }
}

void Queue::Impl::unload(store::ProjectNo project) {
  std::vector<Entry> entries;
  for (const auto& [name, kind] : kinds) {
    std::ranges::move(kind->queue.takeProject(std::to_string(project)), std::back_inserter(entries));
  }
  for (auto at = delayed.begin(); at != delayed.end();) {
    if (at->second.project != project) {
      ++at;
      continue;
    }
    entries.push_back(std::move(at->second));
    at = delayed.erase(at);
  }
  for (const Entry& entry : entries) {
    --entry.kind->queued;
    buffered.leave(entry.fairnessKey);
    forget(entry);
  }
}

void Queue::Impl::reload(store::ProjectNo project) {
  for (const auto& [name, kind] : kinds) {
    buffered.requestFill({std::string(FairnessKey(name, project, "").ofProject()), ""});
  }
}

}  // namespace mb::jobs
