#include "billing/accounts.h"

#include <algorithm>
#include <iterator>

#include "billing/project_pages.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "projects/membership_context.h"

namespace mb::billing {

namespace {

store::CollectionRef platformUsers() {
  return {store::kControlProject, identity::kUsers, 0};
}

// The stored plans of a write, which holds them.
class HeldCatalogue {
 public:
  explicit HeldCatalogue(store::Write& write) {
    for (std::string& slug : planSlugs()) targets_.push_back(write.hold(billingCollection(kPlans), std::move(slug)));
  }
  Result<Catalogue> read(const store::PreImages& before) const {
    std::vector<PlanRecord> records;
    for (const store::Target target : targets_) {
      TRY(std::optional<PlanRecord> record, store::fromStore<PlanRecord>(before[target]));
      if (record) records.push_back(*std::move(record));
    }
    return catalogueOf(std::move(records));
  }

 private:
  std::vector<store::Target> targets_;
};

bool isSame(const std::optional<Grant>& a, const std::optional<Grant>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->plan == b->plan && a->at == b->at;
}

bool wasApplied(const AccountRecord& before, const AccountRecord& after) {
  return after.subscription &&
         (!before.subscription || before.subscription->appliedAt != after.subscription->appliedAt);
}

// Of grant and subscription the one that this change sets is the later one, also if the clock was set back.
void keepOrder(const AccountRecord& before, AccountRecord& after) {
  if (!after.grant || !after.subscription) return;
  const bool granted = !isSame(before.grant, after.grant);
  const bool applied = wasApplied(before, after);
  if (granted == applied) return;
  if (granted) {
    after.grant->at.ms = std::max(after.grant->at.ms, after.subscription->appliedAt.ms + 1);
  } else {
    after.subscription->appliedAt.ms = std::max(after.subscription->appliedAt.ms, after.grant->at.ms);
  }
}

// The start of a plan that begins now: never before the plan's last change of limits.
Timestamp beginOf(const PlanRecord& plan, Timestamp now) {
  if (!plan.earlier || plan.earlier->empty()) return now;
  return std::max(now, plan.earlier->back().until);
}

struct PlanChange {
  AccountRecord account;
  std::string slug;  // of the plan in force
};

// The account after the mutation; nullopt where it changes nothing.
Result<std::optional<PlanChange>> mutated(std::optional<AccountRecord> stored, const identity::UserRecord& user,
                                          const Catalogue& catalogue, const Accounts::Mutation& mutation,
                                          Timestamp now) {
  AccountRecord before = stored ? *std::move(stored) : AccountRecord{.id = user.id.str()};
  if (!before.held) before.held = HeldPlan{std::string(kFree), user.createdAt};
  PlanChange change{before, ""};
  TRY(const bool anything, mutation(change.account));
  if (!anything) return std::nullopt;
  change.account.id = before.id;
  keepOrder(before, change.account);
  change.slug = planInForce(catalogue, &change.account).plan.slug;
  change.account.held = before.held->plan == change.slug
                            ? before.held
                            : HeldPlan{change.slug, beginOf(*catalogue.find(change.slug), now)};
  return std::optional(std::move(change));
}

}  // namespace

Result<> mustOperate(const std::optional<doc::Document>& user) {
  TRY(const auto caller, store::fromStore<identity::UserRecord>(user));
  if (caller && caller->platformRole == identity::kSuperAdmin && caller->active()) return {};
  return fail(ErrorCode::forbidden, "this is for operators");
}

// ---- reading

Task<std::optional<AccountRecord>> Accounts::find(std::string userId) {
  CO_TRY(const auto stored, co_await deps_.store.get(billingCollection(kAccounts), std::move(userId)));
  co_return store::fromStore<AccountRecord>(stored);
}

Task<std::optional<AccountRecord>> Accounts::ofCustomer(std::string customer) {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(store::queryOf(
             billingCollection(kAccounts), doc::Filter::equals("customer", customer), 1, store::readDeadline())));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(AccountRecord account, store::fromStore<AccountRecord>(found.documents.front().view()));
  co_return std::optional(std::move(account));
}

Task<std::optional<AccountRecord>> Accounts::unrecorded(std::string userId) {
  CO_TRY(const auto stored, co_await deps_.store.get(platformUsers(), std::move(userId)));
  CO_TRY(const auto user, store::fromStore<identity::UserRecord>(stored));
  if (!user) co_return std::nullopt;
  co_return AccountRecord{.id = user->id.str(), .held = HeldPlan{std::string(kFree), user->createdAt}};
}

Task<AccountState> Accounts::stateOf(std::string userId) {
  AccountState state;
  CO_TRY(state.catalogue, co_await readCatalogue(deps_.store));
  CO_TRY(state.account, co_await find(userId));
  if (!state.account && state.catalogue.free().earlier) {
    CO_TRY(state.account, co_await unrecorded(std::move(userId)));
  }
  state.inForce = planInForce(state.catalogue, state.account ? &*state.account : nullptr);
  co_return state;
}

