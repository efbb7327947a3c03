// A named pool of threads for work that blocks (hashing, reads that miss the cache, scans). Its queue is bounded; a
// full queue fails with unavailable (503).
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/task.h"

namespace mb {

class WorkerPool {
  struct Worker;

 public:
  // `maxQueued` counts waiting jobs, not running ones.
  WorkerPool(std::string name, int threads, size_t maxQueued);
  ~WorkerPool();  // stop()

  // Runs `work` (a callable that returns Result<T>) on a pool thread and resumes the caller on its own core with what
  // it returned. Fails with unavailable when the queue is full or the pool has stopped, with internal when it threw.
  template <class F, class R = std::invoke_result_t<F>>
  Async<R> run(F work) {
    co_return co_await suspend<R>([this, work = std::move(work)](Resumer<R> resumer) mutable {
      auto shared = std::make_shared<Resumer<R>>(std::move(resumer));
      const bool taken = submit([shared, work = std::move(work)]() mutable { shared->resume(guarded<R>(work)); });
      if (!taken) shared->resume(R(fail(ErrorCode::unavailable, "the server is busy, try again")));
    });
  }

  // Queues a job without waiting for it; false when full or stopped. Any thread.
  bool submit(std::move_only_function<void()> job) {
    Wakeup wakeup;
    return submit(std::move(job), wakeup);
  }

  struct Wake {
    void operator()(Worker* worker) const;
  };
  // Wakes the idle thread that is to run a job when it is reset or destroyed; null where none was idle. stop() waits
  // for it.
  using Wakeup = std::unique_ptr<Worker, Wake>;
  // For a caller that holds a lock which the job takes, as the thread would wake up to wait for it: gives the wakeup to
  // the caller. `wakeup` is null before.
  bool submit(std::move_only_function<void()> job, Wakeup& wakeup);
  size_t queued() const;
  // Finishes what is queued, then joins. Later submits are refused.
  void stop();

 private:
  // The caller must always be resumed, or its coroutine would be destroyed by a thread of the pool.
  template <class R, class F>
  static R guarded(F& work) {
    try {
      return work();
    } catch (const std::exception& bug) {
      return R(fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what())));
    }
  }
  struct Worker {
    void wake();
    std::move_only_function<void()> wait();  // for the next job; null if it is to end

    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;                   // it was woken
    std::move_only_function<void()> job;  // set before that, while it is idle
    std::thread thread;
  };
  void loop(Worker& worker);
  std::move_only_function<void()> next(Worker& worker);

  const std::string name_;
  const size_t maxQueued_;
  mutable std::mutex mutex_;
  std::deque<std::move_only_function<void()>> jobs_;
  // The last one to become idle runs the next job, since its memory is in the caches: as few threads work as can.
  std::vector<Worker*> idle_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace mb
