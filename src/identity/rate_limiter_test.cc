#include "identity/rate_limiter.h"

#include <gtest/gtest.h>

namespace mb::identity {
namespace {

TEST(Rate, IsRequestsPerSeconds) {
  const auto rate = parseRate("10/60");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->requests, 10);
  EXPECT_EQ(rate->seconds, 60);
  for (const char* bad : {"", "10", "/", "10/", "/60", "0/60", "10/0", "-1/60", "10/60/2", "a/b", "10 / 60", "1e3/60",
                          "10/1000001", "99999999999999999999/60"}) {
    EXPECT_FALSE(parseRate(bad)) << bad;
  }
}

TEST(RateLimiter, CountsByAddressProjectAndAction) {
  ManualClock clock(1000);
  LocalRateLimiter limiter({2, 60}, clock);
  EXPECT_TRUE(limiter.take("203.0.113.1", "proj_1", "login"));
  const Allowance last = limiter.take("203.0.113.1", "proj_1", "login");
  EXPECT_TRUE(last);
  EXPECT_EQ(last.remaining, 0);
  EXPECT_EQ(last.resetSeconds, 60);
  EXPECT_EQ(last.rate.requests, 2);
  const auto refused = limiter.take("203.0.113.1", "proj_1", "login");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().code(), ErrorCode::rateLimited);
  EXPECT_EQ(refused.refusal().retryAfterSeconds(), 60);
  EXPECT_TRUE(limiter.take("203.0.113.2", "proj_1", "login"));
  EXPECT_TRUE(limiter.take("203.0.113.1", "proj_2", "login"));
  EXPECT_TRUE(limiter.take("203.0.113.1", "proj_1", "register"));
}

TEST(RateLimiter, TheWindowEndsWhenItSays) {
  ManualClock clock(1000);
  LocalRateLimiter limiter({1, 60}, clock);
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
  clock.advance(59'500);
  const auto refused = limiter.take("203.0.113.1", "p", "login");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().retryAfterSeconds(), 1);
  clock.advance(500);
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
  EXPECT_FALSE(limiter.take("203.0.113.1", "p", "login"));
}

TEST(RateLimiter, AClockThatWentBackLocksNoClientOut) {
  ManualClock clock(10'000'000);
  LocalRateLimiter limiter({1, 60}, clock);
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
  clock.set(1000);
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
}

TEST(RateLimiter, RemembersABoundedNumber) {
  ManualClock clock(1000);
  LocalRateLimiter limiter({1, 60}, clock);
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
  for (int i = 0; i < 70'000; ++i) ASSERT_TRUE(limiter.take("198.51.100.1", std::to_string(i), "login"));
  EXPECT_TRUE(limiter.take("203.0.113.1", "p", "login"));
}

TEST(LimitedAddress, Ipv6CountsAsItsNetwork) {
  EXPECT_EQ(limitedAddress("203.0.113.1"), "203.0.113.1");
  EXPECT_EQ(limitedAddress("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(limitedAddress("2001:db8:1:2::ffff"), limitedAddress("2001:db8:1:2::1"));
  EXPECT_NE(limitedAddress("2001:db8:1:3::1"), limitedAddress("2001:db8:1:2::1"));
  EXPECT_EQ(limitedAddress("::ffff:203.0.113.1"), "203.0.113.1");
  EXPECT_EQ(limitedAddress("no address"), "no address");
}

}  // namespace
}  // namespace mb::identity