Task<AccountPlan> Accounts::planOf(std::string userId) {
  CO_TRY(AccountState state, co_await stateOf(std::move(userId)));
  co_return std::move(state.inForce);
}

Task<std::vector<store::ProjectNo>> Accounts::paidBy(std::string userId) {
  CO_TRY(const auto organization, co_await projects::findOrganization(deps_.store, std::move(userId)));
  if (!organization) co_return std::vector<store::ProjectNo>();
  CO_TRY(const auto projects, co_await projectsOf(deps_.store, organization->id.str()));
  std::vector<store::ProjectNo> numbers = numbersOf(projects);
  std::ranges::sort(numbers);
  co_return numbers;
}

// ---- changing

Task<bool> Accounts::change(std::string userId, store::Deadline deadline, std::vector<store::Insert> entries,
                            Mutation mutation) {
  co_return co_await change(AccountChange{.userId = std::move(userId),
                                          .deadline = deadline,
                                          .actor = {store::ActorKind::server, ""},
                                          .entries = std::move(entries),
                                          .mutation = std::move(mutation)});
}

Task<bool> Accounts::change(AccountChange change) {
  CO_TRY(std::vector<store::ProjectNo> first, co_await paidBy(change.userId));
  if (first.size() > kEpochPage) first.resize(kEpochPage);
  store::Write write({.deadline = change.deadline, .actor = change.actor, .bumpEpochs = first});
  write.insert(std::move(change.entries));
  const store::Target account = write.change(billingCollection(kAccounts), change.userId);
  const store::Target user = write.change(platformUsers(), change.userId);
  std::optional<store::Target> caller;
  if (change.byOperator) caller = write.hold(platformUsers(), *change.byOperator);
  const HeldCatalogue held(write);
  const auto callback = [account, user, caller, &held = std::as_const(held), &mutation = std::as_const(change.mutation),
                         now = deps_.clock.now()](const store::PreImages& before,
                                                  store::Changes& changes) -> Result<bool> {
    if (caller) RETURN_IF_ERROR(mustOperate(before[*caller]));
    TRY(std::optional<identity::UserRecord> owner, store::fromStore<identity::UserRecord>(before[user]));
    if (!owner) return fail(ErrorCode::notFound, "no such user");
    TRY(std::optional<AccountRecord> stored, store::fromStore<AccountRecord>(before[account]));
    TRY(const Catalogue catalogue, held.read(before));
    TRY(const std::optional<PlanChange> changed, mutated(std::move(stored), *owner, catalogue, mutation, now));
    if (!changed) return false;
    changes.put(account, doc::encode(changed->account));
    if (owner->plan != changed->slug) {
      owner->plan = changed->slug;
      changes.put(user, doc::encode(*owner));
    }
    return true;
  };
  CO_TRY(const bool changed, co_await store::writeReturning(deps_.store, std::move(write), callback));
  if (changed) CO_RETURN_IF_ERROR(co_await bumpRest(std::move(change.userId), std::move(first)));
  co_return changed;
}

Task<> Accounts::bumpRest(std::string userId, std::vector<store::ProjectNo> bumped) {
  CO_TRY(const std::vector<store::ProjectNo> paid, co_await paidBy(userId));
  std::vector<store::ProjectNo> rest;
  std::ranges::set_difference(paid, bumped, std::back_inserter(rest));
  co_return co_await bumpEpochs(deps_.store, {billingCollection(kAccounts), std::move(userId)}, std::move(rest));
}

Task<plans::PlanInForce> AccountPlans::ofUser(std::string userId) {
  CO_TRY(AccountPlan plan, co_await accounts_.planOf(std::move(userId)));
  co_return std::move(plan.plan);
}

// ---- the snapshot

Task<std::shared_ptr<const void>> PlanSource::load(snapshot::ProjectInfo project) {
  std::optional<projects::ProjectRecord> root;
  CO_TRY(root, store::fromStore<projects::ProjectRecord>(project.record.view()));
  if (root->parentId.value) {
    CO_TRY(const auto stored,
           co_await store_.get(projects::controlCollection(projects::kProjects), root->parentId.value->str()));
    CO_TRY(root, store::fromStore<projects::ProjectRecord>(stored));
  }
  std::string payer;
  if (root) {
    CO_TRY(const auto stored,
           co_await store_.get(projects::controlCollection(projects::kOrganizations), root->organizationId.str()));
    CO_TRY(const auto organization, store::fromStore<projects::OrganizationRecord>(stored));
    if (organization && std::ranges::find(root->owners, organization->ownerId.str()) != root->owners.end()) {
      payer = organization->ownerId.str();
    }
  }
  plans::PlanInForce plan;
  if (payer.empty()) {
    CO_TRY(const Catalogue catalogue, co_await readCatalogue(store_));
    plan = planInForce(catalogue, nullptr).plan;
  } else {
    CO_TRY(AccountPlan paid, co_await accounts_.planOf(std::move(payer)));
    plan = std::move(paid.plan);
  }
  co_return std::shared_ptr<const void>(std::make_shared<const plans::PlanInForce>(std::move(plan)));
}

}  // namespace mb::billing
