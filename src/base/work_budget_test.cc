#include "base/work_budget.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

TEST(WorkBudget, FailsOnceMoreIsChargedThanGiven) {
  const WorkBudget budget(100);
  EXPECT_TRUE(WorkBudget::charge(100));
  EXPECT_TRUE(budget.check());
  EXPECT_FALSE(WorkBudget::charge(1));
  EXPECT_FALSE(WorkBudget::charge(0));
  EXPECT_EQ(budget.check().error().code(), ErrorCode::queryTooCostly);
  EXPECT_EQ(budget.spent(), 101);
}

TEST(WorkBudget, AnInnerOneHasNoMoreThanTheOuterHasLeftAndIsChargedToIt) {
  const WorkBudget outer(100);
  {
    const WorkBudget inner(60);
    EXPECT_FALSE(WorkBudget::charge(70));
  }
  EXPECT_TRUE(outer.check());
  EXPECT_EQ(outer.spent(), 70);
  {
    const WorkBudget inner(60);
    EXPECT_FALSE(WorkBudget::affords(31));
    EXPECT_FALSE(WorkBudget::charge(31));
  }
  EXPECT_FALSE(outer.check());
}

TEST(WorkBudget, WithoutOneNothingIsRefused) {
  EXPECT_FALSE(WorkBudget::isLimited());
  EXPECT_TRUE(WorkBudget::charge(int64_t{1} << 50));
  WorkBudget::exhaust();
  EXPECT_FALSE(WorkBudget::exceeded());
  const WorkBudget budget(1);
  WorkBudget::exhaust();
  EXPECT_TRUE(WorkBudget::exceeded());
}

}  // namespace
}  // namespace mb
