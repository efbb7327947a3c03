// A worker pool that several projects share. Its threads take jobs round robin by project, so a project with many jobs
// delays only its own work. Bounded per project and in all; past either bound the caller gets unavailable (503).
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <string>

#include "base/fair_queue.h"
#include "base/worker_pool.h"

namespace mb {

// How many jobs may wait, running ones not counted, and how many of one project may run.
struct FairPoolLimits {
  size_t waitingOfProject = 256;
  size_t waiting = 4096;
  size_t runningOfProject = std::numeric_limits<size_t>::max();
};

class FairPool {
 public:
  using Job = std::move_only_function<void()>;

  FairPool(std::string name, int threads, FairPoolLimits limits = {});

  // Like WorkerPool::run, in the queue of `project`. Fails with unavailable when too much work of the project or in all
  // waits, or when the pool has stopped; with internal when `work` threw.
  template <class F, class R = std::invoke_result_t<F>>
  Async<R> run(std::string project, F work) {
    co_return co_await suspend<R>([&](Resumer<R> resumer) {
      auto shared = std::make_shared<Resumer<R>>(std::move(resumer));
      const bool taken =
          submit(project, [this, shared, work = std::move(work)]() mutable { shared->resume(outcome<R>(work)); });
      if (!taken) shared->resume(busy<R>());
    });
  }

  // Like run(), but if the pool refuses, `work` runs on the calling thread. For the response to a committed change,
  // since a client that reads "unavailable" would make the change again. `work` must not fail with unavailable itself.
  template <class F, class R = std::invoke_result_t<F>>
  Async<R> runOrHere(std::string project, F work) {
    R done = co_await run(std::move(project), [&work] { return work(); });
    if (!done && done.error().code() == ErrorCode::unavailable) co_return work();
    co_return done;
  }

  // Queues a job without waiting for it; false when full or stopped. An accepted job is called even if the pool stops
  // before its start. Any thread.
  bool submit(const std::string& project, Job job);
  size_t queued() const;
  // Joins once all jobs have ended. The waiting work of run() is not started, as a full queue would take minutes: its
  // callers get unavailable, as later calls do.
  void stop();

 private:
  struct Entry {
    std::string project;
    Job job;
  };

  // The caller must be resumed whatever happens, or its coroutine would be destroyed by a thread of the pool.
  template <class R, class F>
  R outcome(F& work) const {
    if (stopping_) return busy<R>();
    try {
      return work();
    } catch (const std::exception& bug) {
      return R(fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what())));
    }
  }
  template <class R>
  static R busy() {
    return R(fail(ErrorCode::unavailable, "the server is busy, try again"));
  }
  void runNext();

  mutable std::mutex mutex_;
  FairQueue<Entry> queue_;
  size_t passed_ = 0;                   // calls of runNext() that found only projects at their bound
  std::atomic<bool> stopping_ = false;  // set under the mutex
  WorkerPool pool_;  // one call of runNext() per entry of the queue; last, as its threads use the rest
};

}  // namespace mb
