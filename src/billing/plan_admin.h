// What operators change: plans of users, limits of users, the catalogue, the cost model. REQUIRES: the gatekeeper found
// the caller to be an operator; each commit checks again. Every change is recorded in the control plane's audit log, in
// its commit; one that changes nothing is not.
#pragma once

#include "billing/accounts.h"
#include "billing/plan_types.h"

namespace mb::billing {

// References outlive it.
struct PlanAdminDeps {
  store::DocumentStore& store;
  Accounts& accounts;
  const Clock& clock;
  audit::Auditor& auditor;
};

// Any core.
class PlanAdmin {
 public:
  explicit PlanAdmin(PlanAdminDeps deps) : deps_(deps) {}

  // Grants a plan, until a later event of the user's subscription. Granting free ends a grant; next to a subscription
  // that counts it is a grant like others. Fails with validation (the plan), notFound (the user).
  Task<> grant(projects::By by, std::string userId, std::string plan);
  // Pins limits of a user in place of those pinned before. Fails with validation, notFound.
  Task<> pin(projects::By by, std::string userId, LimitsPatch limits);
  Task<> unpin(projects::By by, std::string userId);

  // In ascending price.
  Task<std::vector<PlanView>> plans();
  // Changes a plan. The next request of every project meets the change. Fails with validation, notFound, conflict.
  Task<> changePlan(projects::By by, std::string slug, PlanPatch patch);

  Task<CostModel> costModel();
  // Fails with validation.
  Task<> setCostModel(projects::By by, CostModel model);

 private:
  Task<> changeAccount(projects::By by, std::string userId, std::string action, doc::Document details,
                       Accounts::Mutation mutation);
  std::vector<store::Insert> entry(const projects::By& by, std::string action, std::string target,
                                   doc::Document details);

  const PlanAdminDeps deps_;
};

}  // namespace mb::billing
