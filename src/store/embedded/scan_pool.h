// Threads for long scans, shared round robin by project: a scan yields after a short time slice when others wait, and
// in any case before its iterators get old.
#pragma once

#include <thread>

#include "store/store.h"

namespace mb::store::embedded {

class ScanPool {
 public:
  // Runs one slice: continues until the scan is finished (true) or `expired` returns true (false).
  using Slice = std::move_only_function<bool(const std::function<bool()>& expired)>;

  // No slice lasts much longer than `slice`.
  ScanPool(int threads, size_t maxWaiting, std::chrono::milliseconds slice);
  ~ScanPool() { stop(); }
  // Runs slices until the scan is finished; false if too many scans wait, or the pool stops. What `slice` refers to
  // must live until this returns.
  Async<bool> run(ProjectNo project, Slice slice);
  // Ends the running slices, and with them their scans.
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
  std::deque<ProjectNo> order_;
  std::atomic<size_t> waitingCount_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace mb::store::embedded
