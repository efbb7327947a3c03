#include "billing/accounts.h"

#include "billing/overview.h"
#include "billing/plan_admin.h"
#include "projects/projects_fixture.h"

namespace mb::billing {
namespace {

using plans::Limit;

// Measures nothing.
class NoMeters final : public Meters {
 public:
  Task<ProjectUsage> of(projects::ProjectRecord) override { co_return ProjectUsage{}; }
  Task<std::vector<ProjectUsage>> ofAll(std::vector<projects::ProjectRecord> all) override {
    co_return std::vector<ProjectUsage>(all.size());
  }
};

class AccountsTest : public projects::ProjectsFixture {
 protected:
  AccountsTest() : ProjectsFixture(false, 1, systemCollections()) {
    planSlot_ = snapshots_.addSlot<plans::PlanInForce>(source_);
    operator_ = person("operator@example.com");
    user_ = person("ann@example.com");
  }

  plans::PlanInForce planOf(const projects::ProjectView& project) {
    const auto snapshot = run(snapshots_.find(project.id.str()));
    return (*snapshot)->get(planSlot_);
  }
  void subscribe(std::string plan, std::string status = "active") {
    const auto changed = run(accounts_.change(user_.id, soon(), {}, [&](AccountRecord& account) -> Result<bool> {
      account.customer = "cus_1";
      account.subscription = Subscription{"sub_1", status, plan, {}, false, clock_.now(), clock_.now()};
      return true;
    }));
    EXPECT_TRUE(changed) << changed.error().message();
  }
  std::string planOfUser() {
    const auto user = run(identity_.users().get(identity::Realm::platform(), UserId(user_.id)));
    return (*user)->plan.value_or("");
  }
  static LimitsPatch projectsPatch(int64_t max) {
    LimitsPatch limits;
    limits.maxProjects = {doc::Patch<int64_t>::State::value, max};
    return limits;
  }
  static PlanPatch planPatch(int64_t max, bool grandfather) {
    PlanPatch patch;
    patch.limits = projectsPatch(max);
    patch.grandfather = grandfather;
    return patch;
  }
  AccountPlan ofUser() { return *run(accounts_.planOf(user_.id)); }

