#include "base/async_condition.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "base/cores.h"

namespace mb {
namespace {

using namespace std::chrono_literals;

class AsyncConditionTest : public ::testing::Test {
 protected:
  AsyncConditionTest() { cores_.start(); }
  ~AsyncConditionTest() override {
    cores_.stop();
    cores_.join();
  }
  static constexpr auto kNever = AsyncCondition::Deadline::max();
  static AsyncCondition::Deadline in(std::chrono::milliseconds limit) {
    return std::chrono::steady_clock::now() + limit;
  }
  // The result of a wait on `core` for `predicate`.
  std::future<bool> waiting(int core, AsyncCondition::Deadline deadline, AsyncCondition::Predicate predicate) {
    auto done = std::make_shared<std::promise<bool>>();
    auto result = done->get_future();
    asio::co_spawn(
        cores_.at(core).get_executor(), condition_.waitUntil(deadline, std::move(predicate)),
        [done](std::exception_ptr thrown, bool held) { thrown ? done->set_exception(thrown) : done->set_value(held); });
    return result;
  }
  // A predicate for `value_`, which counts its calls.
  AsyncCondition::Predicate atLeast(int wanted) {
    return [this, wanted] {
      const bool holds = value_ >= wanted;
      ++checks_;  // last, so that a counted check does not see a later change
      return holds;
    };
  }
  void untilChecked(int times) {
    while (checks_ < times) std::this_thread::yield();
  }

  std::atomic<int> value_ = 0;
  std::atomic<int> checks_ = 0;
  AsyncCondition condition_;  // outlives the frames, which cores_ destroys
  Cores cores_{2};
};

TEST_F(AsyncConditionTest, APredicateThatHoldsEndsTheWaitAtOnce) {
  value_ = 1;
  EXPECT_TRUE(waiting(0, in(0ms), atLeast(1)).get());
  EXPECT_EQ(checks_, 1);
}

TEST_F(AsyncConditionTest, ADeadlineThatHasPassedEndsTheWaitAtOnce) {
  EXPECT_FALSE(waiting(0, in(-1ms), atLeast(1)).get());
  EXPECT_EQ(checks_, 1);
}

TEST_F(AsyncConditionTest, TheDeadlineEndsTheWait) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(waiting(0, in(20ms), atLeast(1)).get());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);
}

TEST_F(AsyncConditionTest, AChangeWakesAllWaitersOnTheirCores) {
  std::atomic<bool> stayed = true;
  std::vector<std::future<bool>> results;
  for (int i = 0; i < 8; ++i) {
    const int core = i % cores_.count();
    results.push_back(waiting(core, kNever, [this, core, &stayed] {
      stayed = stayed && Cores::current() == core;
      const bool holds = value_ > 0;
      ++checks_;
      return holds;
    }));
  }
  untilChecked(8);
  value_ = 1;
  condition_.notifyAll();
  for (std::future<bool>& result : results) EXPECT_TRUE(result.get());
  EXPECT_TRUE(stayed);
}

TEST_F(AsyncConditionTest, AWaiterWaitsOnWhereItsPredicateDoesNotHold) {
  auto first = waiting(0, kNever, atLeast(1));
  auto second = waiting(1, kNever, atLeast(2));
  untilChecked(2);
  value_ = 1;
  condition_.notifyAll();
  EXPECT_TRUE(first.get());
  untilChecked(4);
  EXPECT_EQ(second.wait_for(10ms), std::future_status::timeout);
  value_ = 2;
  condition_.notifyAll();
  EXPECT_TRUE(second.get());
}

TEST_F(AsyncConditionTest, ANotificationWithoutAChangeDoesNotExtendTheWait) {
  const auto begun = std::chrono::steady_clock::now();
  auto result = waiting(0, in(50ms), atLeast(1));
  while (result.wait_for(1ms) == std::future_status::timeout) condition_.notifyAll();
  EXPECT_FALSE(result.get());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 50ms);
}

// Each step is awaited by a waiter of the other core: a lost notification ends the test by its deadline.
TEST_F(AsyncConditionTest, NoChangeIsMissed) {
  constexpr int kSteps = 5'000;
  const auto run = [this](int parity) -> Async<void> {
    for (int step = parity; step < kSteps; step += 2) {
      if (!co_await condition_.waitUntil(in(60s), [this, step] { return value_ == step; })) co_return;
      ++value_;
      condition_.notifyAll();
    }
  };
  std::vector<std::future<void>> ends;
  for (int core = 0; core < 2; ++core) {
    ends.push_back(asio::co_spawn(cores_.at(core).get_executor(), run(core), asio::use_future));
  }
  for (std::future<void>& end : ends) end.get();
  EXPECT_EQ(value_, kSteps);
}

TEST_F(AsyncConditionTest, AFrameThatIsDestroyedLeavesNoWaiter) {
  auto result = waiting(0, kNever, atLeast(1));
  untilChecked(1);
  cores_.stop();
  cores_.join();
  EXPECT_THROW(result.get(), std::future_error);  // a broken promise
  condition_.notifyAll();
}

}  // namespace
}  // namespace mb
