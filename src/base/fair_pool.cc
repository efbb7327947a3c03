#include "base/fair_pool.h"

#include <limits>

namespace mb {

namespace {

// The threads bound what runs; the queue only decides what is next.
constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

QueueLimits queueLimits(const FairPoolLimits& limits) {
  return {.running = kUnbounded,
          .runningOfProject = kUnbounded,
          .waiting = limits.waiting,
          .waitingOfProject = limits.waitingOfProject};
}

}  // namespace

FairPool::FairPool(std::string name, int threads, FairPoolLimits limits)
    : queue_(queueLimits(limits)), pool_(std::move(name), threads, limits.waiting) {}

bool FairPool::submit(const std::string& project, Job job) {
  Entry entry{project, std::move(job)};
  const std::scoped_lock lock(mutex_);
  if (stopping_ || !queue_.push({project, ""}, FairQueue<Entry>::Time::max(), entry)) return false;
  // Never refused: it has not stopped, and no more calls than entries wait.
  return pool_.submit([this] { runNext(); });
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
  std::optional<Entry> entry;
  {
    const std::scoped_lock lock(mutex_);
    entry = queue_.next();
    queue_.done({entry->project, ""});
  }
  entry->job();
}

}  // namespace mb
