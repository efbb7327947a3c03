// The catalogue of plans: free, pro and scale of the code, each with the changes that operators made to it.
#pragma once

#include "billing/billing_types.h"

namespace mb::billing {

// The catalogue at one moment, in ascending price.
class Catalogue {
 public:
  // Those of the code.
  Catalogue();
  explicit Catalogue(std::vector<PlanRecord> plans) : plans_(std::move(plans)) {}

  const std::vector<PlanRecord>& plans() const { return plans_; }
  // Null for an unknown slug.
  const PlanRecord* find(std::string_view slug) const;
  // The plan of all who have no other.
  const PlanRecord& free() const;

 private:
  std::vector<PlanRecord> plans_;
};

// The catalogue as stored now.
Task<Catalogue> readCatalogue(store::DocumentStore& store);
// The plans of the code with these records in place of those of the same slug.
Catalogue catalogueOf(std::vector<PlanRecord> stored);
// The slugs, which are those of the code.
std::vector<std::string> planSlugs();

inline constexpr std::string_view kFree = "free";

enum class Source : uint8_t { free, subscription, grant };
std::string_view nameOf(Source source);  // "free", "subscription", "grant"

struct AccountPlan {
  Source source = Source::free;
  plans::PlanInForce plan;
};

// THE decision which plan is in force for a user; `account` is null for one without a record. Of grant and subscription
// the one that came last decides, a subscription only with a status that counts; one that names no plan of the
// catalogue does not count either; else free. Each limit: the pinned one, else the plan's from before a change that
// left its holders out, where the user holds the plan since before that change (`account->held`), else the plan's.
AccountPlan planInForce(const Catalogue& catalogue, const AccountRecord* account);

// The limits of the plan for a user who holds it since `since`; nullopt: without those from before a change.
const plans::Limits& limitsOf(const PlanRecord& plan, std::optional<Timestamp> since);

}  // namespace mb::billing
