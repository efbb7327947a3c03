// Threads for long scans. Projects take turns: a scan gives way after a short while when others wait, and in any case
// before its iterators get old.
#pragma once

#include <thread>

#include "store/store.h"

namespace mb::store::embedded {

class ScanPool {
 public:
  // Runs one slice: goes on until it is through (true) or `expired` says to stop (false).
  using Slice = std::move_only_function<bool(const std::function<bool()>& expired)>;

  // No slice lasts much longer than `slice`.
  ScanPool(int threads, size_t maxWaiting, std::chrono::milliseconds slice);
  ~ScanPool() { stop(); }
  // Slice after slice until through; false when too many wait already, or the pool stops. What `slice` refers to has to
  // live until this returns.
  Async<bool> run(ProjectNo project, Slice slice);
  // Ends the slices under way, and with them their scans.
  void stop();

 private:
  struct Job {
    ProjectNo project;
    Slice slice;
    Resumer<bool> resumer;
  };
  void loop();
  bool push(std::unique_ptr<Job> job);
  std::unique_ptr<Job> pop();

  const size_t maxWaiting_;
  const std::chrono::milliseconds slice_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::unordered_map<ProjectNo, std::deque<std::unique_ptr<Job>>> waiting_;
  std::deque<ProjectNo> turns_;
  std::atomic<size_t> waitingCount_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace mb::store::embedded
