// Cancellation of a request whose client has left. The connection emits it on the request's coroutine, again and again,
// and Asio hands it on to whatever that coroutine awaits; what may take long asks whether it came, and ends. A request
// sees it only from endWithClient() on, which is for requests that do nothing but answer: what commits must go on with
// what follows its commit. Coroutines that are spawned for themselves (runs of functions, jobs, loads that several wait
// for) go on in any case.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace mb {

// A type of its own, which no operation of Asio's heeds: a wait for a lock, a commit or a call out is not cut short.
inline constexpr auto kClientLeft = static_cast<asio::cancellation_type>(1U << 8);

// To be awaited by the handler of a request, at its beginning.
inline auto endWithClient() {
  return asio::this_coro::reset_cancellation_state(asio::cancellation_filter<kClientLeft>());
}
inline auto outliveClient() {
  return asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
}

std::unexpected<Error> clientLeft();

// Gives other tasks of the core a turn; fails once the client of the calling request has left.
Task<> yieldCore();

// Whether the client leaves while the calling coroutine waits for other threads, which may ask meanwhile. Made right
// before the wait, of `co_await asio::this_coro::cancellation_state`; serves one wait.
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
