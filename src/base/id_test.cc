#include "base/id.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace mb {
namespace {

constexpr int64_t kNow = 1'769'851'800'000;
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// What the first nine characters encode: milliseconds * 1024 + counter.
uint64_t stampOf(std::string_view id) {
  uint64_t stamp = 0;
  for (const char c : id.substr(0, 9)) stamp = stamp * 62 + kAlphabet.find(c);
  return stamp;
}

TEST(Id, HasTheShapeOfTheContract) {
  const ManualClock clock(kNow);
  IdGenerator ids(clock);
  for (int i = 0; i < 1000; ++i) {
    const std::string id = ids.next();
    ASSERT_EQ(id.size(), 20U);
    EXPECT_EQ(id.find_first_not_of(kAlphabet), std::string::npos) << id;
  }
}

TEST(Id, TellsItsMillisecond) {
  const ManualClock clock(kNow);
  IdGenerator ids(clock);
  EXPECT_EQ(stampOf(ids.next()), static_cast<uint64_t>(kNow) * 1024);
  EXPECT_EQ(stampOf(ids.next()), static_cast<uint64_t>(kNow) * 1024 + 1);
}

TEST(Id, AscendsWithinAMillisecondAndPastItsThousandAndTwentyFour) {
  const ManualClock clock(kNow);
  IdGenerator ids(clock);
  std::string last = ids.next();
  for (int i = 0; i < 5000; ++i) {
    std::string next = ids.next();
    ASSERT_LT(last, next);
    last = std::move(next);
  }
  EXPECT_EQ(ids.highestMs(), kNow + 5000 / 1024);
}

TEST(Id, NeverGoesBackWithTheClock) {
  ManualClock clock(kNow);
  IdGenerator ids(clock);
  const std::string before = ids.next();
  clock.set(kNow - 3'600'000);
  EXPECT_LT(before, ids.next());
  clock.set(0);
  EXPECT_LT(before, ids.next());
}

TEST(Id, StartsAboveWhatTheLastRunGave) {
  const ManualClock clock(kNow);
  IdGenerator earlier(clock);
  for (int i = 0; i < 3000; ++i) earlier.next();
  const std::string last = earlier.next();
  IdGenerator later(clock);
  later.startAbove(earlier.highestMs());
  EXPECT_LT(last, later.next());
}

TEST(Id, AscendsFromMillisecondToMillisecondForALongTime) {
  ManualClock clock(kNow);
  IdGenerator ids(clock);
  std::string last = ids.next();
  for (int64_t ms = kNow + 1; ms < kNow + (int64_t{1} << 40); ms = ms * 2 - kNow + 7) {
    clock.set(ms);
    std::string next = ids.next();
    ASSERT_LT(last, next);
    last = std::move(next);
  }
}

TEST(Id, IsUniqueOverThreads) {
  const SystemClock clock;
  IdGenerator ids(clock);
  std::vector<std::vector<std::string>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&ids, &mine] {
      for (int i = 0; i < 2000; ++i) mine.push_back(ids.next());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& mine : made) {
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(all.size(), 8000U);
}

TEST(Id, CarriesThePrefixOfItsKind) {
  const SystemClock clock;
  IdGenerator ids(clock);
  const UserId user = ids.next<UserTag>();
  EXPECT_TRUE(user.str().starts_with("user_"));
  EXPECT_EQ(user.str().size(), 25U);
  EXPECT_TRUE(ids.next<ProjectTag>().str().starts_with("proj_"));
  EXPECT_EQ(std::hash<UserId>()(user), std::hash<UserId>()(UserId(user.str())));
}

}  // namespace
}  // namespace mb
