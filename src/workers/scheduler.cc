#include "workers/scheduler.h"

namespace mb::workers {

namespace {

using namespace std::chrono_literals;

// How many queued jobs are searched for one of the worker's own core, and how often the first is passed over for it.
constexpr size_t kSameCoreDepth = 8;
constexpr uint32_t kMaxPassedOver = 8;

template <class T>
T takeFrom(std::vector<T>& all, size_t at) {
  T taken = std::move(all[at]);
  all.erase(all.begin() + static_cast<ptrdiff_t>(at));
  return taken;
}

}  // namespace

WorkerScheduler::WorkerScheduler(QueueLimits limits, int cores) : limits_(limits), cores_(cores) {}

size_t WorkerScheduler::count(WorkerState state) const {
  return static_cast<size_t>(
      std::ranges::count_if(handles_, [state](const WorkerHandlePtr& handle) { return handle->state == state; }));
}

// ---- bounds of a project

bool WorkerScheduler::othersWait(const Project& project) const {
  return waitingProjects_.size() > (project.waiting() > 0 ? 1u : 0u);
}

size_t WorkerScheduler::limitOf(const Project& project) const {
  return othersWait(project) ? std::min(limits_.ofProject, limits_.whileOthersWait) : limits_.ofProject;
}

bool WorkerScheduler::mayRun(const Project& project, RunClass runClass) const {
  if (runClass == RunClass::preHook) return project.running < limitOf(project) + (limits_.keepsOne ? 1 : 0);
  const size_t max = limits_.keepsOne && limits_.processes > 1 ? limits_.processes - 1 : limits_.processes;
  return runningNormal_ < max && project.running < limitOf(project);
}

bool WorkerScheduler::mayHaveMore(const Project& project) const {
  const bool kept = limits_.keepsOne && !project.preHooks.empty();
  return project.handles < limitOf(project) + (kept ? 1 : 0);
}

std::optional<RunClass> WorkerScheduler::nextClass(const Project& project) const {
  if (!project.preHooks.empty() && mayRun(project, RunClass::preHook)) return RunClass::preHook;
  if (!project.normal.empty() && mayRun(project, RunClass::normal)) return RunClass::normal;
  return std::nullopt;
}

// ---- jobs

void WorkerScheduler::submit(JobPtr job, Time now, SchedulerActions& actions) {
  const store::ProjectNo number = job->project;
  Project& project = projects_[number];
  auto& queue = job->runClass == RunClass::preHook ? project.preHooks : project.normal;
  const bool first = queue.empty();
  if (first && mayRun(project, job->runClass)) {
    WorkerHandlePtr handle = takeIdle(project, job->core);
    const bool more = project.handles < limitOf(project) + (job->runClass == RunClass::preHook ? 1 : 0);
    if (!handle && blanks_ > 0 && more) handle = takeBlank(number, project, job->core, now);
    if (handle) return begin(handle, project, std::move(job), now, actions);
  }
  const bool hopeless = project.handles == 0 && blanks_ + starting_ == 0 && pausesStarts(now);
  if (hopeless || waiting_ >= limits_.waiting || project.waiting() >= limits_.waitingOfProject) {
    actions.refuse.push_back(std::move(job));
    return forgetIfEmpty(number);
  }
  if (project.waiting() == 0) waitingProjects_.push_back(number);
  job->queued = now;
  queue.push_back(std::move(job));
  ++waiting_;
  startOrEvictWorkers(now, actions);
}

JobPtr WorkerScheduler::takeNext(Project& project, RunClass runClass, int core) {
  auto& queue = runClass == RunClass::preHook ? project.preHooks : project.normal;
  auto taken = queue.begin();
  if ((*taken)->core != core && (*taken)->passedOver < kMaxPassedOver) {
    const auto end = queue.begin() + static_cast<ptrdiff_t>(std::min(queue.size(), kSameCoreDepth));
    const auto same = std::find_if(queue.begin(), end, [core](const JobPtr& job) { return job->core == core; });
    if (same != end) {
      ++(*taken)->passedOver;
      taken = same;
    }
  }
  JobPtr job = std::move(*taken);
  queue.erase(taken);
  --waiting_;
  if (project.waiting() == 0) std::erase(waitingProjects_, job->project);
  return job;
}

void WorkerScheduler::begin(const WorkerHandlePtr& handle, Project& project, JobPtr job, Time now,
                            SchedulerActions& actions) {
  // A pre-hook's timeout includes its time in the queue.
  if (job->runClass == RunClass::preHook && job->queued != Time{}) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(job->waitUntil - now);
    job->timeout = std::max<std::chrono::milliseconds>(left, 1ms);
  }
  handle->state = WorkerState::running;
  handle->since = now;
  handle->runClass = job->runClass;
  handle->killAt = now + job->timeout + kGrace;
  handle->watched = false;
  ++handle->runs;
  ++project.running;
  if (job->runClass == RunClass::normal) ++runningNormal_;
  actions.begin.push_back({handle, handle->connection, std::move(job)});
}

// ---- workers

