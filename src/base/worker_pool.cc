#include "base/worker_pool.h"

#include <pthread.h>

#include "base/log.h"

namespace mb {

WorkerPool::WorkerPool(std::string name, int threads, size_t maxQueued)
    : name_(std::move(name)), maxQueued_(maxQueued) {
  idle_.reserve(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::thread([this, &worker] {
      pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
      loop(worker);
    });
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

void WorkerPool::Wake::operator()(Worker* worker) const {
  worker->wake();
}

bool WorkerPool::submit(std::move_only_function<void()> job, Wakeup& wakeup) {
  const std::scoped_lock lock(mutex_);
  if (stopping_) return false;
  if (idle_.empty()) {
    if (jobs_.size() >= maxQueued_) return false;
    jobs_.push_back(std::move(job));
    return true;
  }
  wakeup.reset(idle_.back());
  idle_.pop_back();
  wakeup->job = std::move(job);
  return true;
}

size_t WorkerPool::queued() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.size();
}

void WorkerPool::stop() {
  std::vector<Worker*> idle;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    idle = std::exchange(idle_, {});
  }
  for (Worker* worker : idle) worker->wake();
  for (const auto& worker : workers_) worker->thread.join();
  workers_.clear();
}

void WorkerPool::Worker::wake() {
  {
    const std::scoped_lock lock(mutex);
    ready = true;
  }
  changed.notify_one();
}

std::move_only_function<void()> WorkerPool::Worker::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return ready; });
  ready = false;
  return std::exchange(job, {});
}

// Waits for the next job; null if the worker is to end.
std::move_only_function<void()> WorkerPool::next(Worker& worker) {
  {
    const std::scoped_lock lock(mutex_);
    if (!jobs_.empty()) {
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      return job;
    }
    if (stopping_) return {};
    idle_.push_back(&worker);
  }
  return worker.wait();
}

void WorkerPool::loop(Worker& worker) {
  while (std::move_only_function<void()> job = next(worker)) {
    try {
      job();
    } catch (const std::exception& bug) {
      logError("a job of a pool threw", {{"pool", name_}, {"exception", bug.what()}});
    }
  }
}

}  // namespace mb
