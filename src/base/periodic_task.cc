#include "base/periodic_task.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

namespace mb {

// Used on its executor only.
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
  auto due = std::chrono::steady_clock::now() + schedule.firstAfter.value_or(schedule.interval);
  while (!self->stopping_) {
    // Nothing suspends between these checks and the wait, and cancels come on this executor: none is missed. One may be
    // late, for a trigger that was seen without waiting.
    while (!self->stopping_ && !self->triggered_ && std::chrono::steady_clock::now() < due) {
      timer->timer.expires_at(due);
      boost::system::error_code cancelled;
      co_await timer->timer.async_wait(asio::redirect_error(useAwaitable, cancelled));
    }
    if (self->stopping_) break;
    self->triggered_ = false;
    co_await pass();
    due = std::chrono::steady_clock::now() + schedule.interval;
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
