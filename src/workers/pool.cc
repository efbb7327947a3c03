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
// A process that has not said that it is ready by then is of no use.
constexpr auto kStartTime = 10s;
// A run that has used more goes on at the lowest priority. What it used before it was looked at first is not known.
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
      line_(config_.limits, config_.cores.count()),
      keeper_(*this, config_.program, config_.arguments) {}

void Pool::start() {
  {
    const std::scoped_lock lock(mutex_);
    open_ = true;
  }
  keeper_.start();
}

void Pool::submit(JobPtr job) {
  const Time now = SteadyClock::now();
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (!open_) {
      orders.refuse.push_back(std::move(job));
    } else {
      line_.submit(std::move(job), now, orders);
    }
  }
  carryOut(std::move(orders));
  keeper_.wakeWithin(2 * kPoolTick, now);
}

void Pool::carryOut(Orders orders) {
  for (Orders::Begin& next : orders.begin) {
    if (next.seat->core == Cores::current()) {
      next.link->begin(std::move(next.job));
      continue;
    }
    asio::post(config_.cores.at(next.seat->core),
               [next = std::move(next)]() mutable { next.link->begin(std::move(next.job)); });
  }
  for (SeatPtr& seat : orders.start) keeper_.startProcessOf(std::move(seat));
  for (const Orders::End& last : orders.end) {
    if (last.link) last.link->end();
  }
  for (const JobPtr& job : orders.refuse) job->asker.resume(busy());
}

// ---- what the workers say

void Pool::onReady(const SeatPtr& seat, std::string_view engine, std::string_view confinement) {
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    startPause_ = 0ms;
    if (confinement_ != confinement) {
      logInfo("function workers run", {{"engine", engine}, {"confinement", confinement}});
      confinement_ = confinement;
    }
    if (!lowering_) {
      lowering_ = tryLowering(seat->pid);
      logInfo("runs that take long", {{"scheduling", wordsFor(*lowering_)}});
      if (lowering_ == Lowering::oneWay) {  // as this one is now it would serve nobody
        seat->overtime = true;
        return keeper_.endProcessOf(seat);
      }
    }
    line_.ready(seat, SteadyClock::now(), orders);
  }
  carryOut(std::move(orders));
}

void Pool::onFreed(const SeatPtr& seat, bool fit) {
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (seat->lowered && !seat->overtime) {
      fit = raisePriority(seat->pid) && fit;
      seat->lowered = false;
    }
    line_.freed(seat, fit && !seat->overtime, SteadyClock::now(), orders);
  }
  carryOut(std::move(orders));
}

LinkOwner::ExitCause Pool::onDead(const SeatPtr& seat, std::string_view breach, std::string_view lastWords) {
  const std::scoped_lock lock(mutex_);
  if (seat->state == SeatState::starting && open_ && !seat->overtime) {
    startFailed(lastWords.empty() ? "it ended before it was ready" : lastWords);
  }
  if (!breach.empty()) {
    ++killed_;
    logWarn("a function worker said what it must not, and is killed",
            {{"project", seat->project}, {"problem", breach}});
  }
  line_.lost(seat, SteadyClock::now());
  keeper_.endProcessOf(seat);
  if (seat->overtime) return ExitCause::timedOut;
  if (!open_) return ExitCause::stopped;
  return breach.empty() ? ExitCause::crashed : ExitCause::breached;
}

void Pool::startFailed(std::string_view why) {
  const bool first = startPause_ == 0ms;
  startPause_ = first ? std::chrono::milliseconds(kFirstPause)
                      : std::min<std::chrono::milliseconds>(startPause_ * 2, kLongestPause);
  line_.pauseStarts(SteadyClock::now() + startPause_);
  if (first) logError("a function worker cannot be started", {{"problem", why}});
}

void Pool::onDrained(const SeatPtr& seat) {
  std::unique_lock lock(mutex_);
  seat->drained = true;
  leaveIfGone(seat, lock);
}