  Accounts accounts_{{store_, clock_, auditor_}};
  PlanSource source_{store_, accounts_};
  plans::PlanSlot planSlot_;
  PlanAdmin admin_{{store_, accounts_, clock_, auditor_}};
  NoMeters meters_;
  Overview overview_{store_, accounts_, meters_};
  policy::Caller operator_;
  policy::Caller user_;
};

TEST_F(AccountsTest, AChangeIsSeenByEachProjectOfTheAccount) {
  const auto shop = made(user_);
  const auto staging = environment(user_, shop, "staging");
  const auto other = made(operator_, "Other");
  EXPECT_EQ(planOf(shop).slug, "free");
  EXPECT_EQ(planOf(staging).max(Limit::maxProjects), 3);
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  EXPECT_EQ(planOf(shop).slug, "pro");
  EXPECT_EQ(planOf(staging).slug, "pro");
  EXPECT_EQ(planOf(other).slug, "free");
  EXPECT_EQ(planOfUser(), "pro");
  EXPECT_EQ(run(accounts_.paidBy(user_.id))->size(), 2u);
  ASSERT_TRUE(run(admin_.pin(by(operator_), user_.id, projectsPatch(8))));
  EXPECT_EQ(planOf(staging).max(Limit::maxProjects), 8);
  ASSERT_TRUE(run(admin_.unpin(by(operator_), user_.id)));
  EXPECT_EQ(planOf(staging).max(Limit::maxProjects), 20);
}

TEST_F(AccountsTest, DeletedProjectsAreNotPaidFor) {
  const auto shop = made(user_);
  ASSERT_TRUE(run(projects_->remove(by(user_), shop.id.str())));
  EXPECT_TRUE(run(accounts_.paidBy(user_.id))->empty());
  EXPECT_TRUE(run(overview_.of(user_.id))->projects.empty());
}

TEST_F(AccountsTest, APayerWhoIsNotAnOwnerPaysForNothing) {
  const auto shop = made(user_);
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  const auto bob = person("bob@example.com");
  join(user_, shop, bob, "Owner");
  EXPECT_EQ(planOf(shop).slug, "pro");
  ASSERT_TRUE(run(members_->changeRole(by(bob), shop.id.str(), user_.id, "Editor")));
  EXPECT_EQ(planOf(shop).slug, "free");
  EXPECT_TRUE(run(overview_.of(user_.id))->projects.empty());
  ASSERT_TRUE(run(members_->changeRole(by(bob), shop.id.str(), user_.id, "Owner")));
  EXPECT_EQ(planOf(shop).slug, "pro");
}

TEST_F(AccountsTest, WhatCameLastDecidesWhateverTheClockDoes) {
  clock_.advance(60'000);
  subscribe("pro");
  EXPECT_EQ(ofUser().source, Source::subscription);
  clock_.advance(-30'000);
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "scale")));
  EXPECT_EQ(ofUser().source, Source::grant);
  EXPECT_EQ(planOfUser(), "scale");
  clock_.advance(-20'000);
  subscribe("pro", "trialing");
  EXPECT_EQ(ofUser().source, Source::subscription);
  EXPECT_EQ(planOfUser(), "pro");
  subscribe("pro", "canceled");
  EXPECT_EQ(ofUser().source, Source::free);
  EXPECT_EQ(planOfUser(), "free");
}

TEST_F(AccountsTest, GrantingFreeEndsAGrantAndOverridesASubscription) {
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "free")));
  EXPECT_EQ(ofUser().source, Source::free);
  EXPECT_FALSE((*run(accounts_.find(user_.id)))->grant);
  subscribe("pro");
  clock_.advance(1000);
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "free")));
  EXPECT_EQ(ofUser().source, Source::grant);
  EXPECT_EQ(ofUser().plan.slug, "free");
  EXPECT_EQ(planOfUser(), "free");
}

TEST_F(AccountsTest, OperatorsAreRefusedWhatDoesNotExist) {
  EXPECT_EQ(codeOf(run(admin_.grant(by(operator_), user_.id, "gold"))), "VALIDATION");
  for (const char* id : {"user_00000000000000000000", "user_1", "", "..", "org_00000000000000000000"}) {
    EXPECT_EQ(codeOf(run(admin_.grant(by(operator_), id, "pro"))), "NOT_FOUND") << id;
    EXPECT_EQ(codeOf(run(admin_.unpin(by(operator_), id))), "NOT_FOUND") << id;
  }
  EXPECT_EQ(codeOf(run(admin_.changePlan(by(operator_), "gold", planPatch(1, false)))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(admin_.pin(by(operator_), user_.id, projectsPatch(-1)))), "VALIDATION");
  EXPECT_FALSE(*run(accounts_.find(user_.id)));
}

TEST_F(AccountsTest, ACommitChecksThatTheCallerIsAnOperator) {
  EXPECT_EQ(codeOf(run(admin_.grant(by(user_), user_.id, "pro"))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(admin_.changePlan(by(user_), "pro", planPatch(1, false)))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(admin_.setCostModel(by(user_), {}))), "FORBIDDEN");
  EXPECT_EQ(ofUser().plan.slug, "free");
  EXPECT_EQ((*run(admin_.plans()))[1].limits.maxProjects.value, 20);
}

