#include "plans/plans.h"

#include <gtest/gtest.h>

namespace mb::plans {
namespace {

TEST(Limits, HasEachLimitUnderItsName) {
  Limits limits;
  int64_t value = 1;
  for (const Limit limit : kAllLimits) limits.at(limit) = value++;
  const doc::Document encoded = doc::encode(limits);
  value = 1;
  for (const Limit limit : kAllLimits) {
    const auto found = encoded.view().find(nameOf(limit));
    ASSERT_TRUE(found) << nameOf(limit);
    EXPECT_EQ(found->asInteger(), value++) << nameOf(limit);
  }
}

TEST(Exceeded, SaysLimitUseAndPlan) {
  const PlanInForce plan{"free", "Free", {}};
  const Error storage = exceeded(plan, Limit::storageBytes, 100, 90);
  EXPECT_EQ(storage.message(), "plan limit: storageBytes: the plan Free allows 100 bytes of files, in use are 90");
  EXPECT_EQ(meaningOf(storage.code()).status, 403);
  const Error runs = exceeded(plan, Limit::functionRunsPerMonth, 5, 5);
  EXPECT_EQ(meaningOf(runs.code()).status, 429);
  EXPECT_EQ(meaningOf(runs.code()).wire, "PLAN_LIMIT");
}

}  // namespace
}  // namespace mb::plans
