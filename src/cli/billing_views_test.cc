#include "cli/billing_views.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::cli {
namespace {

template <class T>
T read(std::string_view json) {
  return *doc::decode<T>(*doc::parseJson(json), doc::UnknownFields::ignore);
}

constexpr std::string_view kAccount = R"({
    "plan": {"slug": "pro", "name": "Pro", "priceUsdMonthly": 25},
    "limits": {"maxProjects": 20, "storageBytes": 53687091200, "functionRunsPerMonth": 5000000, "vectors": null,
               "realtimeConnections": 5000, "environmentsPerProject": 5},
    "subscription": {"status": "active", "plan": "pro", "currentPeriodEnd": "2026-12-27T10:00:00.000Z",
                     "cancelAtPeriodEnd": false},
    "source": "subscription",
    "projects": [{"id": "proj_1", "name": "Shop", "usage": {"storageBytes": 1536, "functionRuns": 1200, "vectors": 7,
                  "realtimeConnections": 0, "projects": 2, "environments": 1}}],
    "plans": []})";

TEST(BillingViews, ShowAnAccount) {
  auto account = read<BilledAccount>(kAccount);
  EXPECT_EQ(textOf(account),
            "plan          Pro (pro), 25 USD a month, by a subscription\n"
            "subscription  active (pro), paid until 2026-12-27\n"
            "projects      2 of 20\n"
            "\n"
            "project          storageBytes  functionRunsPerMonth  vectors    realtimeConnections  "
            "environmentsPerProject\n"
            "(limit of each)  50.0 GiB      5,000,000             unlimited  5,000                5\n"
            "Shop             1.5 KiB       1,200                 7          0                    1\n");
  account.subscription.value->cancelAtPeriodEnd = true;
  EXPECT_NE(textOf(account).find("active (pro), ends 2026-12-27\n"), std::string::npos);
  account.subscription.value->currentPeriodEnd.value.reset();
  EXPECT_NE(textOf(account).find("active (pro)\n"), std::string::npos);
  account.subscription.value.reset();
  account.source = "grant";
  account.projects.clear();
  const std::string text = textOf(account);
  EXPECT_NE(text.find("a month, granted by an operator\nsubscription  none\n"), std::string::npos) << text;
  EXPECT_NE(text.find("projects      none (at most 20)\n"), std::string::npos) << text;
}

TEST(BillingViews, ShowTheUseOfAProject) {
  EXPECT_FALSE(read<ProjectPlan>(R"({"plan": null, "limits": null, "usage": null})").billed());
  const auto project = read<ProjectPlan>(R"({"plan": "free",
      "limits": {"maxProjects": 3, "storageBytes": 1073741824, "functionRunsPerMonth": 100000, "vectors": null,
                 "realtimeConnections": 100, "environmentsPerProject": 2},
      "usage": {"storageBytes": 12, "functionRuns": 1, "vectors": 5, "realtimeConnections": 0, "projects": 3,
                "environments": 0}})");
  ASSERT_TRUE(project.billed());
  EXPECT_EQ(textOf(project),
            "plan                    free\n"
            "maxProjects             3 of 3\n"
            "storageBytes            12 B of 1.0 GiB\n"
            "functionRunsPerMonth    1 of 100,000\n"
            "vectors                 5 (unlimited)\n"
            "realtimeConnections     0 of 100\n"
            "environmentsPerProject  0 of 2\n");
}

TEST(BillingViews, ShowPlansAndCosts) {
  const auto plans = read<BilledPlans>(R"({"plans": [{"slug": "free", "name": "Free", "priceUsdMonthly": 0,
      "limits": {"maxProjects": 3, "storageBytes": 1024, "functionRunsPerMonth": 1, "vectors": 2,
                 "realtimeConnections": 4, "environmentsPerProject": null}, "grandfather": true}]})");
  EXPECT_EQ(textOf(plans),
            "plan  name  USD a month  maxProjects  storageBytes  functionRunsPerMonth  vectors  realtimeConnections  "
            "environmentsPerProject  grandfather\n"
            "free  Free  0            3            1.0 KiB       1                     2        4                    "
            "unlimited               on\n");
  const auto costs = read<CostTable>(R"({"currency": "EUR", "total": 1.5, "projects": [
      {"id": "proj_1", "name": "Shop", "ownerId": "user_1", "units": {}, "cost": 1.25, "price": 1.5},
      {"id": "proj_2", "name": "Blog", "ownerId": null, "units": {}, "cost": 0, "price": 0}]})");
  EXPECT_EQ(textOf(costs),
            "project  name  owner   cost      price\n"
            "proj_1   Shop  user_1  1.250000  1.500000\n"
            "proj_2   Blog  -       0.000000  0.000000\n"
            "total 1.500000 EUR\n");
}

}  // namespace
}  // namespace mb::cli
