#include "identity/attempt_guard.h"

#include <gtest/gtest.h>

namespace mb::identity {
namespace {

TEST(AttemptGuard, TwentyFailuresInFifteenMinutes) {
  ManualClock clock(0);
  AttemptGuard guard(clock, kMaxFailedLogins, "logins");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(guard.begin("a"));
    clock.advance(1000);
  }
  const auto refused = guard.begin("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::rateLimited);
  EXPECT_EQ(refused.error().retryAfterSeconds(), 15 * 60 - 20);
  EXPECT_TRUE(guard.begin("b"));
  clock.set(15 * 60 * 1000);
  EXPECT_TRUE(guard.begin("a"));
  EXPECT_FALSE(guard.begin("a"));
}

TEST(AttemptGuard, RightOnesDoNotCount) {
  ManualClock clock(0);
  AttemptGuard guard(clock, kMaxFailedLogins, "logins");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(guard.begin("a"));
    guard.refundAttempt("a");
  }
  guard.refundAttempt("never seen");
}

TEST(AttemptGuard, CountsAndNamesTheAttempts) {
  ManualClock clock(0);
  AttemptGuard guard(clock, 2, "codes");
  EXPECT_TRUE(guard.begin("a"));
  EXPECT_TRUE(guard.begin("a"));
  const auto refused = guard.begin("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "too many failed codes for this account, try again later");
}

}  // namespace
}  // namespace mb::identity
