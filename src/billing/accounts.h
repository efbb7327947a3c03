// The accounts of platform users: which plan is in force for them and for their projects. Each change of one bumps the
// epochs of all projects that it pays for, in its commit, so that the next request of each sees it.
#pragma once

#include <functional>

#include "billing/catalogue.h"
#include "projects/projects.h"

namespace mb::billing {

// References outlive it.
struct AccountsDeps {
  store::DocumentStore& store;
  const Clock& clock;
  audit::Auditor& auditor;
};

// Any core.
class Accounts {
 public:
  explicit Accounts(AccountsDeps deps) : deps_(deps) {}

  // nullopt for a user without a record.
  Task<std::optional<AccountRecord>> find(std::string userId);
  Task<std::optional<AccountRecord>> ofCustomer(std::string customer);
  Task<AccountPlan> planOf(std::string userId);

  // The projects, environments included, of the user's personal organization that are not deleted.
  Task<std::vector<store::ProjectNo>> paidBy(std::string userId);

  // Changes the account under its lock and bumps the epochs of the projects that it pays for. The mutation runs in a
  // write callback: const, may run again; it returns whether anything changes. `entries` are the audit entries.
  using Mutation = std::function<Result<bool>(AccountRecord&)>;
  // True if the mutation changed it.
  Task<bool> change(std::string userId, store::Deadline deadline, std::vector<store::Insert> entries, Mutation mutation);

 private:
  const AccountsDeps deps_;
};

// Fills the slot plans::PlanInForce of a project: the plan of the owner of the organization that its root project
// belongs to, while that user is an Owner of the root; else the plan free, without anything pinned.
class PlanSource final : public snapshot::SlotSource {
 public:
  PlanSource(store::DocumentStore& store, Accounts& accounts) : store_(store), accounts_(accounts) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
  Accounts& accounts_;
};

}  // namespace mb::billing
