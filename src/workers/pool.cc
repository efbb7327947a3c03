#include "workers/pool.h"

#include "base/log.h"
#include "workers/priority.h"

namespace mb::workers {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kPoolTick = 20ms;
constexpr auto kFirstPause = 100ms;
constexpr auto kLongestPause = 5000ms;
// A process that does not report that it is ready within this time is killed.
constexpr auto kStartTime = 10s;
// A run that has used more continues at the lowest priority. CPU time before the first sample is not counted.
constexpr auto kFairCpu = 50ms;
constexpr auto kStopTime = 10s;

JobEnd busy() {
  JobEnd end;
  end.status = RunStatus::busy;
  end.error = "no worker is free";
  return end;
}

}  // namespace

Pool::Pool(PoolConfig config)
    : config_(std::move(config)),
      scheduler_(config_.limits, config_.cores.count()),
      supervisor_(*this, config_.program, config_.arguments) {}

void Pool::start() {
  {
    const std::scoped_lock lock(mutex_);
    open_ = true;
  }
  supervisor_.start();
}

void Pool::submit(JobPtr job) {
  const Time now = SteadyClock::now();
  SchedulerActions actions;
  {
    const std::scoped_lock lock(mutex_);
    if (!open_) {
      actions.refuse.push_back(std::move(job));
    } else {
      scheduler_.submit(std::move(job), now, actions);
    }
  }
  execute(std::move(actions));
  supervisor_.wakeWithin(2 * kPoolTick, now);
}

void Pool::execute(SchedulerActions actions) {
  for (SchedulerActions::Begin& next : actions.begin) {
    const int core = next.handle->core;
    if (core == Cores::current()) {
      next.connection->begin(std::move(next.job));
      continue;
    }
    asio::post(config_.cores.at(core),
               [next = std::move(next)]() mutable { next.connection->begin(std::move(next.job)); });
  }
  for (WorkerHandlePtr& handle : actions.start) supervisor_.startProcessOf(std::move(handle));
  for (const SchedulerActions::End& last : actions.end) {
    if (last.connection) last.connection->end();
  }
  for (const JobPtr& job : actions.refuse) job->resumer.resume(busy());
}

// ---- connections

void Pool::onReady(const WorkerHandlePtr& handle, std::string_view engine, std::string_view confinement) {
  SchedulerActions actions;
  {
    const std::scoped_lock lock(mutex_);
    startPause_ = 0ms;
    if (confinement_ != confinement) {
      logInfo("function workers are ready", {{"engine", engine}, {"confinement", confinement}});
      confinement_ = confinement;
    }
    if (!lowering_) {
      lowering_ = tryLowering(handle->pid);
      logInfo("scheduling of long runs is set", {{"scheduling", wordsFor(*lowering_)}});
      if (lowering_ == Lowering::oneWay) {  // the test has left this process at the lowest priority
        handle->overtime = true;
        return supervisor_.endProcessOf(handle);
      }
    }
    scheduler_.ready(handle, SteadyClock::now(), actions);
  }
  execute(std::move(actions));
}

void Pool::onFreed(const WorkerHandlePtr& handle, bool fit) {
  SchedulerActions actions;
  {
    const std::scoped_lock lock(mutex_);
    if (handle->lowered && !handle->overtime) {
      fit = raisePriority(handle->pid) && fit;
      handle->lowered = false;
    }
    scheduler_.freed(handle, fit && !handle->overtime, SteadyClock::now(), actions);
  }
  execute(std::move(actions));
}

ConnectionOwner::ExitCause Pool::onDead(const WorkerHandlePtr& handle, std::string_view breach,
                                        std::string_view lastWords) {
  const std::scoped_lock lock(mutex_);
  if (handle->state == WorkerState::starting && open_ && !handle->overtime) {
    startFailed(lastWords.empty() ? "the process ended before it was ready" : lastWords);
  }
  if (!breach.empty()) {
    ++killed_;
    logWarn("worker broke the protocol; its process is killed", {{"project", handle->project}, {"problem", breach}});
  }
  scheduler_.lost(handle, SteadyClock::now());
  supervisor_.endProcessOf(handle);
  if (handle->overtime) return ExitCause::timedOut;
  if (!open_) return ExitCause::stopped;
  return breach.empty() ? ExitCause::crashed : ExitCause::breached;
}

void Pool::startFailed(std::string_view why) {
  const bool first = startPause_ == 0ms;
  startPause_ = first ? std::chrono::milliseconds(kFirstPause)
                      : std::min<std::chrono::milliseconds>(startPause_ * 2, kLongestPause);
  scheduler_.pauseStarts(SteadyClock::now() + startPause_);
  if (first) logError("function worker cannot be started; retrying", {{"problem", why}});
}

