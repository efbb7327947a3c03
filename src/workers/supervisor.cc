#include "workers/supervisor.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

namespace mb::workers {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReapPause{3};

}  // namespace

WorkerSupervisor::WorkerSupervisor(Owner& owner, std::filesystem::path program, std::vector<std::string> arguments)
    : owner_(owner), program_(std::move(program)), arguments_(std::move(arguments)) {}

WorkerSupervisor::~WorkerSupervisor() {
  stop();
}

void WorkerSupervisor::start() {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "workers");
    loop();
  });
}

void WorkerSupervisor::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WorkerSupervisor::startProcessOf(WorkerHandlePtr handle) {
  {
    const std::scoped_lock lock(mutex_);
    toStart_.push_back(std::move(handle));
  }
  wake_.notify_one();
}

void WorkerSupervisor::endProcessOf(WorkerHandlePtr handle) {
  {
    const std::scoped_lock lock(mutex_);
    toEnd_.push_back(std::move(handle));
  }
  wake_.notify_one();
}

void WorkerSupervisor::wakeWithin(std::chrono::milliseconds patience, Time now) {
  if (nextTick_.load(std::memory_order_relaxed) <= now + patience) return;
  {
    const std::scoped_lock lock(mutex_);
    nextTick_ = now;
  }
  wake_.notify_one();
}

void WorkerSupervisor::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto toStart = std::exchange(toStart_, {});
    const auto toEnd = std::exchange(toEnd_, {});
    const bool due = SteadyClock::now() >= nextTick_.load();
    // Far off, so that a concurrent wakeWithin() always sets it.
    if (due) nextTick_ = Time::max();
    lock.unlock();
    for (const WorkerHandlePtr& handle : toEnd) endOne(handle);
    for (const WorkerHandlePtr& handle : toStart) startOne(handle);
    reap();
    const Time next = due ? owner_.tick(SteadyClock::now()) : Time::max();
    lock.lock();
    if (due) nextTick_ = std::min(nextTick_.load(), next);
    if (stopping_ || !toStart_.empty() || !toEnd_.empty()) continue;
    Time until = nextTick_;
    if (!dying_.empty()) until = std::min(until, SteadyClock::now() + kReapPause);
    wake_.wait_until(lock, until);
  }
  lock.unlock();
  for (const WorkerHandlePtr& handle : std::vector(living_)) endOne(handle);
  while (!dying_.empty()) {
    reap();
    if (!dying_.empty()) std::this_thread::sleep_for(kReapPause);
  }
}

void WorkerSupervisor::startOne(const WorkerHandlePtr& handle) {
  Result<Process> process = startProcess(program_, arguments_);
  if (process) {
    handle->pid = process->pid;
    living_.push_back(handle);
  }
  owner_.onStarted(handle, std::move(process));
}

// A process keeps its pid until it is reaped, so no other process can be killed.
void WorkerSupervisor::endOne(const WorkerHandlePtr& handle) {
  if (std::erase(living_, handle) == 0) return;
  ::kill(handle->pid, SIGKILL);
  dying_.push_back(handle);
}

void WorkerSupervisor::reap() {
  for (const WorkerHandlePtr& handle : std::vector(dying_)) {
    int status = 0;
    if (::waitpid(handle->pid, &status, WNOHANG) == 0) continue;
    std::erase(dying_, handle);
    owner_.onReaped(handle, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
}

}  // namespace mb::workers
