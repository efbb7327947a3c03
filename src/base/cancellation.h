// Cancels a request whose client has left. The connection emits the cancellation on the request's coroutine repeatedly,
// and Asio passes it to the operation that the coroutine awaits; long operations check for it and end. A request sees
// it only after endWithClient(), which is for requests without effects: a request that commits must finish what follows
// its commit. Coroutines that are spawned on their own (runs of functions, jobs, loads with several waiters) continue
// in any case.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace mb {

// A type of its own, which no Asio operation reacts to: a wait for a lock, a commit or a call out is not interrupted.
inline constexpr auto kClientLeft = static_cast<asio::cancellation_type>(1U << 8);

// A request handler awaits it first, before its other work.
inline auto endWithClient() {
  return asio::this_coro::reset_cancellation_state(asio::cancellation_filter<kClientLeft>());
}
inline auto outliveClient() {
  return asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
}

std::unexpected<Error> clientLeft();

// Lets other tasks of the core run; fails once the client of the calling request has left.
Task<> yieldCore();

// Whether the client left while the calling coroutine waits for other threads, which may check it concurrently. Created
// immediately before the wait from `co_await asio::this_coro::cancellation_state`; serves one wait.
class CancellationFlag {
 public:
  explicit CancellationFlag(const asio::cancellation_state& state);
  ~CancellationFlag();
  CancellationFlag(const CancellationFlag&) = delete;
  CancellationFlag& operator=(const CancellationFlag&) = delete;

  // Any thread.
  bool isSet() const { return set_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& atomic() const { return set_; }

 private:
  asio::cancellation_slot slot_;
  std::atomic<bool> set_;
};

}  // namespace mb
