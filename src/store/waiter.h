// A coroutine that waits in a queue until it is granted its request, or its deadline passes.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>

#include "store/store.h"

namespace mb::store {

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

// Suspends until the waiter is resumed. `enqueue(waiter)` adds it to the owner's queue, or returns true if the request
// can be granted at once; `expire(waiter)` removes it, or returns false if it was granted concurrently. Both lock the
// owner's mutex. Returns whether the request was granted.
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
    // The owner of the queue of a granted waiter may be destroyed; a waiter that was not granted is still suspended,
    // and cannot continue while its core runs this handler.
    timer.async_wait([waiter, expire](const boost::system::error_code& error) {
      if (!error && !waiter->granted && expire(waiter)) waiter->resumer.resume(false);
    });
  });
}

}  // namespace mb::store