void Pool::onDrained(const WorkerHandlePtr& handle) {
  std::unique_lock lock(mutex_);
  handle->drained = true;
  removeIfReaped(handle, lock);
}

void Pool::offload(std::move_only_function<void()> work) {
  // Each worker submits one at a time, so the queue has capacity for all.
  decoders_.submit(std::move(work));
}

void Pool::onUnbegun(JobPtr job) {
  submit(std::move(job));
}

// ---- processes

void Pool::onStarted(const WorkerHandlePtr& handle, Result<Process> process) {
  std::unique_lock lock(mutex_);
  if (!process) {
    startFailed(process.error().message());
    handle->reaped = handle->drained = true;
    return removeIfReaped(handle, lock);
  }
  ++started_;
  handle->connection =
      std::make_shared<WorkerConnection>(config_.cores.at(handle->core).get_executor(), *std::move(process), handle,
                                         std::shared_ptr<ConnectionOwner>(shared_from_this(), this), config_.clock);
  handle->killAt = SteadyClock::now() + kStartTime;
  const auto connection = handle->connection;
  const bool unwanted = !open_;
  lock.unlock();
  connection->start();
  if (unwanted) connection->end();
}

void Pool::onReaped(const WorkerHandlePtr& handle, bool killed) {
  std::unique_lock lock(mutex_);
  handle->reaped = true;
  const auto connection = handle->connection;
  removeIfReaped(handle, lock);
  if (lock.owns_lock()) lock.unlock();
  if (connection) connection->reaped(killed);
}

void Pool::removeIfReaped(const WorkerHandlePtr& handle, std::unique_lock<std::mutex>& lock) {
  if (!handle->reaped || !handle->drained) return;
  const auto connection = std::exchange(handle->connection, nullptr);
  SchedulerActions actions;
  scheduler_.removed(handle, SteadyClock::now(), actions);
  if (!open_) actions.start.clear();
  empty_.notify_all();
  lock.unlock();
  execute(std::move(actions));
  supervisor_.wakeWithin(2 * kPoolTick, SteadyClock::now());
}

Time Pool::tick(Time now) {
  SchedulerActions actions;
  Time next;
  {
    const std::scoped_lock lock(mutex_);
    if (!open_) return now + kPoolTick;
    for (const WorkerHandlePtr& handle : scheduler_.handles()) watch(handle, now);
    scheduler_.tick(now, actions);
    next = scheduler_.nextTick(now);
  }
  execute(std::move(actions));
  return next;
}

void Pool::watch(const WorkerHandlePtr& handle, Time now) {
  const bool watched =
      handle->state == WorkerState::running || (handle->state == WorkerState::starting && handle->connection);
  if (!watched || handle->overtime) return;
  if (now >= handle->killAt) {
    handle->overtime = true;
    ++killed_;
    if (handle->lowered) raisePriority(handle->pid);  // at the lowest priority its exit could take long
    supervisor_.endProcessOf(handle);
    return;
  }
  if (handle->state != WorkerState::running || handle->lowered || now - handle->since < kPoolTick) return;
  const auto cpu = cpuTimeOf(handle->pid);
  if (!cpu) return;
  if (!handle->watched) {
    handle->watched = true;
    handle->cpuBefore = *cpu;
  } else if (*cpu - handle->cpuBefore >= kFairCpu - kPoolTick) {
    handle->lowered = lowerPriority(handle->pid);
  }
}

// ---- the end

void Pool::stop() {
  SchedulerActions actions;
  {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(open_, false)) return;
    actions.refuse = scheduler_.takeWaiting();
    for (const WorkerHandlePtr& handle : scheduler_.handles()) actions.end.push_back({handle, handle->connection});
  }
  execute(std::move(actions));
  {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, kStopTime, [this] { return scheduler_.handles().empty(); });
  }
  supervisor_.stop();
  decoders_.stop();
}

Workers::Stats Pool::stats() const {
  const std::scoped_lock lock(mutex_);
  Workers::Stats stats;
  stats.blank = scheduler_.count(WorkerState::blank);
  stats.running = scheduler_.count(WorkerState::running);
  stats.alive = stats.blank + stats.running + scheduler_.count(WorkerState::idle);
  stats.waiting = scheduler_.waiting();
  stats.started = started_;
  stats.killed = killed_;
  stats.confinement = confinement_;
  if (lowering_) stats.scheduling = wordsFor(*lowering_);
  return stats;
}

}  // namespace mb::workers
