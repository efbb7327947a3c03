#include "workers/line.h"

namespace mb::workers {

namespace {

using namespace std::chrono_literals;

// How many of a line are looked at for one that was asked for on the worker's own core, and how often the first is
// passed over for that.
constexpr size_t kSameCoreDepth = 8;
constexpr uint32_t kMaxPassedOver = 8;

template <class T>
T takeFrom(std::vector<T>& all, size_t at) {
  T taken = std::move(all[at]);
  all.erase(all.begin() + static_cast<ptrdiff_t>(at));
  return taken;
}

}  // namespace

Line::Line(LineLimits limits, int cores) : limits_(limits), cores_(cores) {}

size_t Line::count(SeatState state) const {
  return static_cast<size_t>(
      std::ranges::count_if(seats_, [state](const SeatPtr& seat) { return seat->state == state; }));
}

// ---- what a project may

bool Line::othersWait(const Project& project) const {
  return turns_.size() > (project.waiting() > 0 ? 1u : 0u);
}

size_t Line::limitOf(const Project& project) const {
  return othersWait(project) ? std::min(limits_.ofProject, limits_.whileOthersWait) : limits_.ofProject;
}

bool Line::mayRun(const Project& project, RunClass runClass) const {
  if (runClass == RunClass::preHook) return project.running < limitOf(project) + (limits_.keepsOne ? 1 : 0);
  const size_t max = limits_.keepsOne && limits_.places > 1 ? limits_.places - 1 : limits_.places;
  return runningNormal_ < max && project.running < limitOf(project);
}

bool Line::mayHaveMore(const Project& project) const {
  const bool kept = limits_.keepsOne && !project.preHooks.empty();
  return project.seats < limitOf(project) + (kept ? 1 : 0);
}

std::optional<RunClass> Line::nextClass(const Project& project) const {
  if (!project.preHooks.empty() && mayRun(project, RunClass::preHook)) return RunClass::preHook;
  if (!project.normal.empty() && mayRun(project, RunClass::normal)) return RunClass::normal;
  return std::nullopt;
}

// ---- runs in

void Line::submit(JobPtr job, Time now, Orders& orders) {
  const store::ProjectNo number = job->project;
  Project& project = projects_[number];
  auto& line = job->runClass == RunClass::preHook ? project.preHooks : project.normal;
  const bool first = line.empty();
  if (first && mayRun(project, job->runClass)) {
    SeatPtr seat = takeIdle(project, job->core);
    const bool more = project.seats < limitOf(project) + (job->runClass == RunClass::preHook ? 1 : 0);
    if (!seat && blanks_ > 0 && more) seat = takeBlank(number, project, job->core, now);
    if (seat) return begin(seat, project, std::move(job), now, orders);
  }
  const bool hopeless = project.seats == 0 && blanks_ + starting_ == 0 && pausesStarts(now);
  if (hopeless || waiting_ >= limits_.waiting || project.waiting() >= limits_.waitingOfProject) {
    orders.refuse.push_back(std::move(job));
    return forgetIfEmpty(number);
  }
  if (project.waiting() == 0) turns_.push_back(number);
  job->queued = now;
  line.push_back(std::move(job));
  ++waiting_;
  makeRoom(now, orders);
}

JobPtr Line::takeNext(Project& project, RunClass runClass, int core) {
  auto& line = runClass == RunClass::preHook ? project.preHooks : project.normal;
  auto taken = line.begin();
  if ((*taken)->core != core && (*taken)->passedOver < kMaxPassedOver) {
    const auto end = line.begin() + static_cast<ptrdiff_t>(std::min(line.size(), kSameCoreDepth));
    const auto same = std::find_if(line.begin(), end, [core](const JobPtr& job) { return job->core == core; });
    if (same != end) {
      ++(*taken)->passedOver;
      taken = same;
    }
  }
  JobPtr job = std::move(*taken);
  line.erase(taken);
  --waiting_;
  if (project.waiting() == 0) std::erase(turns_, job->project);
  return job;
}

void Line::begin(const SeatPtr& seat, Project& project, JobPtr job, Time now, Orders& orders) {
  // A pre-hook's time is what it has in all.
  if (job->runClass == RunClass::preHook && job->queued != Time{}) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(job->waitUntil - now);
    job->timeout = std::max<std::chrono::milliseconds>(left, 1ms);
  }
  seat->state = SeatState::running;
  seat->since = now;
  seat->runClass = job->runClass;
  seat->killAt = now + job->timeout + kGrace;
  seat->watched = false;
  ++seat->runs;
  ++project.running;
  if (job->runClass == RunClass::normal) ++runningNormal_;
  orders.begin.push_back({seat, seat->link, std::move(job)});
}

// ---- seats

