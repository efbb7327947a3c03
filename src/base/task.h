// Coroutines: each runs on a core's io_context and is resumed there, whichever thread completes what it waits for.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.h"

namespace mb {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;

template <class T = void>
using Async = asio::awaitable<T, Executor>;
// A coroutine that may fail. Name temporaries that must survive a suspension before co_await; take parameters by value.
template <class T = void>
using Task = Async<Result<T>>;

inline constexpr asio::use_awaitable_t<Executor> useAwaitable{};

// The right to resume one waiting coroutine, once, from any thread. Dropping it unresumed destroys the coroutine: the
// holder must call resume() or resumeHere().
template <class T>
class Resumer {
 public:
  Resumer() = default;
  Resumer(Executor executor, std::move_only_function<void(T)> handler)
      : executor_(std::move(executor)), handler_(std::move(handler)) {}

  explicit operator bool() const { return static_cast<bool>(handler_); }
  const Executor& executor() const { return *executor_; }

  // Posts to the coroutine's own core. Any thread.
  void resume(T value) {
    Executor executor = *executor_;  // NOLINT(bugprone-unchecked-optional-access): a holder has a value
    asio::post(executor,
               [handler = std::move(handler_), value = std::move(value)]() mutable { handler(std::move(value)); });
  }
  // Runs the coroutine inside this call. Only on its own core.
  void resumeHere(T value) {
    auto handler = std::move(handler_);
    handler(std::move(value));
  }

 private:
  std::optional<Executor> executor_;
  std::move_only_function<void(T)> handler_;
};

// Suspends the calling coroutine and passes `start` its Resumer<T>; the value of resume() is the result. `start` runs
// before the coroutine can be resumed, on its core, and must not block. The result is awaited where it is created, so
// it needs no coroutine frame.
template <class T, class Start>
auto suspend(Start start) {
  return asio::async_initiate<const asio::deferred_t, void(T)>(
      [](auto handler, Start s) {
        Executor executor = asio::get_associated_executor(handler);
        s(Resumer<T>(std::move(executor), std::move_only_function<void(T)>(std::move(handler))));
      },
      asio::deferred, std::move(start));
}

}  // namespace mb
