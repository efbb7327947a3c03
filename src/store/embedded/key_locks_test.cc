#include "store/key_locks.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <latch>

#include "store/embedded/latch.h"
#include "store/testing/running.h"

namespace mb::store::embedded {

namespace {

using Mode = KeyLocks::Mode;

Deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

class LocksTest : public ::testing::Test {
 protected:
  LocksTest() { cores_.start(); }
  ~LocksTest() override {
    cores_.stop();
    cores_.join();
  }
  bool wait(int core, Async<bool> task) {
    std::promise<bool> done;
    asio::co_spawn(cores_.at(core).get_executor(), std::move(task),
                   [&](std::exception_ptr, bool granted) { done.set_value(granted); });
    return done.get_future().get();
  }
  Cores cores_{2};
};

// Adds to a number that only the lock protects.
Async<void> addMany(KeyLocks& locks, uint64_t& number, int times) {
  for (int i = 0; i < times; ++i) {
    HeldStripes held(locks);
    held.add("one");
    held.add("other");
    if (!held.tryAll()) {
      const bool granted = co_await held.waitAll(in(std::chrono::seconds(30)));
      EXPECT_TRUE(granted);
    }
    const uint64_t seen = number;
    if (i % 3 == 0) co_await asio::post(co_await asio::this_coro::executor, useAwaitable);
    number = seen + 1;
  }
}

// Writers add to the number; readers check that it does not change.
Async<void> readOrAdd(KeyLocks& locks, uint64_t& number, bool adds, int times) {
  for (int i = 0; i < times; ++i) {
    HeldStripes held(locks);
    held.add("one", adds ? Mode::exclusive : Mode::shared);
    if (!held.tryAll()) {
      const bool granted = co_await held.waitAll(in(std::chrono::seconds(30)));
      EXPECT_TRUE(granted);
    }
    const uint64_t seen = number;
    if (i % 3 == 0) co_await asio::post(co_await asio::this_coro::executor, useAwaitable);
    EXPECT_EQ(number, seen);
    if (adds) number = seen + 1;
  }
}

Async<void> shareOrExclude(Latch& latch, uint64_t& number, bool exclusive, int times) {
  for (int i = 0; i < times; ++i) {
    const bool granted = exclusive ? co_await latch.exclusive(in(std::chrono::seconds(30)))
                                   : co_await latch.shared(in(std::chrono::seconds(30)));
    EXPECT_TRUE(granted);
    const LatchHold hold(latch, exclusive);
    const uint64_t seen = number;
    if (i % 2 == 0) co_await asio::post(co_await asio::this_coro::executor, useAwaitable);
    if (exclusive) number = seen + 1;
    EXPECT_EQ(number, exclusive ? seen + 1 : seen);
  }
}

}  // namespace

TEST_F(LocksTest, ExcludesAcrossCores) {
  KeyLocks locks(8);
  uint64_t number = 0;
  std::latch left(16);
  for (int i = 0; i < 16; ++i) {
    asio::co_spawn(cores_.at(i % 2).get_executor(), addMany(locks, number, 500),
                   [&](std::exception_ptr) { left.count_down(); });
  }
  left.wait();
  EXPECT_EQ(number, 8000u);
  for (uint32_t stripe = 0; stripe < 8; ++stripe) EXPECT_TRUE(locks.tryLock(stripe, Mode::exclusive));
}

TEST_F(LocksTest, SharedHoldersSeeNoWriterAndAWriterNobody) {
  KeyLocks locks(4);
  uint64_t number = 0;
  std::latch left(16);
  for (int i = 0; i < 16; ++i) {
    asio::co_spawn(cores_.at(i % 2).get_executor(), readOrAdd(locks, number, i % 4 == 0, 500),
                   [&](std::exception_ptr) { left.count_down(); });
  }
  left.wait();
  EXPECT_EQ(number, 2000u);
  for (uint32_t stripe = 0; stripe < 4; ++stripe) EXPECT_TRUE(locks.tryLock(stripe, Mode::exclusive));
}

TEST_F(LocksTest, ManyHoldAStripeSharedAndAWriterWaitsForAll) {
  KeyLocks locks(4);
  ASSERT_TRUE(locks.tryLock(1, Mode::shared));
  ASSERT_TRUE(locks.tryLock(1, Mode::shared));
  EXPECT_FALSE(locks.tryLock(1, Mode::exclusive));
  locks.unlock(1, Mode::shared);
  EXPECT_FALSE(locks.tryLock(1, Mode::exclusive));
  locks.unlock(1, Mode::shared);
  EXPECT_TRUE(locks.tryLock(1, Mode::exclusive));
  EXPECT_FALSE(locks.tryLock(1, Mode::shared));
}

TEST_F(LocksTest, WhoComesBehindAWaitingWriterWaitsToo) {
  KeyLocks locks(4);
  ASSERT_TRUE(locks.tryLock(1, Mode::shared));
  std::promise<bool> written;
  std::promise<bool> read;
  asio::co_spawn(cores_.at(0).get_executor(), locks.lock(1, Mode::exclusive, in(std::chrono::seconds(30))),
                 [&](std::exception_ptr, bool granted) { written.set_value(granted); });
  // Waits until the writer is in the queue.
  while (locks.tryLock(1, Mode::shared)) locks.unlock(1, Mode::shared);
  asio::co_spawn(cores_.at(1).get_executor(), locks.lock(1, Mode::shared, in(std::chrono::seconds(30))),
                 [&](std::exception_ptr, bool granted) { read.set_value(granted); });
  locks.unlock(1, Mode::shared);
  EXPECT_TRUE(written.get_future().get());
  auto reading = read.get_future();
  EXPECT_EQ(reading.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  locks.unlock(1, Mode::exclusive);
  EXPECT_TRUE(reading.get());
  EXPECT_TRUE(locks.tryLock(1, Mode::shared));
}

TEST_F(LocksTest, AWriterThatGivesUpLetsTheReadersBehindItOn) {
  KeyLocks locks(4);
  ASSERT_TRUE(locks.tryLock(1, Mode::shared));
  std::promise<bool> written;
  asio::co_spawn(cores_.at(0).get_executor(), locks.lock(1, Mode::exclusive, in(std::chrono::milliseconds(50))),
                 [&](std::exception_ptr, bool granted) { written.set_value(granted); });
  EXPECT_TRUE(wait(1, locks.lock(1, Mode::shared, in(std::chrono::seconds(30)))));
  EXPECT_FALSE(written.get_future().get());
  locks.unlock(1, Mode::shared);
  locks.unlock(1, Mode::shared);
  EXPECT_TRUE(locks.tryLock(1, Mode::exclusive));
}

TEST_F(LocksTest, AStripeAddedInBothModesIsHeldExclusively) {
  KeyLocks locks(1);
  HeldStripes held(locks);
  held.add("one", Mode::shared);
  held.add("other", Mode::exclusive);
  ASSERT_TRUE(held.tryAll());
  EXPECT_FALSE(locks.tryLock(0, Mode::shared));
  held.release();
  EXPECT_TRUE(locks.tryLock(0, Mode::exclusive));
}

TEST_F(LocksTest, AWaiterGivesUpAtItsDeadlineAndTheNextIsServed) {
  KeyLocks locks(4);
  ASSERT_TRUE(locks.tryLock(1, Mode::exclusive));
  EXPECT_FALSE(locks.tryLock(1, Mode::exclusive));
  EXPECT_FALSE(wait(0, locks.lock(1, Mode::exclusive, in(std::chrono::milliseconds(20)))));
  locks.unlock(1, Mode::exclusive);
  EXPECT_TRUE(wait(1, locks.lock(1, Mode::exclusive, in(std::chrono::seconds(30)))));
  locks.unlock(1, Mode::exclusive);
  EXPECT_TRUE(locks.tryLock(1, Mode::exclusive));
}

TEST_F(LocksTest, ALatchIsSharedOrExclusive) {
  Latch latch;
  uint64_t number = 0;
  std::latch left(12);
  for (int i = 0; i < 12; ++i) {
    asio::co_spawn(cores_.at(i % 2).get_executor(), shareOrExclude(latch, number, i % 4 == 0, 300),
                   [&](std::exception_ptr) { left.count_down(); });
  }
  left.wait();
  EXPECT_EQ(number, 900u);
  EXPECT_TRUE(latch.tryShared());
}

TEST_F(LocksTest, AnExclusiveWaiterThatGivesUpLetsTheSharedOn) {
  Latch latch;
  ASSERT_TRUE(latch.tryShared());
  EXPECT_FALSE(wait(0, latch.exclusive(in(std::chrono::milliseconds(20)))));
  EXPECT_TRUE(latch.tryShared());
  latch.releaseShared();
  latch.releaseShared();
  EXPECT_TRUE(wait(0, latch.exclusive(in(std::chrono::seconds(30)))));
  EXPECT_FALSE(latch.tryShared());
  EXPECT_FALSE(wait(1, latch.shared(in(std::chrono::milliseconds(20)))));
  latch.releaseExclusive();
  EXPECT_TRUE(latch.tryShared());
}

}  // namespace mb::store::embedded
