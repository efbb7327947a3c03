// Stored records of billing. All are in the control project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plans/plans.h"
#include "store/store.h"

namespace mb::billing {

// Numbers 150 to 159 of the system collections belong to this module.
inline constexpr store::CollectionNo kPlans = 150;      // PlanRecord
inline constexpr store::CollectionNo kAccounts = 151;   // AccountRecord
inline constexpr store::CollectionNo kEvents = 152;     // EventRecord
inline constexpr store::CollectionNo kCostModel = 153;  // CostModel, one document
std::vector<store::SystemCollection> systemCollections();

// A plan of the catalogue. Those of the code (catalogue.h) that no operator changed have no record.
struct PlanRecord {
  std::string id;  // the slug
  std::string name;
  double priceUsdMonthly = 0;
  plans::Limits limits;
  bool grandfather = false;
  static constexpr auto shape() {
    return doc::shape<PlanRecord>("PlanRecord", doc::field("id", &PlanRecord::id), doc::field("name", &PlanRecord::name),
                                  doc::field("priceUsdMonthly", &PlanRecord::priceUsdMonthly),
                                  doc::field("limits", &PlanRecord::limits),
                                  doc::field("grandfather", &PlanRecord::grandfather));
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
    return doc::shape<Subscription>("Subscription", doc::field("id", &Subscription::id),
                                    doc::field("status", &Subscription::status), doc::field("plan", &Subscription::plan),
                                    doc::field("currentPeriodEnd", &Subscription::currentPeriodEnd),
                                    doc::field("cancelAtPeriodEnd", &Subscription::cancelAtPeriodEnd),
                                    doc::field("changedAt", &Subscription::changedAt),
                                    doc::field("appliedAt", &Subscription::appliedAt));
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

// The limits of a plan from before a change that left its holders out.
struct Grandfathered {
  std::string plan;
  plans::Limits limits;
  static constexpr auto shape() {
    return doc::shape<Grandfathered>("Grandfathered", doc::field("plan", &Grandfathered::plan),
                                     doc::field("limits", &Grandfathered::limits));
  }
};

// What billing knows of a platform user; absent for one who never had a plan but the free one.
struct AccountRecord {
  std::string id;  // the user's
  std::optional<std::string> customer = {};  // the provider's id of this customer
  std::optional<Grant> grant = {};
  std::optional<Subscription> subscription = {};
  std::optional<std::vector<PinnedLimit>> pinned = {};
  std::optional<Grandfathered> grandfathered = {};
  static constexpr auto shape() {
    return doc::shape<AccountRecord>(
        "BillingAccount", doc::field("id", &AccountRecord::id), doc::field("customer", &AccountRecord::customer),
        doc::field("grant", &AccountRecord::grant), doc::field("subscription", &AccountRecord::subscription),
        doc::field("pinned", &AccountRecord::pinned), doc::field("grandfathered", &AccountRecord::grandfathered));
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
    return doc::shape<EventRecord>("BillingEvent", doc::field("id", &EventRecord::id),
                                   doc::field("type", &EventRecord::type), doc::field("customer", &EventRecord::customer),
                                   doc::field("applied", &EventRecord::applied),
                                   doc::field("receivedAt", &EventRecord::receivedAt));
  }
};
inline constexpr int64_t kEventDays = 90;

}  // namespace mb::billing