SeatPtr Line::takeIdle(Project& project, int core) {
  if (project.idle.empty()) return nullptr;
  size_t at = project.idle.size() - 1;
  for (size_t i = project.idle.size(); i-- > 0;) {
    if (project.idle[i]->core != core) continue;
    at = i;
    break;
  }
  return takeFrom(project.idle, at);
}

SeatPtr Line::takeBlank(store::ProjectNo number, Project& project, int core, Time now) {
  SeatPtr taken;
  for (const SeatPtr& seat : seats_) {
    if (seat->state != SeatState::blank) continue;
    if (!taken || (taken->core != core && seat->core == core)) taken = seat;
  }
  if (!taken) return nullptr;
  --blanks_;
  blankTaken_ = now;
  taken->project = number;
  taken->given = now;
  ++project.seats;
  return taken;
}

void Line::ready(const SeatPtr& seat, Time now, Orders& orders) {
  if (seat->state != SeatState::starting) return;
  --starting_;
  ++blanks_;
  seat->state = SeatState::blank;
  seat->since = now;
  serve(now, orders);
}

void Line::freed(const SeatPtr& seat, bool fit, Time now, Orders& orders) {
  if (seat->state != SeatState::running) return;
  if (!fit || seat->runs >= limits_.runs) {
    leave(seat, now, orders);
    return makeRoom(now, orders);
  }
  Project& project = projects_[seat->project];
  --project.running;
  if (seat->runClass == RunClass::normal) --runningNormal_;
  seat->since = now;
  seat->state = SeatState::idle;
  const bool ownLineOnly = turns_.size() == 1 && project.waiting() > 0;
  if (ownLineOnly) {
    if (const auto runClass = nextClass(project)) {
      return begin(seat, project, takeNext(project, *runClass, seat->core), now, orders);
    }
  }
  project.idle.push_back(seat);
  if (turns_.empty()) return;
  if (mustLeave(seat, project, now)) {
    leave(seat, now, orders);
  }
  serve(now, orders);
  makeRoom(now, orders);
}

void Line::lost(const SeatPtr& seat, Time now) {
  if (seat->state == SeatState::leaving) return;
  if (seat->state == SeatState::starting) --starting_;
  if (seat->state == SeatState::blank) --blanks_;
  if (seat->project != 0) {
    Project& project = projects_[seat->project];
    --project.seats;
    std::erase(project.idle, seat);
    if (seat->state == SeatState::running) {
      --project.running;
      if (seat->runClass == RunClass::normal) --runningNormal_;
    }
    forgetIfEmpty(seat->project);
  }
  seat->state = SeatState::leaving;
  seat->since = now;
  ++leaving_;
}

void Line::leave(const SeatPtr& seat, Time now, Orders& orders) {
  lost(seat, now);
  orders.end.push_back({seat, seat->link});
}

void Line::gone(const SeatPtr& seat, Time now, Orders& orders) {
  lost(seat, now);
  --leaving_;
  std::erase(seats_, seat);
  serve(now, orders);
  makeRoom(now, orders);
}

void Line::forgetIfEmpty(store::ProjectNo number) {
  const auto found = projects_.find(number);
  if (found != projects_.end() && found->second.seats == 0 && found->second.waiting() == 0) projects_.erase(found);
}

// ---- turns

bool Line::serveOne(store::ProjectNo number, Project& project, bool withBlanks, Time now, Orders& orders) {
  const auto runClass = nextClass(project);
  if (!runClass) return false;
  const int core = (*runClass == RunClass::preHook ? project.preHooks : project.normal).front()->core;
  SeatPtr seat = takeIdle(project, core);
  if (!seat && withBlanks && mayHaveMore(project)) seat = takeBlank(number, project, core, now);
  if (!seat) return false;
  JobPtr job = takeNext(project, *runClass, seat->core);
  begin(seat, project, std::move(job), now, orders);
  return true;
}

void Line::serve(Time now, Orders& orders) {
  for (size_t failures = 0; !turns_.empty() && failures < turns_.size();) {
    const store::ProjectNo number = turns_.front();
    failures = serveOne(number, projects_[number], false, now, orders) ? 0 : failures + 1;
    if (!turns_.empty() && turns_.front() == number) {
      turns_.pop_front();
      turns_.push_back(number);
    }
  }
  // Blank workers go to those who have fewest.
  while (blanks_ > 0) {
    const auto rank = [this](store::ProjectNo number) {
      const Project& project = projects_.at(number);
      return mayHaveMore(project) && nextClass(project) ? project.seats : SIZE_MAX;
    };
    const auto poorest = std::ranges::min_element(turns_, {}, rank);
    if (poorest == turns_.end() || rank(*poorest) == SIZE_MAX) return;
    const store::ProjectNo number = *poorest;
    if (!serveOne(number, projects_[number], true, now, orders)) return;
    if (std::erase(turns_, number) > 0) turns_.push_back(number);
  }
}

}  // namespace mb::workers
