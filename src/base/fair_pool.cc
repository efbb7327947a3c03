#include "base/fair_pool.h"

namespace mb {

namespace {

// The threads bound what runs in all.
QueueLimits queueLimits(const FairPoolLimits& limits) {
  return {.running = std::numeric_limits<size_t>::max(),
          .runningOfProject = limits.runningOfProject,
          .waiting = limits.waiting,
          .waitingOfProject = limits.waitingOfProject};
}

}  // namespace

FairPool::FairPool(std::string name, int threads, FairPoolLimits limits)
    : queue_(queueLimits(limits)), pool_(std::move(name), threads, limits.waiting) {}

bool FairPool::submit(const std::string& project, Job job) {
  Entry entry{project, std::move(job)};
  WorkerPool::Wakeup wakeup;  // outlives the lock
  const std::scoped_lock lock(mutex_);
  if (stopping_ || !queue_.push({project, ""}, FairQueue<Entry>::Time::max(), entry)) return false;
  // Never refused: it has not stopped, and no more calls than entries wait.
  return pool_.submit([this] { runNext(); }, wakeup);
}

size_t FairPool::queued() const {
  const std::scoped_lock lock(mutex_);
  return queue_.waiting();
}

void FairPool::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  pool_.stop();
}

void FairPool::runNext() {
  std::unique_lock lock(mutex_);
  std::optional<Entry> entry = queue_.next();
  if (!entry) ++passed_;
  std::exception_ptr bug;
  while (entry) {
    lock.unlock();
    try {
      std::exchange(entry->job, {})();
    } catch (...) {
      bug = std::current_exception();
    }
    lock.lock();
    queue_.done({entry->project, ""});
    entry.reset();
    // An entry that a call passed over may run now.
    if (passed_ > 0 && (entry = queue_.next())) --passed_;
  }
  lock.unlock();
  if (bug) std::rethrow_exception(bug);
}

}  // namespace mb
