// The writes that wait, by project. Each project with waiting writes has one group at a time on this instance; what
// arrives during it forms the next one.
#pragma once

#include <deque>
#include <map>
#include <mutex>

#include "store/mongo/connection_pool.h"
#include "store/mongo/group.h"

namespace mb::store::mongo {

class WriteQueues {
 public:
  // All outlive it.
  WriteQueues(ConnectionPool& pool, const GroupContext& context) : pool_(pool), context_(context) {}

  // Bounds of what waits.
  static constexpr size_t kMaxWaiting = 8192;

  // Commits the write and returns its outcome.
  Task<WriteOutcome> write(ProjectNo project, Write write, WriteCallback callback);
  // The same for a change of the catalogue, with inserts of the same commit. `afterwards`: see PendingWrite; it may
  // still run when this returns, before what is given to exclusively() then.
  Task<> alter(ProjectNo project, std::vector<Insert> inserts, std::function<Result<>(ProjectState& next)> change,
               std::function<void(Connection&)> afterwards = {});
  // Runs `work`, which takes a Connection& and returns a Result, on a thread while no group of the project runs on this
  // instance.
  template <class F, class R = std::invoke_result_t<F, Connection&>>
  Async<R> exclusively(ProjectNo project, F work) {
    co_return co_await suspend<R>([this, project, work = std::move(work)](Resumer<R> resumer) mutable {
      auto shared = std::make_shared<Resumer<R>>(std::move(resumer));
      auto run = [shared, work = std::move(work)](Connection* connection) mutable {
        shared->resume(connection == nullptr ? R(fail(busy())) : guarded<R>(work, *connection));
      };
      if (!enqueue(project, Entry{nullptr, std::move(run)})) shared->resume(R(fail(busy())));
    });
  }
  // Later writes are refused; returns when no group runs.
  void stop();

 private:
  // A write, or other work, which gets null if it is refused.
  struct Entry {
    PendingWrite* write = nullptr;
    std::move_only_function<void(Connection*)> work;
  };
  struct Queue {
    std::deque<Entry> waiting;
    bool running = false;
  };

  template <class R, class F>
  static R guarded(F& work, Connection& connection) {
    try {
      return work(connection);
    } catch (const std::exception& bug) {
      return R(fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what())));
    }
  }
  static Error busy();
  Task<WriteOutcome> wait(ProjectNo project, PendingWrite& pending);
  // False if too much waits.
  bool enqueue(ProjectNo project, Entry entry);
  void runOne(ProjectNo project, Connection& connection);
  // REQUIRES: mutex_ is held.
  std::vector<Entry> takeGroup(Queue& queue);
  bool start(ProjectNo project);

  ConnectionPool& pool_;
  const GroupContext& context_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<ProjectNo, Queue> queues_;
  size_t waiting_ = 0;
  bool stopping_ = false;
};

}  // namespace mb::store::mongo
