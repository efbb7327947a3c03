// Bodies and responses of billing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "billing/catalogue.h"
#include "billing/usage.h"

namespace mb::billing {

// ---- request bodies

struct PlanBody {
  std::string plan;  // the slug
  static constexpr auto shape() { return doc::shape<PlanBody>("PlanBody", doc::field("plan", &PlanBody::plan)); }
};

// Some of the limits; null is unlimited.
struct LimitsPatch {
  doc::Patch<int64_t> maxProjects = {};
  doc::Patch<int64_t> storageBytes = {};
  doc::Patch<int64_t> functionRunsPerMonth = {};
  doc::Patch<int64_t> vectors = {};
  doc::Patch<int64_t> realtimeConnections = {};
  doc::Patch<int64_t> environmentsPerProject = {};

  const doc::Patch<int64_t>& at(plans::Limit limit) const;
  static constexpr auto shape() {
    return doc::shape<LimitsPatch>("PlanLimitsPatch", doc::field("maxProjects", &LimitsPatch::maxProjects),
                                   doc::field("storageBytes", &LimitsPatch::storageBytes),
                                   doc::field("functionRunsPerMonth", &LimitsPatch::functionRunsPerMonth),
                                   doc::field("vectors", &LimitsPatch::vectors),
                                   doc::field("realtimeConnections", &LimitsPatch::realtimeConnections),
                                   doc::field("environmentsPerProject", &LimitsPatch::environmentsPerProject));
  }
};

struct LimitsBody {
  LimitsPatch limits;
  static constexpr auto shape() {
    return doc::shape<LimitsBody>("LimitsBody", doc::field("limits", &LimitsBody::limits));
  }
};

// Absent fields stay as they are.
struct PlanPatch {
  std::optional<std::string> name;
  std::optional<double> priceUsdMonthly;
  std::optional<LimitsPatch> limits;
  std::optional<bool> grandfather;
  static constexpr auto shape() {
    return doc::shape<PlanPatch>(
        "PlanPatch", doc::field("name", &PlanPatch::name), doc::field("priceUsdMonthly", &PlanPatch::priceUsdMonthly),
        doc::field("limits", &PlanPatch::limits), doc::field("grandfather", &PlanPatch::grandfather));
  }
};

inline constexpr int64_t kMaxLimit = (int64_t{1} << 53) - 1;  // exact in JSON
inline constexpr double kMaxPrice = 1e9;

// Fail with validation, every problem in the details.
Result<> check(const LimitsPatch& limits);
Result<> check(const PlanPatch& patch);
Result<> check(const CostModel& model);

std::vector<PinnedLimit> pinnedOf(const LimitsPatch& limits);

// Applies a change to a plan at `now`; REQUIRES: check(). With `grandfather`, which a patch may set with it, a change
// of limits leaves out those who hold the plan then; without it no holder is left out, also of earlier changes. Fails
// with conflict where kMaxEarlierLimits would be passed.
Result<> apply(PlanRecord& plan, const PlanPatch& patch, Timestamp now);

// ---- responses

struct PlanView {
  std::string slug;
  std::string name;
  double priceUsdMonthly = 0;
  plans::Limits limits;
  std::optional<bool> grandfather = {};  // for operators
  static constexpr auto shape() {
    return doc::shape<PlanView>("Plan", doc::field("slug", &PlanView::slug), doc::field("name", &PlanView::name),
                                doc::field("priceUsdMonthly", &PlanView::priceUsdMonthly),
                                doc::field("limits", &PlanView::limits),
                                doc::field("grandfather", &PlanView::grandfather));
  }
};

struct PlanSummary {
  std::string slug;
  std::string name;
  double priceUsdMonthly = 0;
  static constexpr auto shape() {
    return doc::shape<PlanSummary>("PlanSummary", doc::field("slug", &PlanSummary::slug),
                                   doc::field("name", &PlanSummary::name),
                                   doc::field("priceUsdMonthly", &PlanSummary::priceUsdMonthly));
  }
};

struct SubscriptionView {
  std::string status;
  std::string plan;
  doc::Nullable<Timestamp> currentPeriodEnd;
  bool cancelAtPeriodEnd = false;
  static constexpr auto shape() {
    return doc::shape<SubscriptionView>("PlanSubscription", doc::field("status", &SubscriptionView::status),
                                        doc::field("plan", &SubscriptionView::plan),
                                        doc::field("currentPeriodEnd", &SubscriptionView::currentPeriodEnd),
                                        doc::field("cancelAtPeriodEnd", &SubscriptionView::cancelAtPeriodEnd));
  }
};

struct PaidProject {
  std::string id;
  std::string name;
  ProjectUsage usage;
  static constexpr auto shape() {
    return doc::shape<PaidProject>("PaidProject", doc::field("id", &PaidProject::id),
                                   doc::field("name", &PaidProject::name), doc::field("usage", &PaidProject::usage));
  }
};

struct BillingView {
  PlanSummary plan;
  plans::Limits limits;
  doc::Nullable<SubscriptionView> subscription;
  std::string source;
  std::vector<PaidProject> projects;
  std::vector<PlanView> plans;
  static constexpr auto shape() {
    return doc::shape<BillingView>(
        "Billing", doc::field("plan", &BillingView::plan), doc::field("limits", &BillingView::limits),
        doc::field("subscription", &BillingView::subscription), doc::field("source", &BillingView::source),
        doc::field("projects", &BillingView::projects), doc::field("plans", &BillingView::plans));
  }
};

// GET /admin/usage with billing.
struct UsageView {
  std::string plan;
  plans::Limits limits;
  ProjectUsage usage;
  static constexpr auto shape() {
    return doc::shape<UsageView>("Usage", doc::field("plan", &UsageView::plan),
                                 doc::field("limits", &UsageView::limits), doc::field("usage", &UsageView::usage));
  }
};

}  // namespace mb::billing
