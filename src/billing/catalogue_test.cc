#include "billing/catalogue.h"

#include <gtest/gtest.h>

#include "billing/plan_types.h"

namespace mb::billing {
namespace {

using plans::Limit;

Subscription paying(std::string plan, int64_t appliedAt, std::string status = "active") {
  return {.id = "sub_1",
          .status = std::move(status),
          .plan = std::move(plan),
          .currentPeriodEnd = {},
          .cancelAtPeriodEnd = false,
          .changedAt = {appliedAt},
          .appliedAt = {appliedAt}};
}

struct InForce {
  std::string source;
  std::string slug;
  bool operator==(const InForce&) const = default;
};
void PrintTo(const InForce& plan, std::ostream* out) {
  *out << plan.source << " " << plan.slug;
}

InForce of(const AccountRecord& account, const Catalogue& catalogue = Catalogue()) {
  const AccountPlan plan = planInForce(catalogue, &account);
  return {std::string(nameOf(plan.source)), plan.plan.slug};
}

AccountRecord accountOf(std::optional<Grant> grant, std::optional<Subscription> subscription) {
  return {.id = "user_1", .grant = std::move(grant), .subscription = std::move(subscription)};
}

TEST(Catalogue, HoldsThePlansOfTheCodeInAscendingPrice) {
  const Catalogue catalogue;
  EXPECT_EQ(planSlugs(), (std::vector<std::string>{"free", "pro", "scale"}));
  EXPECT_EQ(catalogue.free().limits.maxProjects.value, 3);
  EXPECT_EQ(catalogue.free().limits.storageBytes.value, 1'073'741'824);
  EXPECT_EQ(catalogue.find("pro")->limits.functionRunsPerMonth.value, 5'000'000);
  EXPECT_EQ(catalogue.find("scale")->limits.vectors.value, 20'000'000);
  EXPECT_EQ(catalogue.find("scale")->limits.storageBytes.value, int64_t{1} << 40);
  EXPECT_EQ(catalogue.find("gold"), nullptr);
}

TEST(Catalogue, PutsStoredPlansInPlaceOfThoseOfTheCode) {
  PlanRecord pro = *Catalogue().find("pro");
  pro.name = "Professional";
  pro.priceUsdMonthly = 300;
  PlanRecord unknown = pro;
  unknown.id = "gold";
  const Catalogue catalogue = catalogueOf({pro, unknown});
  EXPECT_EQ(catalogue.find("pro")->name, "Professional");
  EXPECT_EQ(catalogue.plans().back().id, "pro");
  EXPECT_EQ(catalogue.plans().size(), 3u);
}

TEST(PlanInForce, IsFreeWithoutAnAccountOrWithAnEmptyOne) {
  EXPECT_EQ(planInForce(Catalogue(), nullptr).plan.slug, "free");
  EXPECT_EQ(planInForce(Catalogue(), nullptr).source, Source::free);
  EXPECT_EQ(of(accountOf({}, {})), (InForce{"free", "free"}));
}

TEST(PlanInForce, CountsASubscriptionByItsStatus) {
  for (const char* counts : {"active", "trialing"}) {
    EXPECT_EQ(of(accountOf({}, paying("pro", 5, counts))), (InForce{"subscription", "pro"})) << counts;
  }
  for (const char* other : {"past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "paused", ""}) {
    EXPECT_EQ(of(accountOf({}, paying("pro", 5, other))), (InForce{"free", "free"})) << other;
  }
  EXPECT_EQ(of(accountOf({}, paying("gold", 5))), (InForce{"free", "free"}));
}

TEST(PlanInForce, IsOfWhatCameLast) {
  EXPECT_EQ(of(accountOf(Grant{"scale", {9}}, paying("pro", 5))), (InForce{"grant", "scale"}));
  EXPECT_EQ(of(accountOf(Grant{"scale", {5}}, paying("pro", 9))), (InForce{"subscription", "pro"}));
  // An event of the provider that was applied in the same millisecond.
  EXPECT_EQ(of(accountOf(Grant{"scale", {5}}, paying("pro", 5))), (InForce{"subscription", "pro"}));
  // The end of a subscription is an event too.
  EXPECT_EQ(of(accountOf(Grant{"scale", {5}}, paying("pro", 9, "canceled"))), (InForce{"free", "free"}));
  EXPECT_EQ(of(accountOf(Grant{"scale", {9}}, paying("pro", 5, "canceled"))), (InForce{"grant", "scale"}));
  EXPECT_EQ(of(accountOf(Grant{"free", {9}}, paying("pro", 5))), (InForce{"grant", "free"}));
  EXPECT_EQ(of(accountOf(Grant{"gold", {9}}, paying("pro", 5))), (InForce{"free", "free"}));
}

TEST(PlanInForce, TakesPinnedLimitsFirst) {
  AccountRecord account = accountOf(Grant{"pro", {5}}, {});
  account.pinned = {{"maxProjects", {7}}, {"vectors", {}}};
  const plans::PlanInForce plan = planInForce(Catalogue(), &account).plan;
  EXPECT_EQ(plan.max(Limit::maxProjects), 7);
  EXPECT_EQ(plan.max(Limit::vectors), std::nullopt);
  EXPECT_EQ(plan.max(Limit::realtimeConnections), 5000);
}

PlanPatch projectsOf(int64_t max, std::optional<bool> grandfather = {}) {
  PlanPatch patch;
  patch.limits.emplace();
  patch.limits->maxProjects = {doc::Patch<int64_t>::State::value, max};
  patch.grandfather = grandfather;
  return patch;
}

std::optional<int64_t> maxProjectsSince(const PlanRecord& plan, int64_t since) {
  AccountRecord account = accountOf(Grant{plan.id, {since}}, {});
  account.held = HeldPlan{plan.id, {since}};
  return planInForce(catalogueOf({plan}), &account).plan.max(Limit::maxProjects);
}

TEST(PlanInForce, LeavesHoldersOutOfAChangeThatSaysSo) {
  PlanRecord pro = *Catalogue().find("pro");
  ASSERT_TRUE(apply(pro, projectsOf(10, true), {100}));
  ASSERT_TRUE(apply(pro, projectsOf(5), {200}));  // the plan says so still
  EXPECT_EQ(maxProjectsSince(pro, 50), 20);
  EXPECT_EQ(maxProjectsSince(pro, 100), 20);  // of this millisecond, before the change
  EXPECT_EQ(maxProjectsSince(pro, 101), 10);
  EXPECT_EQ(maxProjectsSince(pro, 300), 5);
  // Holders of another plan are not holders of this one.
  AccountRecord account = accountOf(Grant{"pro", {300}}, {});
  account.held = HeldPlan{"scale", {50}};
  EXPECT_EQ(planInForce(catalogueOf({pro}), &account).plan.max(Limit::maxProjects), 5);
  account.held.reset();
  EXPECT_EQ(planInForce(catalogueOf({pro}), &account).plan.max(Limit::maxProjects), 5);
  // Pinned limits come first.
  account.held = HeldPlan{"pro", {50}};
  account.pinned = {{"maxProjects", {1}}};
  EXPECT_EQ(planInForce(catalogueOf({pro}), &account).plan.max(Limit::maxProjects), 1);
}

TEST(ApplyPlanPatch, EndsEarlierLimitsWithoutGrandfather) {
  PlanRecord pro = *Catalogue().find("pro");
  ASSERT_TRUE(apply(pro, projectsOf(10, true), {100}));
  PlanPatch name;
  name.name = "  Professional ";
  ASSERT_TRUE(apply(pro, name, {150}));
  EXPECT_EQ(pro.name, "Professional");
  EXPECT_EQ(maxProjectsSince(pro, 50), 20);
  ASSERT_TRUE(apply(pro, projectsOf(10), {160}));  // the same limits
  EXPECT_EQ(pro.earlier->size(), 1u);
  PlanPatch end;
  end.grandfather = false;
  ASSERT_TRUE(apply(pro, end, {200}));
  EXPECT_EQ(maxProjectsSince(pro, 50), 10);
  ASSERT_TRUE(apply(pro, projectsOf(4), {300}));
  EXPECT_EQ(maxProjectsSince(pro, 50), 4);
}

TEST(ApplyPlanPatch, BoundsEarlierLimits) {
  PlanRecord pro = *Catalogue().find("pro");
  for (size_t i = 0; i < kMaxEarlierLimits; ++i) {
    ASSERT_TRUE(apply(pro, projectsOf(static_cast<int64_t>(100 + i), true), {100}));
  }
  // Each later than the one before, also within one millisecond.
  EXPECT_TRUE(
      std::ranges::is_sorted(*pro.earlier, std::ranges::less_equal{}, [](const auto& one) { return one.until.ms; }));
  const Result<> past = apply(pro, projectsOf(1), {100});
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().code(), ErrorCode::conflict);
  EXPECT_TRUE(apply(pro, projectsOf(1, false), {100}));
}

TEST(CheckBodies, NameEveryProblem) {
  LimitsPatch limits;
  limits.maxProjects = {doc::Patch<int64_t>::State::value, -1};
  limits.vectors = {doc::Patch<int64_t>::State::null, 0};
  limits.storageBytes = {doc::Patch<int64_t>::State::value, kMaxLimit + 1};
  const Result<> checked = check(limits);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::validation);
  ASSERT_EQ(checked.error().details().size(), 2u);
  EXPECT_EQ(checked.error().details()[0].path, "/limits/maxProjects");
  EXPECT_EQ(checked.error().details()[1].path, "/limits/storageBytes");

  PlanPatch patch;
  patch.name = " ";
  patch.priceUsdMonthly = std::numeric_limits<double>::infinity();
  ASSERT_FALSE(check(patch));
  EXPECT_EQ(check(patch).error().details().size(), 2u);

  EXPECT_TRUE(check(CostModel()));
  CostModel model;
  model.currency = "usd";
  model.unitCosts.millionVectorsMonth = -1;
  model.margin = std::numeric_limits<double>::quiet_NaN();
  ASSERT_FALSE(check(model));
  EXPECT_EQ(check(model).error().details().size(), 3u);
  EXPECT_EQ(check(model).error().details()[1].path, "/unitCosts/millionVectorsMonth");
}

}  // namespace
}  // namespace mb::billing
