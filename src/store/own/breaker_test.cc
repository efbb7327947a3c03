#include "store/own/breaker.h"

#include <gtest/gtest.h>

namespace mb::store::own {
namespace {

using std::chrono::seconds;

TEST(Breaker, OpensAfterFailuresOfTheWindow) {
  Breaker breaker;
  const Breaker::Time start{};
  for (size_t i = 0; i < kFailures - 1; ++i) breaker.fail(start + seconds(i));
  EXPECT_TRUE(breaker.admits(start + seconds(4)));
  breaker.fail(start + seconds(11));  // the first one has left the window
  EXPECT_TRUE(breaker.admits(start + seconds(11)));
  breaker.fail(start + seconds(11));
  EXPECT_FALSE(breaker.admits(start + seconds(11)));
  EXPECT_TRUE(breaker.isOpen());
}

TEST(Breaker, TriesOneCallEachIntervalUntilOneSucceeds) {
  Breaker breaker;
  const Breaker::Time start{};
  for (size_t i = 0; i < kFailures; ++i) breaker.fail(start);
  EXPECT_FALSE(breaker.admits(start + seconds(4)));
  EXPECT_TRUE(breaker.admits(start + kTrialInterval));
  EXPECT_FALSE(breaker.admits(start + kTrialInterval));
  breaker.fail(start + kTrialInterval);
  EXPECT_FALSE(breaker.admits(start + kTrialInterval + seconds(4)));
  EXPECT_TRUE(breaker.admits(start + 2 * kTrialInterval));
  breaker.succeed();
  EXPECT_TRUE(breaker.admits(start + 2 * kTrialInterval));
  EXPECT_FALSE(breaker.isOpen());
}

TEST(Breaker, ASuccessForgetsFailures) {
  Breaker breaker;
  const Breaker::Time start{};
  for (size_t i = 0; i < kFailures - 1; ++i) breaker.fail(start);
  breaker.succeed();
  for (size_t i = 0; i < kFailures - 1; ++i) breaker.fail(start);
  EXPECT_TRUE(breaker.admits(start));
}

}  // namespace
}  // namespace mb::store::own