TEST_F(AccountsTest, EachChangeIsAuditedAndOneWithoutEffectIsNot) {
  const size_t before = auditActions(store::kControlProject).size();
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  ASSERT_TRUE(run(admin_.pin(by(operator_), user_.id, projectsPatch(8))));
  ASSERT_TRUE(run(admin_.unpin(by(operator_), user_.id)));
  ASSERT_TRUE(run(admin_.unpin(by(operator_), user_.id)));
  ASSERT_TRUE(run(admin_.changePlan(by(operator_), "pro", planPatch(5, false))));
  ASSERT_TRUE(run(admin_.setCostModel(by(operator_), {})));
  const std::vector<std::string> all = auditActions(store::kControlProject);
  EXPECT_EQ(std::multiset<std::string>(all.end() - static_cast<std::ptrdiff_t>(all.size() - before), all.end()),
            (std::multiset<std::string>{"plan.granted", "limits.pinned", "limits.cleared", "plan.changed",
                                        "costModel.changed"}));
}

TEST_F(AccountsTest, AChangeOfAPlanIsSeenByEveryProject) {
  const auto shop = made(user_);
  EXPECT_EQ(planOf(shop).max(Limit::maxProjects), 3);
  ASSERT_TRUE(run(admin_.changePlan(by(operator_), "free", planPatch(9, false))));
  EXPECT_EQ(planOf(shop).max(Limit::maxProjects), 9);
  EXPECT_EQ((*run(admin_.plans())).front().limits.maxProjects.value, 9);
}

TEST_F(AccountsTest, PresentHoldersKeepTheirLimitsAlsoWithoutARecord) {
  const auto shop = made(user_);
  clock_.advance(1000);
  ASSERT_TRUE(run(admin_.changePlan(by(operator_), "free", planPatch(1, true))));
  clock_.advance(1000);
  const auto late = person("late@example.com");
  EXPECT_EQ(planOf(shop).max(Limit::maxProjects), 3);
  EXPECT_EQ(run(accounts_.planOf(late.id))->plan.max(Limit::maxProjects), 1);
  // A record keeps the date; the plan free that begins again does not.
  ASSERT_TRUE(run(admin_.pin(by(operator_), user_.id, LimitsPatch{.vectors = {doc::Patch<int64_t>::State::null, 0}})));
  EXPECT_EQ(planOf(shop).max(Limit::maxProjects), 3);
  EXPECT_EQ(planOf(shop).max(Limit::vectors), std::nullopt);
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "pro")));
  ASSERT_TRUE(run(admin_.grant(by(operator_), user_.id, "free")));
  EXPECT_EQ(planOf(shop).max(Limit::maxProjects), 1);
}

TEST_F(AccountsTest, AnOverviewHasPlanSubscriptionAndProjects) {
  const auto shop = made(user_);
  const auto staging = environment(user_, shop, "staging");
  subscribe("pro");
  const auto view = run(overview_.of(user_.id));
  ASSERT_TRUE(view) << view.error().message();
  EXPECT_EQ(view->plan.slug, "pro");
  EXPECT_EQ(view->plan.priceUsdMonthly, 25);
  EXPECT_EQ(view->source, "subscription");
  EXPECT_EQ(view->subscription.value->status, "active");
  ASSERT_EQ(view->projects.size(), 2u);
  EXPECT_EQ(view->projects[0].id, shop.id.str());
  EXPECT_EQ(view->projects[1].id, staging.id.str());
  EXPECT_EQ(view->plans.size(), 3u);
  EXPECT_FALSE(view->plans[0].grandfather);
}

TEST_F(AccountsTest, ACustomerLeadsToItsAccount) {
  subscribe("pro");
  EXPECT_EQ((*run(accounts_.ofCustomer("cus_1")))->id, user_.id);
  EXPECT_FALSE(*run(accounts_.ofCustomer("cus_2")));
}

TEST_F(AccountsTest, TheCostModelHasDefaultsAndIsSetWhole) {
  EXPECT_EQ(run(admin_.costModel())->currency, "USD");
  CostModel model;
  model.currency = "EUR";
  model.margin = 0.5;
  ASSERT_TRUE(run(admin_.setCostModel(by(operator_), model)));
  EXPECT_EQ(run(admin_.costModel())->currency, "EUR");
  EXPECT_EQ(run(admin_.costModel())->margin, 0.5);
}

}  // namespace
}  // namespace mb::billing
