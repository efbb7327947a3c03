#include "cli/api_client.h"

#include <gtest/gtest.h>

namespace mb::cli {
namespace {

TEST(ApiClient, AdvisesOnceToTryAgain) {
  EXPECT_EQ(withRetryAdvice("too many sockets", "10"), "too many sockets; try again in 10 s");
  EXPECT_EQ(withRetryAdvice("the server is stopping", ""), "the server is stopping; try again later");
  EXPECT_EQ(withRetryAdvice("the server is busy, try again", "1"), "the server is busy, try again in 1 s");
  EXPECT_EQ(withRetryAdvice("the server is busy, try again", ""), "the server is busy, try again later");
  EXPECT_EQ(withRetryAdvice("too many requests, try again later", "7"), "too many requests, try again in 7 s");
  EXPECT_EQ(withRetryAdvice("too many requests, try again later", ""), "too many requests, try again later");
}

}  // namespace
}  // namespace mb::cli
