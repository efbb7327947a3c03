#include "base/cancellation.h"

#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <thread>

namespace mb {
namespace {

// What a waiting thread saw, whether an Asio wait completed, and the results of yieldCore().
struct Seen {
  bool before = true;
  bool during = false;
  bool timerRan = false;
  Result<> turn;
  Result<> turnBefore;
};

Async<void> work(asio::cancellation_signal& signal, Seen& seen) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await endWithClient();
  seen.turnBefore = co_await yieldCore();
  std::thread other;
  {
    const CancellationFlag left(co_await asio::this_coro::cancellation_state);
    seen.before = left.isSet();
    seen.during = co_await suspend<bool>([&](Resumer<bool> resumer) {
      signal.emit(kClientLeft);
      other = std::thread([&left, resumer = std::move(resumer)]() mutable { resumer.resume(left.isSet()); });
    });
  }
  other.join();
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
  const auto [aborted] = co_await timer.async_wait(asio::as_tuple(useAwaitable));
  seen.timerRan = !aborted;
  seen.turn = co_await yieldCore();
}

TEST(Cancellation, ReachesOtherThreadsAndTheNextTurnButNoWaitOfAsios) {
  asio::io_context core;
  asio::cancellation_signal signal;
  Seen seen;
  asio::co_spawn(core.get_executor(), work(signal, seen),
                 asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); }));
  core.run();
  EXPECT_TRUE(seen.turnBefore);
  EXPECT_FALSE(seen.before);
  EXPECT_TRUE(seen.during);
  EXPECT_TRUE(seen.timerRan);
  ASSERT_FALSE(seen.turn);
  EXPECT_EQ(seen.turn.error().code(), ErrorCode::requestTimeout);
}

// The results of yieldCore() before, with and after endWithClient(), each after the client has left once more.
Async<void> workInParts(asio::cancellation_signal& signal, std::vector<bool>& turns) {
  co_await asio::this_coro::throw_if_cancelled(false);
  signal.emit(kClientLeft);
  turns.push_back((co_await yieldCore()).has_value());
  co_await endWithClient();
  turns.push_back((co_await yieldCore()).has_value());
  signal.emit(kClientLeft);
  turns.push_back((co_await yieldCore()).has_value());
  co_await outliveClient();
  signal.emit(kClientLeft);
  turns.push_back((co_await yieldCore()).has_value());
}

TEST(Cancellation, ComesOnlyToWhatEndsWithItsClient) {
  asio::io_context core;
  asio::cancellation_signal signal;
  std::vector<bool> turns;
  asio::co_spawn(core.get_executor(), workInParts(signal, turns),
                 asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); }));
  core.run();
  EXPECT_EQ(turns, (std::vector<bool>{true, true, false, true}));
}

Async<void> plain(bool& good) {
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  const Result<> turn = co_await yieldCore();
  good = turn && !left.isSet();
}

TEST(Cancellation, NeverComesWithoutAClient) {
  asio::io_context core;
  bool good = false;
  asio::co_spawn(core.get_executor(), plain(good), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
  core.run();
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace mb
