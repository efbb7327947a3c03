// A coroutine that waits in some queue until it is granted what it asked for, or its deadline passes.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>

#include "store/store.h"

namespace mb::store::embedded {

struct Waiter {
  Resumer<bool> resumer;
  bool exclusive = false;
  std::atomic<bool> granted{false};

  void grant() {
    granted = true;
    resumer.resume(true);
  }
};
using WaiterPtr = std::shared_ptr<Waiter>;

// Suspends until somebody resumes the waiter. `enqueue(waiter)` puts it into the owner's queue, or returns true when
// what it asks for is free at once; `expire(waiter)` takes it out again, false when it was granted meanwhile. Both lock
// the owner's mutex themselves. Returns whether it was granted.
template <class Enqueue, class Expire>
Async<bool> waitInQueue(WaiterPtr waiter, Deadline deadline, Enqueue enqueue, Expire expire) {
  const Executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, deadline);
  co_return co_await suspend<bool>([&](Resumer<bool> resumer) {
    waiter->resumer = std::move(resumer);
    if (enqueue(waiter)) {
      waiter->grant();
      return;
    }
    // A waiter that was granted may be gone with the owner of its queue; one that was not is still suspended, and
    // cannot run on while its core is here.
    timer.async_wait([waiter, expire](const boost::system::error_code& error) {
      if (!error && !waiter->granted && expire(waiter)) waiter->resumer.resume(false);
    });
  });
}

}  // namespace mb::store::embedded
