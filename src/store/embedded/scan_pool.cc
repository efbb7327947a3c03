#include "store/embedded/scan_pool.h"

#include <sys/resource.h>
#include <unistd.h>

namespace mb::store::embedded {

namespace {
// The time slice of a scan while another one waits.
constexpr std::chrono::milliseconds kTimeSlice{50};
constexpr int kNiceness = 10;
}  // namespace

ScanPool::ScanPool(int threads, size_t maxWaiting, std::chrono::milliseconds slice)
    : maxWaiting_(maxWaiting), slice_(slice) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

Async<bool> ScanPool::run(ProjectNo project, Slice slice) {
  if (stopping_ || waitingCount_ >= maxWaiting_) co_return false;
  auto job = std::make_unique<Job>(Job{project, std::move(slice), {}});
  co_return co_await suspend<bool>([&](Resumer<bool> resumer) {
    job->resumer = std::move(resumer);
    push(std::move(job));
  });
}

bool ScanPool::push(std::unique_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    job->resumer.resume(false);
    return false;
  }
  auto& own = waiting_[job->project];
  if (own.empty()) order_.push_back(job->project);
  own.push_back(std::move(job));
  ++waitingCount_;
  lock.unlock();
  wake_.notify_one();
  return true;
}

std::unique_ptr<ScanPool::Job> ScanPool::pop() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !order_.empty(); });
  if (order_.empty()) return nullptr;
  const ProjectNo project = order_.front();
  order_.pop_front();
  auto& own = waiting_[project];
  auto job = std::move(own.front());
  own.pop_front();
  if (own.empty()) {
    waiting_.erase(project);
  } else {
    order_.push_back(project);
  }
  --waitingCount_;
  return job;
}

void ScanPool::loop() {
  // Scans have a lower priority than the cores, whose requests take microseconds.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
  while (auto job = pop()) {
    const auto start = std::chrono::steady_clock::now();
    const std::function<bool()> expired = [&] {
      if (stopping_) return true;
      const auto spent = std::chrono::steady_clock::now() - start;
      return spent > slice_ || (spent > kTimeSlice && waitingCount_ > 0);
    };
    if (stopping_) {
      job->resumer.resume(false);
    } else if (job->slice(expired)) {
      job->resumer.resume(true);
    } else {
      push(std::move(job));
    }
  }
}

void ScanPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace mb::store::embedded
