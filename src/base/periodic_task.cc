#include "base/periodic_task.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

namespace mb {

// Touched on its executor alone.
struct PeriodicTask::Timer {
  explicit Timer(const Executor& executor) : timer(executor) {}
  asio::steady_timer timer;
};

PeriodicTask::PeriodicTask() = default;

PeriodicTask::~PeriodicTask() {
  stop();
}

void PeriodicTask::start(const Executor& executor, TaskGroup& tasks, Schedule schedule, Pass pass) {
  auto timer = std::make_shared<Timer>(executor);
  timer_ = timer;
  tasks.spawn(executor, loop(this, std::move(timer), schedule, std::move(pass)));
}

Async<void> PeriodicTask::loop(PeriodicTask* self, std::shared_ptr<Timer> timer, Schedule schedule, Pass pass) {
  bool waits = !schedule.atStart;
  while (!self->stopping_) {
    if (waits && !self->triggered_) {
      // Nothing suspends between this check and the wait, and cancels come on this executor: none is missed.
      timer->timer.expires_after(schedule.interval);
      boost::system::error_code cancelled;
      co_await timer->timer.async_wait(asio::redirect_error(useAwaitable, cancelled));
      if (self->stopping_) break;
    }
    self->triggered_ = false;
    co_await pass();
    waits = true;
  }
  if (schedule.atStop) co_await pass();
}

void PeriodicTask::trigger() {
  triggered_ = true;
  cancelWait();
}

void PeriodicTask::stop() {
  stopping_ = true;
  cancelWait();
}

void PeriodicTask::cancelWait() {
  const std::shared_ptr<Timer> timer = timer_.load();
  if (timer) asio::post(timer->timer.get_executor(), [timer] { timer->timer.cancel(); });
}

}  // namespace mb
