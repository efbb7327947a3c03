#include "http/min_rate_guard.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

using std::chrono::seconds;

TEST(MinRateGuard, NothingAtAllIsBorneForTheIdleTime) {
  MinRateGuard rateGuard(seconds(30), 1000);
  EXPECT_EQ(rateGuard.begin(100), 131);
  rateGuard.end(110);
  EXPECT_EQ(rateGuard.begin(110), 131) << "a wake-up without a byte does not extend the limit";
}

TEST(MinRateGuard, ProgressBuysTimeByItsRate) {
  MinRateGuard rateGuard(seconds(10), 1000);
  rateGuard.begin(0);
  rateGuard.end(9);
  rateGuard.passed(1);
  EXPECT_EQ(rateGuard.begin(9), 11) << "one byte does not add a second";
  rateGuard.end(10);
  rateGuard.passed(4999);
  EXPECT_EQ(rateGuard.begin(10), 16) << "ten seconds and five, of which ten are used up";
  rateGuard.end(10);
  rateGuard.passed(1'000'000);
  EXPECT_EQ(rateGuard.begin(10), 21) << "never longer than the idle time at once";
}

TEST(MinRateGuard, OnlyWaitingCounts) {
  MinRateGuard rateGuard(seconds(10), 1000);
  for (int64_t tick = 0; tick < 10'000; tick += 100) {
    EXPECT_EQ(rateGuard.begin(tick), tick + 11);
    rateGuard.end(tick);
    rateGuard.passed(1);
  }
}

}  // namespace
}  // namespace mb::http