WorkerHandlePtr WorkerScheduler::takeIdle(Project& project, int core) {
  if (project.idle.empty()) return nullptr;
  size_t at = project.idle.size() - 1;
  for (size_t i = project.idle.size(); i-- > 0;) {
    if (project.idle[i]->core != core) continue;
    at = i;
    break;
  }
  return takeFrom(project.idle, at);
}

WorkerHandlePtr WorkerScheduler::takeBlank(store::ProjectNo number, Project& project, int core, Time now) {
  WorkerHandlePtr taken;
  for (const WorkerHandlePtr& handle : handles_) {
    if (handle->state != WorkerState::blank) continue;
    if (!taken || (taken->core != core && handle->core == core)) taken = handle;
  }
  if (!taken) return nullptr;
  --blanks_;
  blankTaken_ = now;
  taken->project = number;
  taken->given = now;
  ++project.handles;
  return taken;
}

void WorkerScheduler::ready(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions) {
  if (handle->state != WorkerState::starting) return;
  --starting_;
  ++blanks_;
  handle->state = WorkerState::blank;
  handle->since = now;
  serve(now, actions);
}

void WorkerScheduler::freed(const WorkerHandlePtr& handle, bool fit, Time now, SchedulerActions& actions) {
  if (handle->state != WorkerState::running) return;
  if (!fit || handle->runs >= limits_.runs) {
    leave(handle, now, actions);
    return startOrEvictWorkers(now, actions);
  }
  Project& project = projects_[handle->project];
  --project.running;
  if (handle->runClass == RunClass::normal) --runningNormal_;
  handle->since = now;
  handle->state = WorkerState::idle;
  const bool ownQueueOnly = waitingProjects_.size() == 1 && project.waiting() > 0;
  if (ownQueueOnly) {
    if (const auto runClass = nextClass(project)) {
      return begin(handle, project, takeNext(project, *runClass, handle->core), now, actions);
    }
  }
  project.idle.push_back(handle);
  if (waitingProjects_.empty()) return;
  if (mustLeave(handle, project, now)) {
    leave(handle, now, actions);
  }
  serve(now, actions);
  startOrEvictWorkers(now, actions);
}

void WorkerScheduler::lost(const WorkerHandlePtr& handle, Time now) {
  if (handle->state == WorkerState::leaving) return;
  if (handle->state == WorkerState::starting) --starting_;
  if (handle->state == WorkerState::blank) --blanks_;
  if (handle->project != 0) {
    Project& project = projects_[handle->project];
    --project.handles;
    std::erase(project.idle, handle);
    if (handle->state == WorkerState::running) {
      --project.running;
      if (handle->runClass == RunClass::normal) --runningNormal_;
    }
    forgetIfEmpty(handle->project);
  }
  handle->state = WorkerState::leaving;
  handle->since = now;
  ++leaving_;
}

void WorkerScheduler::leave(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions) {
  lost(handle, now);
  actions.end.push_back({handle, handle->connection});
}

void WorkerScheduler::removed(const WorkerHandlePtr& handle, Time now, SchedulerActions& actions) {
  lost(handle, now);
  --leaving_;
  std::erase(handles_, handle);
  serve(now, actions);
  startOrEvictWorkers(now, actions);
}

void WorkerScheduler::forgetIfEmpty(store::ProjectNo number) {
  const auto found = projects_.find(number);
  if (found != projects_.end() && found->second.handles == 0 && found->second.waiting() == 0) projects_.erase(found);
}

// ---- round robin

bool WorkerScheduler::serveOne(store::ProjectNo number, Project& project, bool withBlanks, Time now,
                               SchedulerActions& actions) {
  const auto runClass = nextClass(project);
  if (!runClass) return false;
  const int core = (*runClass == RunClass::preHook ? project.preHooks : project.normal).front()->core;
  WorkerHandlePtr handle = takeIdle(project, core);
  if (!handle && withBlanks && mayHaveMore(project)) handle = takeBlank(number, project, core, now);
  if (!handle) return false;
  JobPtr job = takeNext(project, *runClass, handle->core);
  begin(handle, project, std::move(job), now, actions);
  return true;
}

void WorkerScheduler::serve(Time now, SchedulerActions& actions) {
  for (size_t failures = 0; !waitingProjects_.empty() && failures < waitingProjects_.size();) {
    const store::ProjectNo number = waitingProjects_.front();
    failures = serveOne(number, projects_[number], false, now, actions) ? 0 : failures + 1;
    if (!waitingProjects_.empty() && waitingProjects_.front() == number) {
      waitingProjects_.pop_front();
      waitingProjects_.push_back(number);
    }
  }
  // Blank workers go to the projects with the fewest workers.
  while (blanks_ > 0) {
    const auto rank = [this](store::ProjectNo number) {
      const Project& project = projects_.at(number);
      return mayHaveMore(project) && nextClass(project) ? project.handles : SIZE_MAX;
    };
    const auto poorest = std::ranges::min_element(waitingProjects_, {}, rank);
    if (poorest == waitingProjects_.end() || rank(*poorest) == SIZE_MAX) return;
    const store::ProjectNo number = *poorest;
    if (!serveOne(number, projects_[number], true, now, actions)) return;
    if (std::erase(waitingProjects_, number) > 0) waitingProjects_.push_back(number);
  }
}

}  // namespace mb::workers
