#include "functions/run_quota.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace mb::functions {
namespace {

constexpr store::ProjectNo kShop = 7;

Timestamp at(std::string_view text) {
  return *parseRfc3339(text);
}

class RunQuotaTest : public ::testing::Test {
 protected:
  // Null where the limit is reached.
  std::optional<RunQuota::Permit> take(int64_t max, store::ProjectNo project = kShop) {
    auto taken = quota_->take(project, now_, max);
    EXPECT_TRUE(taken);
    return taken ? std::move(taken->permit) : std::nullopt;
  }
  int64_t use(store::ProjectNo project = kShop) { return quota_->take(project, now_, 0)->use; }
  ProjectMonth month(store::ProjectNo project = kShop) const { return {project, monthOf(now_)}; }

  Timestamp now_ = at("2026-01-31T23:59:59Z");
  std::shared_ptr<RunQuota> quota_ = std::make_shared<RunQuota>(2);
};

TEST_F(RunQuotaTest, MonthsAreOfUtc) {
  EXPECT_EQ("2026-01", monthOf(now_));
  EXPECT_EQ("2026-02", monthOf(Timestamp{now_.ms + 1000}));
  EXPECT_EQ(1, secondsToNextMonth(now_));
  EXPECT_EQ(1, secondsToNextMonth(Timestamp{now_.ms + 999}));
  EXPECT_EQ(28 * 86'400, secondsToNextMonth(at("2026-02-01T00:00:00Z")));
  EXPECT_EQ(86'400, secondsToNextMonth(at("2028-02-29T00:00:00Z")));
  EXPECT_EQ(86'400, secondsToNextMonth(at("2026-12-31T00:00:00Z")));
}

TEST_F(RunQuotaTest, AMonthThatIsNotInMemoryIsUnknown) {
  EXPECT_FALSE(quota_->take(kShop, now_, 10));
  EXPECT_FALSE(quota_->holds(month()));
  quota_->count(month(), std::nullopt);
  EXPECT_FALSE(quota_->holds(month()));
  quota_->put(month(), 4);
  EXPECT_TRUE(quota_->holds(month()));
  EXPECT_EQ(4, use());
  quota_->put(month(), 100);
  EXPECT_EQ(4, use());
}

TEST_F(RunQuotaTest, RunsUnderWayCount) {
  quota_->put(month(), 1);
  auto first = take(3);
  auto second = take(3);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(take(3));
  EXPECT_EQ(3, use());
  first.reset();
  EXPECT_EQ(2, use());
  EXPECT_TRUE(take(3));
  EXPECT_EQ(2, use());
}

TEST_F(RunQuotaTest, AnEndedRunIsCountedOnce) {
  quota_->put(month(), 0);
  {
    auto permit = take(2);
    EXPECT_EQ(now_, permit->at());
    quota_->count(month(), std::move(permit));
    EXPECT_EQ(1, use());
  }
  EXPECT_EQ(1, use());
  quota_->count(month(), std::nullopt);  // one that no limit held
  EXPECT_EQ(2, use());
}

TEST_F(RunQuotaTest, APermitCountsItsRun) {
  quota_->put(month(), 0);
  {
    auto permit = take(2);
    EXPECT_EQ(month(), permit->month());
    const Timestamp january = now_;
    now_ = Timestamp{now_.ms + 2000};
    std::move(*permit).count();
    now_ = january;
    EXPECT_EQ(1, use());
  }
  EXPECT_EQ(1, use());
  // Its month is in memory without a run under way.
  quota_->put(month(2), 0);
  quota_->put(month(3), 0);
  EXPECT_FALSE(quota_->holds(month()));
}

TEST_F(RunQuotaTest, AMovedPermitIsGivenBackOnce) {
  quota_->put(month(), 0);
  std::optional<RunQuota::Permit> moved;
  {
    auto one = take(5);
    auto other = take(5);
    moved = std::move(one);
    EXPECT_EQ(2, use());
    *moved = *std::move(other);
  }
  EXPECT_EQ(1, use());
}

TEST_F(RunQuotaTest, APermitOutlivesItsOwner) {
  quota_->put(month(), 0);
  auto permit = take(1);
  quota_.reset();
  permit.reset();
}

TEST_F(RunQuotaTest, ALimitOfZeroAllowsNone) {
  quota_->put(month(), 0);
  EXPECT_FALSE(take(0));
}

TEST_F(RunQuotaTest, EachMonthIsCountedByItself) {
  quota_->put(month(), 5);
  const Timestamp january = now_;
  auto before = take(10);
  now_ = Timestamp{now_.ms + 2000};
  EXPECT_FALSE(quota_->take(kShop, now_, 10));
  quota_->put(month(), 0);
  EXPECT_TRUE(take(1));
  // A run of January ends in February.
  quota_->count({kShop, monthOf(january)}, std::move(before));
  EXPECT_EQ(0, use());
  now_ = january;
  EXPECT_EQ(6, use());
}

TEST_F(RunQuotaTest, MonthsWithoutARunUnderWayAreBounded) {
  quota_->put(month(1), 0);
  auto permit = take(10, 1);
  for (store::ProjectNo project = 2; project <= 4; ++project) quota_->put(month(project), 0);
  EXPECT_TRUE(quota_->holds(month(1)));  // under way
  EXPECT_FALSE(quota_->holds(month(2)));
  EXPECT_TRUE(quota_->holds(month(3)));
  EXPECT_TRUE(quota_->holds(month(4)));
  use(3);
  permit.reset();
  EXPECT_TRUE(quota_->holds(month(1)));
  EXPECT_TRUE(quota_->holds(month(3)));
  EXPECT_FALSE(quota_->holds(month(4)));  // the one not used for longest
}

TEST_F(RunQuotaTest, ManyThreadsTakeExactlyTheLimit) {
  for (int round = 0; round < 50; ++round) {
    const auto quota = std::make_shared<RunQuota>();
    quota->put(month(), 0);
    std::atomic<int> passed = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 50; ++i) {
          auto taken = quota->take(kShop, now_, 100);
          if (!taken->permit) continue;
          // Every other run of the first thread is given back, and leaves its place to another run.
          if (thread == 0 && i % 2 == 0) continue;
          ++passed;
          quota->count(month(), std::move(taken->permit));
        }
      });
    }
    threads.clear();
    // What was given back late may have refused others; the rest still passes, and nothing beyond.
    while (auto permit = std::move(quota->take(kShop, now_, 100)->permit)) {
      ++passed;
      quota->count(month(), std::move(permit));
    }
    EXPECT_EQ(100, passed);
    EXPECT_EQ(100, quota->take(kShop, now_, 100)->use);
  }
}

}  // namespace
}  // namespace mb::functions
