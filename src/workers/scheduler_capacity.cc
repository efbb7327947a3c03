// Capacity for queued jobs: starts processes and ends idle ones; and all that depends on time alone.
#include "workers/scheduler.h"

namespace mb::workers {

namespace {

using namespace std::chrono_literals;

// The interval of ticks while a job waits or runs.
constexpr auto kTick = 20ms;
// A project that has a worker per core gets further ones when its queue has not moved for this long: short runs end
// sooner than a process starts.
constexpr auto kPatience = 20ms;
// While other projects have no worker at all, a project keeps each of its own for this long.
constexpr auto kSlice = 100ms;
// No blank worker is started for so long after one was taken, so that its start does not slow the run that took it.
constexpr auto kBlankPause = 250ms;
// From this idle time on, workers are evicted for blank ones, and the only worker of a project for another project's
// further ones: most projects' next run comes soon or late.
constexpr auto kIdleWorth = 2s;

}  // namespace

// How many further workers the project's queue could use.
size_t WorkerScheduler::wanted(const Project& project, Time now) const {
  if (!mayHaveMore(project) || !nextClass(project)) return 0;
  const bool hooked = limits_.keepsOne && !project.preHooks.empty();
  const size_t capacity = limitOf(project) + (hooked ? 1 : 0) - project.handles;
  const size_t atOnce = limits_.whileOthersWait > project.handles ? limits_.whileOthersWait - project.handles : 0;
  const auto& oldest = project.preHooks.empty() ? project.normal.front() : project.preHooks.front();
  const bool patient = project.preHooks.empty() && now - oldest->queued < kPatience;
  return std::min({project.waiting(), capacity, patient ? atOnce : capacity});
}

bool WorkerScheduler::mustLeave(const WorkerHandlePtr& handle, const Project& project, Time now) const {
  size_t others = 0;
  size_t poorest = SIZE_MAX;
  for (const store::ProjectNo number : waitingProjects_) {
    if (number == handle->project) continue;
    const Project& other = projects_.at(number);
    const size_t more = wanted(other, now);
    others += more;
    if (more > 0) poorest = std::min(poorest, other.handles);
  }
  const size_t coming = limits_.processes - std::min(limits_.processes, handles_.size()) + starting_ + leaving_;
  if (others <= coming) return false;
  if (project.handles > limits_.whileOthersWait || project.handles > poorest + 1) return true;
  // The project with the most workers loses one first.
  const bool hasMost =
      std::ranges::all_of(projects_, [&](const auto& each) { return each.second.handles <= project.handles; });
  return poorest == 0 && hasMost && now - handle->given >= kSlice;
}

void WorkerScheduler::startOrEvictWorkers(Time now, SchedulerActions& actions) {
  if (waitingProjects_.empty()) return;
  size_t want = 0;
  size_t without = 0;  // projects without a worker
  for (const store::ProjectNo number : waitingProjects_) {
    const Project& project = projects_.at(number);
    const size_t more = wanted(project, now);
    want += more;
    if (more > 0 && project.handles == 0) ++without;
  }
  while (starting_ < want && handles_.size() < limits_.processes && !pausesStarts(now)) addStart(now, actions);
  while (starting_ + leaving_ < want && !pausesStarts(now)) {
    const WorkerHandlePtr idle = oldestIdle(starting_ + leaving_ < without ? Spares::none : Spares::onlyOnes, now);
    if (!idle) return;
    leave(idle, now, actions);
  }
}

// The worker that has been idle for longest. With `onlyOnes`, a project's only worker, used lately, is spared: it is
// not ended so that another project gets further workers.
WorkerHandlePtr WorkerScheduler::oldestIdle(Spares spares, Time now) const {
  WorkerHandlePtr oldest;
  for (const WorkerHandlePtr& handle : handles_) {
    if (handle->state != WorkerState::idle || (oldest && handle->since >= oldest->since)) continue;
    const bool onlyOne = projects_.at(handle->project).handles == 1 && now - handle->since < kIdleWorth;
    if (spares == Spares::none || !onlyOne) oldest = handle;
  }
  return oldest;
}

void WorkerScheduler::addStart(Time now, SchedulerActions& actions) {
  auto handle = std::make_shared<WorkerHandle>();
  handle->core = nextCore_;
  nextCore_ = (nextCore_ + 1) % cores_;
  handle->since = now;
  ++starting_;
  handles_.push_back(handle);
  actions.start.push_back(std::move(handle));
}

// ---- time

void WorkerScheduler::expire(Time now, SchedulerActions& actions) {
  for (const store::ProjectNo number : std::vector(waitingProjects_.begin(), waitingProjects_.end())) {
    Project& project = projects_.at(number);
    for (auto* queue : {&project.preHooks, &project.normal}) {
      waiting_ -= std::erase_if(*queue, [&](JobPtr& job) {
        if (job->waitUntil > now) return false;
        actions.refuse.push_back(std::move(job));
        return true;
      });
    }
    if (project.waiting() > 0) continue;
    std::erase(waitingProjects_, number);
    forgetIfEmpty(number);
  }
}

void WorkerScheduler::endLongIdle(Time now, SchedulerActions& actions) {
  for (const WorkerHandlePtr& handle : std::vector(handles_)) {
    const bool spare = handle->state == WorkerState::blank && blanks_ > limits_.blanks;
    if ((spare || handle->state == WorkerState::idle) && now - handle->since >= limits_.idle)
      leave(handle, now, actions);
  }
}

void WorkerScheduler::keepBlanks(Time now, SchedulerActions& actions) {
  if (waiting_ > 0 || now - blankTaken_ < kBlankPause || pausesStarts(now)) return;
  while (blanks_ + starting_ < limits_.blanks && handles_.size() < limits_.processes) addStart(now, actions);
  while (blanks_ + starting_ + leaving_ < limits_.blanks) {
    const WorkerHandlePtr oldest = oldestIdle(Spares::none, now);
    if (!oldest || now - oldest->since < kIdleWorth) return;
    leave(oldest, now, actions);
  }
}

void WorkerScheduler::tick(Time now, SchedulerActions& actions) {
  expire(now, actions);
  endLongIdle(now, actions);
  startOrEvictWorkers(now, actions);
  keepBlanks(now, actions);
}

Time WorkerScheduler::nextTick(Time now) const {
  Time next = now + std::chrono::hours(1);
  for (const WorkerHandlePtr& handle : handles_) {
    const bool ends =
        handle->state == WorkerState::idle || (handle->state == WorkerState::blank && blanks_ > limits_.blanks);
    if (ends) next = std::min(next, handle->since + limits_.idle);
    if (handle->state == WorkerState::running || handle->state == WorkerState::starting) return now + kTick;
  }
  if (waiting_ > 0) return now + kTick;
  if (blanks_ + starting_ + leaving_ < limits_.blanks) {
    const WorkerHandlePtr oldest = oldestIdle(Spares::none, now);
    const bool full = handles_.size() >= limits_.processes;
    if (!full || oldest) next = std::min(next, std::max(blankTaken_ + kBlankPause, noStartBefore_));
    if (full && oldest) next = std::max(next, oldest->since + kIdleWorth);
  }
  return std::max(next, now + kTick);
}

std::vector<JobPtr> WorkerScheduler::takeWaiting() {
  std::vector<JobPtr> taken;
  for (auto& [_, project] : projects_) {
    for (auto* queue : {&project.preHooks, &project.normal}) {
      std::move(queue->begin(), queue->end(), std::back_inserter(taken));
      queue->clear();
    }
  }
  waitingProjects_.clear();
  waiting_ = 0;
  return taken;
}

}  // namespace mb::workers