void Pool::aside(std::move_only_function<void()> work) {
  // Each worker has one at most, so that there is room for all.
  aside_.submit(std::move(work));
}

void Pool::onUnbegun(JobPtr job) {
  submit(std::move(job));
}

// ---- processes

void Pool::onStarted(const SeatPtr& seat, Result<Process> process) {
  std::unique_lock lock(mutex_);
  if (!process) {
    startFailed(process.error().message());
    seat->reaped = seat->drained = true;
    return leaveIfGone(seat, lock);
  }
  ++started_;
  seat->link = std::make_shared<Link>(config_.cores.at(seat->core).get_executor(), *std::move(process), seat,
                                      std::shared_ptr<LinkOwner>(shared_from_this(), this), config_.clock);
  seat->killAt = SteadyClock::now() + kStartTime;
  const auto link = seat->link;
  const bool unwanted = !open_;
  lock.unlock();
  link->start();
  if (unwanted) link->end();
}

void Pool::onReaped(const SeatPtr& seat, bool killed) {
  std::unique_lock lock(mutex_);
  seat->reaped = true;
  const auto link = seat->link;
  leaveIfGone(seat, lock);
  if (lock.owns_lock()) lock.unlock();
  if (link) link->reaped(killed);
}

void Pool::leaveIfGone(const SeatPtr& seat, std::unique_lock<std::mutex>& lock) {
  if (!seat->reaped || !seat->drained) return;
  const auto link = std::exchange(seat->link, nullptr);
  Orders orders;
  line_.gone(seat, SteadyClock::now(), orders);
  if (!open_) orders.start.clear();
  empty_.notify_all();
  lock.unlock();
  carryOut(std::move(orders));
  keeper_.wakeWithin(2 * kPoolTick, SteadyClock::now());
}

Time Pool::look(Time now) {
  Orders orders;
  Time next;
  {
    const std::scoped_lock lock(mutex_);
    if (!open_) return now + kPoolTick;
    for (const SeatPtr& seat : line_.seats()) watch(seat, now);
    line_.look(now, orders);
    next = line_.nextLook(now);
  }
  carryOut(std::move(orders));
  return next;
}

void Pool::watch(const SeatPtr& seat, Time now) {
  const bool watched = seat->state == SeatState::running || (seat->state == SeatState::starting && seat->link);
  if (!watched || seat->overtime) return;
  if (now >= seat->killAt) {
    seat->overtime = true;
    ++killed_;
    if (seat->lowered) raisePriority(seat->pid);  // or its end could wait for long
    keeper_.endProcessOf(seat);
    return;
  }
  if (seat->state != SeatState::running || seat->lowered || now - seat->since < kPoolTick) return;
  const auto cpu = cpuTimeOf(seat->pid);
  if (!cpu) return;
  if (!seat->watched) {
    seat->watched = true;
    seat->cpuBefore = *cpu;
  } else if (*cpu - seat->cpuBefore >= kFairCpu - kPoolTick) {
    seat->lowered = lowerPriority(seat->pid);
  }
}

// ---- the end

void Pool::stop() {
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(open_, false)) return;
    orders.refuse = line_.takeWaiting();
    for (const SeatPtr& seat : line_.seats()) orders.end.push_back({seat, seat->link});
  }
  carryOut(std::move(orders));
  {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, kStopTime, [this] { return line_.seats().empty(); });
  }
  keeper_.stop();
  aside_.stop();
}

Workers::Stats Pool::stats() const {
  const std::scoped_lock lock(mutex_);
  Workers::Stats stats;
  stats.blank = line_.count(SeatState::blank);
  stats.running = line_.count(SeatState::running);
  stats.alive = stats.blank + stats.running + line_.count(SeatState::idle);
  stats.waiting = line_.waiting();
  stats.started = started_;
  stats.killed = killed_;
  stats.confinement = confinement_;
  if (lowering_) stats.scheduling = wordsFor(*lowering_);
  return stats;
}

}  // namespace mb::workers
