#include "http/pace.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

using std::chrono::seconds;

TEST(Pace, NothingAtAllIsBorneForTheIdleTime) {
  Pace pace(seconds(30), 1000);
  EXPECT_EQ(pace.begin(100), 131);
  pace.end(110);
  EXPECT_EQ(pace.begin(110), 131) << "waking without a byte buys no time";
}

TEST(Pace, ProgressBuysTimeByItsRate) {
  Pace pace(seconds(10), 1000);
  pace.begin(0);
  pace.end(9);
  pace.passed(1);
  EXPECT_EQ(pace.begin(9), 11) << "one byte is not worth a second";
  pace.end(10);
  pace.passed(4999);
  EXPECT_EQ(pace.begin(10), 16) << "ten seconds and five, of which ten are used up";
  pace.end(10);
  pace.passed(1'000'000);
  EXPECT_EQ(pace.begin(10), 21) << "never longer than the idle time at once";
}

TEST(Pace, OnlyWaitingCounts) {
  Pace pace(seconds(10), 1000);
  for (int64_t tick = 0; tick < 10'000; tick += 100) {
    EXPECT_EQ(pace.begin(tick), tick + 11);
    pace.end(tick);
    pace.passed(1);
  }
}

}  // namespace
}  // namespace mb::http
