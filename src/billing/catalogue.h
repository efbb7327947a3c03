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
  const PlanRecord& free() const;

 private:
  std::vector<PlanRecord> plans_;
};

// The catalogue as stored now.
Task<Catalogue> readCatalogue(store::DocumentStore& store);

enum class Source : uint8_t { free, subscription, grant };
std::string_view nameOf(Source source);  // "free", "subscription", "grant"

struct AccountPlan {
  Source source = Source::free;
  plans::PlanInForce plan;
};

// THE decision which plan is in force for a user; `account` is null for one without a record. The subscription where it
// counts, or the grant, whichever came last; else free. Each limit: the pinned one, else the grandfathered one of that
// plan, else the plan's.
AccountPlan planInForce(const Catalogue& catalogue, const AccountRecord* account);

}  // namespace mb::billing
