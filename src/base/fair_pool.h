// A worker pool that several projects share: its threads take the projects in turn, so that a project which queues much
// delays its own work. Bounded for each project and in all: past either bound an honest 503.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/fair_queue.h"
#include "base/worker_pool.h"

namespace mb {

// How many jobs may wait, those that run not counted.
struct FairPoolLimits {
  size_t waitingOfProject = 256;
  size_t waiting = 4096;
};

class FairPool {
 public:
  using Job = std::move_only_function<void()>;

  FairPool(std::string name, int threads, FairPoolLimits limits = {});

  // Like WorkerPool::run, in the turn of `project`. Fails with unavailable when too much of the project or in all
  // waits, or when the pool has stopped, with internal when `work` threw.
  template <class F, class R = std::invoke_result_t<F>>
  Async<R> run(std::string project, F work) {
    co_return co_await suspend<R>([&](Resumer<R> resumer) {
      auto shared = std::make_shared<Resumer<R>>(std::move(resumer));
      const bool taken =
          submit(project, [this, shared, work = std::move(work)]() mutable { shared->resume(outcome<R>(work)); });
      if (!taken) shared->resume(busy<R>());
    });
  }

  // Like run(), but where the pool refuses, `work` runs on the calling thread: for what answers a change that is made,
  // since a client that reads "unavailable" would make it again. `work` must not fail with unavailable itself.
  template <class F, class R = std::invoke_result_t<F>>
  Async<R> runOrHere(std::string project, F work) {
    R done = co_await run(std::move(project), [&work] { return work(); });
    if (!done && done.error().code() == ErrorCode::unavailable) co_return work();
    co_return done;
  }

  // Queues a job without waiting for it; false when full or stopped. It is called even if the pool stops meanwhile. Any
  // thread.
  bool submit(const std::string& project, Job job);
  size_t queued() const;
  // Joins once what runs has ended. The work that still waits is not begun, as a full queue would take minutes: its
  // callers get unavailable, as later ones do.
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
  FairQueue<Entry> line_;
  std::atomic<bool> stopping_ = false;  // set under the mutex
  WorkerPool pool_;  // one call of runNext() for each entry of the line; last, as its threads use the rest
};

}  // namespace mb
