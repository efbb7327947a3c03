// Stored records of billing. All are in the control project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plans/plans.h"
#include "store/store.h"

namespace mb::billing {

// Numbers 150 to 159 of the system collections belong to this module.
inline constexpr store::CollectionNo kPlans = 150;       // PlanRecord
inline constexpr store::CollectionNo kAccounts = 151;    // AccountRecord
inline constexpr store::CollectionNo kEvents = 152;      // EventRecord
inline constexpr store::CollectionNo kCostModel = 153;   // CostModel, one document
inline constexpr store::CollectionNo kUsageDays = 154;   // DayRecord (history.h)
inline constexpr store::CollectionNo kLimitMails = 155;  // SentMails (limit_mails.h)
std::vector<store::SystemCollection> systemCollections();

// The limits of a plan before a change that left its holders out: those of the users who hold it since before `until`.
struct EarlierLimits {
  Timestamp until;
  plans::Limits limits;
  static constexpr auto shape() {
    return doc::shape<EarlierLimits>("EarlierLimits", doc::field("until", &EarlierLimits::until),
                                     doc::field("limits", &EarlierLimits::limits));
  }
};
// Of a plan. At the next change of its limits an operator has to end the earlier ones first.
inline constexpr size_t kMaxEarlierLimits = 50;

// A plan of the catalogue. Those of the code (catalogue.h) that no operator changed have no record.
struct PlanRecord {
  std::string id;  // the slug
  std::string name;
  double priceUsdMonthly = 0;
  plans::Limits limits;
  bool grandfather = false;                                // a change of the limits leaves out the present holders
  std::optional<std::vector<EarlierLimits>> earlier = {};  // ascending `until`; none where `grandfather` is false
  static constexpr auto shape() {
    return doc::shape<PlanRecord>(
        "PlanRecord", doc::field("id", &PlanRecord::id), doc::field("name", &PlanRecord::name),
        doc::field("priceUsdMonthly", &PlanRecord::priceUsdMonthly), doc::field("limits", &PlanRecord::limits),
        doc::field("grandfather", &PlanRecord::grandfather), doc::field("earlier", &PlanRecord::earlier));
  }
};

// A plan that an operator granted.
struct Grant {
  std::string plan;
  Timestamp at;
  static constexpr auto shape() {
    return doc::shape<Grant>("Grant", doc::field("plan", &Grant::plan), doc::field("at", &Grant::at));
  }
};

// The subscription at the provider, as last fetched.
struct Subscription {
  std::string id;      // the provider's
  std::string status;  // the provider's: "active", "trialing", "past_due", …
  std::string plan;
  doc::Nullable<Timestamp> currentPeriodEnd;
  bool cancelAtPeriodEnd = false;
  Timestamp changedAt;  // `created` of the newest event that was applied, or of the comparison that repaired it
  Timestamp appliedAt;  // by this server's clock, for the order against a grant
  static constexpr auto shape() {
    return doc::shape<Subscription>(
        "Subscription", doc::field("id", &Subscription::id), doc::field("status", &Subscription::status),
        doc::field("plan", &Subscription::plan), doc::field("currentPeriodEnd", &Subscription::currentPeriodEnd),
        doc::field("cancelAtPeriodEnd", &Subscription::cancelAtPeriodEnd),
        doc::field("changedAt", &Subscription::changedAt), doc::field("appliedAt", &Subscription::appliedAt));
  }
  bool counts() const { return status == "active" || status == "trialing"; }
};

// A limit pinned for one user; null in `max` is unlimited.
struct PinnedLimit {
  std::string limit;  // plans::nameOf
  doc::Nullable<int64_t> max;
  static constexpr auto shape() {
    return doc::shape<PinnedLimit>("PinnedLimit", doc::field("limit", &PinnedLimit::limit),
                                   doc::field("max", &PinnedLimit::max));
  }
};

// The plan that is in force for a user, and since when: EarlierLimits of it from before then are not theirs.
struct HeldPlan {
  std::string plan;
  Timestamp since;
  static constexpr auto shape() {
    return doc::shape<HeldPlan>("HeldPlan", doc::field("plan", &HeldPlan::plan), doc::field("since", &HeldPlan::since));
  }
};

// What billing knows of a platform user; absent for one who never had a plan but the free one.
struct AccountRecord {
  std::string id;                            // the user's
  std::optional<std::string> customer = {};  // the provider's id of this customer
  std::optional<Grant> grant = {};
  std::optional<Subscription> subscription = {};
  std::optional<std::vector<PinnedLimit>> pinned = {};
  std::optional<HeldPlan> held = {};  // set by each Accounts::change()
  static constexpr auto shape() {
    return doc::shape<AccountRecord>(
        "BillingAccount", doc::field("id", &AccountRecord::id), doc::field("customer", &AccountRecord::customer),
        doc::field("grant", &AccountRecord::grant), doc::field("subscription", &AccountRecord::subscription),
        doc::field("pinned", &AccountRecord::pinned), doc::field("held", &AccountRecord::held));
  }
};

// An event of the provider: applied once by its id, kept kEventDays. One whose customer belongs to no known user waits
// with `applied` false.
struct EventRecord {
  std::string id;  // the provider's
  std::string type;
  std::string customer;
  bool applied = false;
  Timestamp receivedAt;
  static constexpr auto shape() {
    return doc::shape<EventRecord>(
        "BillingEvent", doc::field("id", &EventRecord::id), doc::field("type", &EventRecord::type),
        doc::field("customer", &EventRecord::customer), doc::field("applied", &EventRecord::applied),
        doc::field("receivedAt", &EventRecord::receivedAt));
  }
};
inline constexpr int64_t kEventDays = 90;

// An amount for each metered unit: how many a project used, or what one costs the deployment.
struct CostUnits {
  double storageGiBMonth = 0;
  double millionFunctionRuns = 0;
  double millionVectorsMonth = 0;
  double thousandConnectionHours = 0;
  static constexpr auto shape() {
    return doc::shape<CostUnits>("CostUnits", doc::field("storageGiBMonth", &CostUnits::storageGiBMonth),
                                 doc::field("millionFunctionRuns", &CostUnits::millionFunctionRuns),
                                 doc::field("millionVectorsMonth", &CostUnits::millionVectorsMonth),
                                 doc::field("thousandConnectionHours", &CostUnits::thousandConnectionHours));
  }
};

// The one document of kCostModel, under kCostModelId; without it the defaults hold.
struct CostModel {
  std::string currency = "USD";  // ISO 4217
  CostUnits unitCosts = {0.025, 0.4, 2.5, 0.05};
  double margin = 0.2;  // price = cost * (1 + margin)
  static constexpr auto shape() {
    return doc::shape<CostModel>("CostModel", doc::field("currency", &CostModel::currency),
                                 doc::field("unitCosts", &CostModel::unitCosts),
                                 doc::field("margin", &CostModel::margin));
  }
};
inline constexpr std::string_view kCostModelId = "current";

// All collections of this module are in the control project.
inline store::CollectionRef billingCollection(store::CollectionNo number) {
  return {store::kControlProject, number, 0};
}

}  // namespace mb::billing
