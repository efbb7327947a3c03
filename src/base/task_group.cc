#include "base/task_group.h"

#include <boost/asio/co_spawn.hpp>

#include "base/log.h"

namespace mb {

bool TaskGroup::spawn(const Executor& executor, Async<void> task) {
  if (!tryEnter()) return false;
  asio::co_spawn(executor, std::move(task), [this](std::exception_ptr bug) {
    if (bug) {
      try {
        std::rethrow_exception(bug);
      } catch (const std::exception& e) {
        logError("a task threw", {{"exception", e.what()}});
      }
    }
    leave();
  });
  return true;
}

bool TaskGroup::tryEnter() {
  const std::scoped_lock lock(mutex_);
  if (closed_) return false;
  ++running_;
  return true;
}

void TaskGroup::leave() {
  const std::scoped_lock lock(mutex_);
  if (--running_ == 0) idle_.notify_all();
}

size_t TaskGroup::running() const {
  const std::scoped_lock lock(mutex_);
  return running_;
}

bool TaskGroup::closeAndWait(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  closed_ = true;
  return idle_.wait_for(lock, limit, [this] { return running_ == 0; });
}

}  // namespace mb
