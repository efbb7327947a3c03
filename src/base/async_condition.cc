#include "base/async_condition.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

namespace mb {

struct AsyncCondition::Waiter {
  explicit Waiter(const Executor& e) : executor(e), timer(e) {}
  const Executor executor;
  asio::steady_timer timer;  // used on `executor` only
  bool registered = false;   // guarded by mutex_
};

// Removes the waiter at the end of its wait, also where the frame is destroyed.
class AsyncCondition::Registration {
 public:
  Registration(AsyncCondition& condition, const Executor& executor)
      : condition_(condition), waiter_(std::make_shared<Waiter>(executor)) {}
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    const std::lock_guard lock(condition_.mutex_);
    if (waiter_->registered) std::erase(condition_.waiting_, waiter_);
  }

  // The next notifyAll() wakes the waiter. Idempotent.
  void renew() {
    const std::lock_guard lock(condition_.mutex_);
    if (!std::exchange(waiter_->registered, true)) condition_.waiting_.push_back(waiter_);
  }
  asio::steady_timer& timer() { return waiter_->timer; }

 private:
  AsyncCondition& condition_;
  const std::shared_ptr<Waiter> waiter_;
};

void AsyncCondition::notifyAll() {
  std::vector<std::shared_ptr<Waiter>> woken;
  {
    const std::lock_guard lock(mutex_);
    woken.swap(waiting_);
    for (const auto& waiter : woken) waiter->registered = false;
  }
  for (auto& waiter : woken) {
    const Executor executor = waiter->executor;
    asio::post(executor, [waiter = std::move(waiter)] { waiter->timer.cancel(); });
  }
}

Async<bool> AsyncCondition::waitUntil(Deadline deadline, Predicate predicate) {
  Registration registration(*this, co_await asio::this_coro::executor);
  while (true) {
    // No change is missed: one before the registration is seen by the predicate, and one after it posts a cancel to
    // this core, which cannot run before the wait has begun. A cancel may come late, and then ends a wait for nothing.
    registration.renew();
    if (predicate()) co_return true;
    if (std::chrono::steady_clock::now() >= deadline) co_return false;
    registration.timer().expires_at(deadline);
    boost::system::error_code cancelled;
    co_await registration.timer().async_wait(asio::redirect_error(useAwaitable, cancelled));
  }
}

}  // namespace mb
