// What users read of billing: their plan and what their projects use of it.
#pragma once

#include "billing/accounts.h"
#include "billing/plan_types.h"

namespace mb::billing {

// References outlive it. Any core.
class Overview {
 public:
  Overview(store::DocumentStore& store, Accounts& accounts, Meters& meters)
      : store_(store), accounts_(accounts), meters_(meters) {}

  // Of the user, with the projects of the user's organization, environments included, of whose root the user is an
  // Owner.
  Task<BillingView> of(std::string userId);
  // Of a project, under the plan that is in force for it.
  Task<UsageView> usageOf(snapshot::SnapshotPtr project, plans::PlanSlot plan);

 private:
  Task<std::vector<PaidProject>> projectsOf(std::string userId);

  store::DocumentStore& store_;
  Accounts& accounts_;
  Meters& meters_;
};

}  // namespace mb::billing
