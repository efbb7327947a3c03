// One call of Database::run().
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>

#include "base/task.h"
#include "store/own/connections.h"

namespace mb::store::own {

Error unreachable();

// Resumes its caller once: with what the work returned, or when time is over, whichever is first. A thread that waits
// for a database that does not respond therefore keeps no caller waiting.
template <class R>
class Call : public std::enable_shared_from_this<Call<R>> {
 public:
  Call(Resumer<R> resumer, std::shared_ptr<Connections> connections, Deadline deadline)
      : connections_(std::move(connections)),
        deadline_(deadline),
        executor_(resumer.executor()),
        timer_(executor_),
        resumer_(std::move(resumer)) {}

  // Until `begun` the work has to begin, and until the deadline to end. On the caller's core, once.
  void limitTime(Deadline begun) {
    waitsFully_ = begun <= deadline_;
    wait(std::min(begun, deadline_));
  }

  // On a thread of the pool, once.
  template <class F>
  void perform(F& work) {
    if (!advance(Phase::connecting)) return;
    auto connection = connections_->take();
    if (!connection) return finish(R(fail(unreachable())));
    if (advance(Phase::running)) {
      try {
        finish(work(*connection));
      } catch (const std::exception& bug) {
        finish(R(fail(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what()))));
      }
    }
    connections_->giveBack(std::move(connection));
  }

  // No effect where the caller was resumed already. Any thread.
  void finish(R value) {
    Resumer<R> resumer = takeResumer();
    if (!resumer) return;
    resumer.resume(std::move(value));
    asio::post(executor_, [self = this->shared_from_this()] { self->timer_.cancel(); });
  }

 private:
  enum class Phase { waiting, connecting, running };

  // False where the caller does not wait any more.
  bool advance(Phase phase) {
    const std::lock_guard lock(mutex_);
    phase_ = phase;
    return static_cast<bool>(resumer_);
  }
  Resumer<R> takeResumer() {
    const std::lock_guard lock(mutex_);
    return std::exchange(resumer_, {});
  }
  void wait(Deadline until) {
    timer_.expires_at(until);
    timer_.async_wait([self = this->shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->expire();
    });
  }
  void expire() {
    const Deadline now = std::chrono::steady_clock::now();
    Phase phase = Phase::waiting;
    {
      const std::lock_guard lock(mutex_);
      if (!resumer_) return;
      phase = phase_;
    }
    if (phase == Phase::running && now < deadline_) return wait(deadline_);
    // The database is not to blame for a caller in a hurry.
    if (phase == Phase::connecting && waitsFully_) connections_->breaker().fail(now);
    finish(R(fail(unreachable())));
  }

  const std::shared_ptr<Connections> connections_;
  const Deadline deadline_;
  const Executor executor_;
  asio::steady_timer timer_;  // on the caller's core only
  bool waitsFully_ = false;   // for a connection, as long as any caller does; on the caller's core only
  std::mutex mutex_;
  Resumer<R> resumer_;  // empty once the caller was resumed
  Phase phase_ = Phase::waiting;
};

}  // namespace mb::store::own
