#include "base/worker_pool.h"

#include <pthread.h>

#include "base/log.h"

namespace mb {

WorkerPool::WorkerPool(std::string name, int threads, size_t maxQueued)
    : name_(std::move(name)), maxQueued_(maxQueued) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] {
      pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
      loop();
    });
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

bool WorkerPool::submit(std::move_only_function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || jobs_.size() >= maxQueued_) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

size_t WorkerPool::queued() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.size();
}

void WorkerPool::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::loop() {
  while (true) {
    std::move_only_function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      job();
    } catch (const std::exception& bug) {
      logError("a job of a pool threw", {{"pool", name_}, {"exception", bug.what()}});
    }
  }
}

}  // namespace mb
