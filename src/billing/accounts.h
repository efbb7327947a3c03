// The accounts of platform users: which plan is in force for them and for their projects. Each change of one bumps the
// epochs of all projects that it pays for, so that the next request of each sees it.
#pragma once

#include <functional>

#include "audit/audit.h"
#include "billing/catalogue.h"
#include "projects/plan_lookup.h"
#include "projects/project_quota.h"
#include "projects/projects.h"

namespace mb::billing {

// The projects whose epochs one commit bumps, at most. A change that concerns more of them bumps the first page in its
// own commit, and the rest in further commits before the call returns.
inline constexpr size_t kEpochPage = 1000;

// References outlive it.
struct AccountsDeps {
  store::DocumentStore& store;
  const Clock& clock;
  audit::Auditor& auditor;
};

// A change of one account. The mutation runs in a write callback: const, may run again; it returns whether anything
// changes.
struct AccountChange {
  std::string userId;
  store::Deadline deadline;
  store::Actor actor;
  std::vector<store::Insert> entries = {};  // of the audit log
  // A caller who has to be an operator, also in the commit: the id of the user.
  std::optional<std::string> byOperator = {};
  std::function<Result<bool>(AccountRecord&)> mutation;
};

// An account and what it is decided by, at one time.
struct AccountState {
  Catalogue catalogue;
  std::optional<AccountRecord> account;  // nullopt for a user without a record, unless free had other limits before
  AccountPlan inForce;
};

// Any core.
class Accounts {
 public:
  explicit Accounts(AccountsDeps deps) : deps_(deps) {}

  // nullopt for a user without a record.
  Task<std::optional<AccountRecord>> find(std::string userId);
  Task<std::optional<AccountRecord>> ofCustomer(std::string customer);
  Task<AccountState> stateOf(std::string userId);
  Task<AccountPlan> planOf(std::string userId);

  // The projects, environments included, of the user's personal organization that are not deleted; ascending. The user
  // may not be an Owner of all of them.
  Task<std::vector<store::ProjectNo>> paidBy(std::string userId);

  // Changes the account under its lock, keeps the user's field `plan` (identity::UserRecord) equal to the plan in
  // force, and bumps the epochs of the projects that the account pays for. A grant or subscription that is changed
  // counts as later than the other one, whatever the clock does. `entries` are the audit entries. True if the mutation
  // changed it. Fails with notFound (no such user), and with the mutation's error.
  using Mutation = std::function<Result<bool>(AccountRecord&)>;
  Task<bool> change(std::string userId, store::Deadline deadline, std::vector<store::Insert> entries,
                    Mutation mutation);
  Task<bool> change(AccountChange change);

 private:
  // A user without a record as an account that holds the plan free since the registration.
  Task<std::optional<AccountRecord>> unrecorded(std::string userId);
  // Bumps the epochs of the projects that joined the account's after `bumped` (ascending) was read, or did not fit the
  // first commit.
  Task<> bumpRest(std::string userId, std::vector<store::ProjectNo> bumped);

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

// The plans of users for projects/, which is below this module.
class AccountPlans final : public projects::PlanLookup {
 public:
  explicit AccountPlans(Accounts& accounts) : accounts_(accounts) {}
  Task<plans::PlanInForce> ofUser(std::string userId) override;

 private:
  Accounts& accounts_;
};

// In a write callback, with the stored user: fails with forbidden unless it is an active operator.
Result<> mustOperate(const std::optional<doc::Document>& user);

}  // namespace mb::billing
