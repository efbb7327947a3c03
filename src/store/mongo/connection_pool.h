// The connections of an instance to its database, and the threads that use them. Commands block, so they run here,
// never on a core. A project with much work delays only its own.
#pragma once

#include "base/fair_pool.h"
#include "store/mongo/connection.h"

namespace mb::store::mongo {

class ConnectionPool {
 public:
  // `started`: of each connection; outlives the pool's threads.
  ConnectionPool(std::string uri, int threads, Connection::SessionStarted started);

  // Runs `work`, which takes a Connection& and returns a Result, on a thread of the pool. Fails with unavailable past
  // the deadline, when too much work waits, or when the pool has stopped.
  template <class F, class R = std::invoke_result_t<F, Connection&>>
  Async<R> run(ProjectNo project, Deadline deadline, F work) {
    co_return co_await pool_.run(std::to_string(project), [this, deadline, work = std::move(work)]() mutable -> R {
      if (std::chrono::steady_clock::now() >= deadline) return fail(late());
      const Lease lease(*this);
      return work(*lease.connection);
    });
  }

  // Queues a job without waiting for it; false when full or stopped. An accepted job is called in any case.
  bool submit(ProjectNo project, std::move_only_function<void(Connection&)> job);
  void stop() { pool_.stop(); }
  // unavailable, of a call that has not begun by its deadline.
  static Error late();

 private:
  // A connection that no other thread uses.
  struct Lease {
    explicit Lease(ConnectionPool& pool) : pool(pool), connection(pool.take()) {}
    ~Lease() { pool.giveBack(std::move(connection)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ConnectionPool& pool;
    std::unique_ptr<Connection> connection;
  };
  std::unique_ptr<Connection> take();
  void giveBack(std::unique_ptr<Connection> connection);

  const std::string uri_;
  const Connection::SessionStarted started_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  // at most one for each thread
  FairPool pool_;                                  // last, as its threads use the rest
};

}  // namespace mb::store::mongo
