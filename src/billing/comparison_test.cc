#include <gmock/gmock.h>

#include "billing/provider_fixture.h"

namespace mb::billing {
namespace {

class ComparisonTest : public ProviderFixture {
 protected:
  void sell(Sold sold, const std::string& subscription = "sub_1") {
    if (sold.customer.empty()) sold.customer = "cus_ann";
    payments_.sell(subscription, std::move(sold));
  }
  void applied(const std::string& id, const std::string& subscription = "sub_1") {
    const auto taken = takeBody(subscriptionEvent(id, subscription, payments_.sold(subscription), kNow));
    EXPECT_TRUE(taken && *taken);
  }
  void compare() {
    const auto done = run(events_.compare(soon()));
    EXPECT_TRUE(done) << done.error().message();
  }
  const policy::Caller ann_ = user("user_ann");
};

TEST_F(ComparisonTest, RepairsWhatALostEventLeft) {
  sell({.userId = "user_ann"});
  compare();
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
  sell({.userId = "user_ann", .plan = "scale"});
  compare();
  EXPECT_EQ(planOf("user_ann"), "subscription scale");
  sell({.userId = "user_ann", .status = "canceled", .plan = "scale"});
  compare();
  EXPECT_EQ(planOf("user_ann"), "free free");
  EXPECT_EQ(auditTexts().size(), 3U);
}

TEST_F(ComparisonTest, WithoutADifferenceNothingIsFetchedNorWritten) {
  for (int i = 0; i < 250; ++i) {
    const std::string name = fmt::format("{:03}", i);
    user("user_" + name);
    sell({.customer = "cus_" + name, .userId = "user_" + name}, "sub_" + name);
  }
  compare();
  EXPECT_EQ(payments_.count("/v1/subscriptions/"), 250U);
  const size_t writes = store_.writes();
  compare();
  EXPECT_EQ(payments_.count("/v1/subscriptions/"), 250U);
  EXPECT_EQ(payments_.count("/v1/subscriptions?"), 6U);
  EXPECT_EQ(store_.writes(), writes);
}

TEST_F(ComparisonTest, WhatTheProviderNoLongerHasIsCanceled) {
  sell({.userId = "user_ann"});
  applied("evt_1");
  payments_.forget("sub_1");
  compare();
  EXPECT_EQ(subscriptionOfUser("user_ann"), "canceled pro");
  EXPECT_EQ(planOf("user_ann"), "free free");
}

TEST_F(ComparisonTest, AnotherSubscriptionTakesThePlaceOfOneThatEnded) {
  sell({.userId = "user_ann", .created = kNow - 100});
  sell({.userId = "user_ann", .plan = "scale", .created = kNow - 50}, "sub_2");
  compare();
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active scale");
  sell({.userId = "user_ann", .status = "canceled", .plan = "scale", .created = kNow - 50}, "sub_2");
  applied("evt_1", "sub_2");
  EXPECT_EQ(planOf("user_ann"), "free free");
  compare();
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
}

TEST_F(ComparisonTest, AGrantStaysWhereTheProviderChangedNothing) {
  sell({.userId = "user_ann", .created = kNow - 100});
  applied("evt_1");
  clock_.advance(1000);
  grant("user_ann", "scale");
  compare();
  EXPECT_EQ(planOf("user_ann"), "grant scale");
  // The event of a cancellation before the grant was lost.
  sell({.userId = "user_ann", .status = "canceled", .created = kNow - 100, .canceledAt = kNow - 10});
  compare();
  EXPECT_EQ(planOf("user_ann"), "grant scale");
  payments_.forget("sub_1");
  compare();
  EXPECT_EQ(planOf("user_ann"), "grant scale");
}

TEST_F(ComparisonTest, AGrantEndsWhereTheProviderChangedSomethingSince) {
  const auto granted = [this](const std::string& name, Sold before, Sold after) {
    user("user_" + name);
    before.userId = after.userId = "user_" + name;
    before.customer = after.customer = "cus_" + name;
    sell(before, "sub_" + name);
    applied("evt_" + name, "sub_" + name);
    clock_.advance(1000);
    grant("user_" + name, "scale");
    sell(after, "sub_" + name);
    compare();
    return planOf("user_" + name);
  };
  EXPECT_EQ(granted("canceled", {.created = kNow - 100},
                    {.status = "canceled", .created = kNow - 100, .canceledAt = kNow + 600}),
            "free free");
  EXPECT_EQ(granted("renewed", {.status = "past_due", .created = kNow - 100}, {.created = kNow - 100}),
            "subscription pro");
  EXPECT_EQ(granted("smaller", {.plan = "scale", .created = kNow - 100}, {.created = kNow - 100}), "subscription pro");
}

TEST_F(ComparisonTest, ASubscriptionFromBeforeAGrantThatWasNeverKnownStaysOut) {
  grant("user_ann", "scale");
  sell({.userId = "user_ann", .created = kNow - 100});
  compare();
  EXPECT_EQ(planOf("user_ann"), "grant scale");
  sell({.userId = "user_ann", .created = kNow + 100}, "sub_2");
  compare();
  EXPECT_EQ(planOf("user_ann"), "subscription pro");
}

TEST_F(ComparisonTest, KeptEventsAreAppliedOnceTheUserIsKnown) {
  sell({.userId = "user_bob"});
  const auto taken = takeBody(subscriptionEvent("evt_1", "sub_1", payments_.sold("sub_1"), kNow));
  EXPECT_TRUE(taken && !*taken);
  compare();
  ASSERT_EQ(eventRecords().size(), 1U);
  EXPECT_FALSE(eventRecords()[0].applied);
  user("user_bob");
  compare();
  EXPECT_TRUE(eventRecords()[0].applied);
  EXPECT_EQ(planOf("user_bob"), "subscription pro");
}

TEST_F(ComparisonTest, FailsWithTheProviderAndChangesNothing) {
  sell({.userId = "user_ann"});
  applied("evt_1");
  payments_.failWith(ErrorCode::upstreamTimeout);
  EXPECT_EQ(codeOf(run(events_.compare(soon()))), "UPSTREAM_FAILED");
  payments_.failWith(std::nullopt);
  payments_.respondWith(outbound::Response{200, {}, R"({"data":[{"id":"sub_2"}]})", ""});
  EXPECT_EQ(codeOf(run(events_.compare(soon()))), "UPSTREAM_FAILED");
  EXPECT_EQ(subscriptionOfUser("user_ann"), "active pro");
  payments_.respondWith(std::nullopt);
  EXPECT_EQ(codeOf(run(events_.compare(std::chrono::steady_clock::now()))), "UNAVAILABLE");
}

TEST_F(ComparisonTest, RunsAtTheStartAndOnceADay) {
  queue_.start();
  ASSERT_TRUE(run(events_.start()));
  ASSERT_TRUE(run(events_.start()));
  const auto runs = [this](size_t count) {
    for (int i = 0; i < 20'000 && payments_.count("/v1/subscriptions?") < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return payments_.count("/v1/subscriptions?");
  };
  EXPECT_EQ(runs(1), 1U);
  EXPECT_EQ(store_.all({store::kControlProject, jobs::kJobs, 0}).size(), 1U);
  const auto isDueTomorrow = [this] {
    const auto rows = store_.all({store::kControlProject, jobs::kJobs, 0});
    const auto due = rows.at(0).view().find("dueAt");
    return due && due->type() == doc::BsonType::date && due->asDate() > clock_.now();
  };
  for (int i = 0; i < 20'000 && !isDueTomorrow(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(isDueTomorrow());
  clock_.advance(24LL * 3'600'000);
  queue_.wake();
  EXPECT_EQ(runs(2), 2U);
}

}  // namespace
}  // namespace mb::billing
