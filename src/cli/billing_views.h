// Responses of a server's billing routes, and their text for people.
#pragma once

#include "cli/limit_arguments.h"
#include "document/shape.h"

namespace mb::cli {

struct BilledPlan {
  std::string slug;
  std::string name;
  double priceUsdMonthly = 0;
  std::optional<plans::Limits> limits = {};
  std::optional<bool> grandfather = {};
  static constexpr auto shape() {
    return doc::shape<BilledPlan>(
        "BilledPlan", doc::field("slug", &BilledPlan::slug), doc::field("name", &BilledPlan::name),
        doc::field("priceUsdMonthly", &BilledPlan::priceUsdMonthly), doc::field("limits", &BilledPlan::limits),
        doc::field("grandfather", &BilledPlan::grandfather));
  }
};
struct BilledPlans {
  std::vector<BilledPlan> plans;
  static constexpr auto shape() {
    return doc::shape<BilledPlans>("BilledPlans", doc::field("plans", &BilledPlans::plans));
  }
};

struct BilledSubscription {
  std::string status;
  std::string plan;
  doc::Nullable<std::string> currentPeriodEnd;
  bool cancelAtPeriodEnd = false;
  static constexpr auto shape() {
    return doc::shape<BilledSubscription>("BilledSubscription", doc::field("status", &BilledSubscription::status),
                                          doc::field("plan", &BilledSubscription::plan),
                                          doc::field("currentPeriodEnd", &BilledSubscription::currentPeriodEnd),
                                          doc::field("cancelAtPeriodEnd", &BilledSubscription::cancelAtPeriodEnd));
  }
};

struct BilledProject {
  std::string id;
  std::string name;
  plans::ProjectUsage usage;
  static constexpr auto shape() {
    return doc::shape<BilledProject>("BilledProject", doc::field("id", &BilledProject::id),
                                     doc::field("name", &BilledProject::name),
                                     doc::field("usage", &BilledProject::usage));
  }
};

// GET /control/billing
struct BilledAccount {
  BilledPlan plan;
  plans::Limits limits;
  doc::Nullable<BilledSubscription> subscription;
  std::string source;  // free, subscription, grant
  std::vector<BilledProject> projects;
  static constexpr auto shape() {
    return doc::shape<BilledAccount>(
        "BilledAccount", doc::field("plan", &BilledAccount::plan), doc::field("limits", &BilledAccount::limits),
        doc::field("subscription", &BilledAccount::subscription), doc::field("source", &BilledAccount::source),
        doc::field("projects", &BilledAccount::projects));
  }
};

// GET /admin/usage; all are empty without billing.
struct ProjectPlan {
  doc::Nullable<std::string> plan;
  doc::Nullable<plans::Limits> limits;
  doc::Nullable<plans::ProjectUsage> usage;
  static constexpr auto shape() {
    return doc::shape<ProjectPlan>("ProjectPlan", doc::field("plan", &ProjectPlan::plan),
                                   doc::field("limits", &ProjectPlan::limits),
                                   doc::field("usage", &ProjectPlan::usage));
  }
  bool billed() const { return plan.value && limits.value && usage.value; }
};

struct CostRow {
  std::string id;
  std::string name;
  doc::Nullable<std::string> ownerId;
  double cost = 0;
  double price = 0;
  static constexpr auto shape() {
    return doc::shape<CostRow>("CostRow", doc::field("id", &CostRow::id), doc::field("name", &CostRow::name),
                               doc::field("ownerId", &CostRow::ownerId), doc::field("cost", &CostRow::cost),
                               doc::field("price", &CostRow::price));
  }
};
// GET /control/admin/costs
struct CostTable {
  std::string currency;
  std::vector<CostRow> projects;
  double total = 0;
  static constexpr auto shape() {
    return doc::shape<CostTable>("CostTable", doc::field("currency", &CostTable::currency),
                                 doc::field("projects", &CostTable::projects), doc::field("total", &CostTable::total));
  }
};

// The plan, the subscription, and a table of the projects with their use.
std::string textOf(const BilledAccount& account);
// A line for each limit: "vectors  12 of 50,000". REQUIRES: billed().
std::string textOf(const ProjectPlan& project);
// A line for each plan.
std::string textOf(const BilledPlans& plans);
// A line for each project, and the total.
std::string textOf(const CostTable& costs);

}  // namespace mb::cli
