#include "billing/overview.h"

#include <algorithm>
#include <set>

#include "billing/project_pages.h"
#include "store/records.h"

namespace mb::billing {

namespace {

// The ids of the root projects of which the user is an Owner.
std::set<std::string> ownedRoots(const std::vector<projects::ProjectRecord>& all, const std::string& userId) {
  std::set<std::string> roots;
  for (const projects::ProjectRecord& one : all) {
    if (!one.parentId.value && std::ranges::find(one.owners, userId) != one.owners.end()) roots.insert(one.id.str());
  }
  return roots;
}

}  // namespace

Task<std::vector<PaidProject>> Overview::projectsOf(std::string userId) {
  std::vector<PaidProject> paid;
  CO_TRY(const auto organization, co_await projects::findOrganization(store_, userId));
  if (!organization) co_return paid;
  CO_TRY(const auto all, co_await billing::projectsOf(store_, organization->id.str()));
  CO_TRY(const std::vector<ProjectUsage> usages, co_await meters_.ofAll(all));
  const std::set<std::string> owned = ownedRoots(all, userId);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& root = all[i].parentId.value ? all[i].parentId.value->str() : all[i].id.str();
    if (owned.contains(root)) paid.push_back({all[i].id.str(), all[i].name, usages[i]});
  }
  co_return paid;
}

Task<BillingView> Overview::of(std::string userId) {
  CO_TRY(const AccountState state, co_await accounts_.stateOf(userId));
  const auto& [catalogue, account, inForce] = state;
  BillingView view;
  view.source = nameOf(inForce.source);
  view.limits = inForce.plan.limits;
  if (const PlanRecord* plan = catalogue.find(inForce.plan.slug)) {
    view.plan = {plan->id, plan->name, plan->priceUsdMonthly};
  }
  if (account && account->subscription) {
    const Subscription& one = *account->subscription;
    view.subscription.value = {one.status, one.plan, one.currentPeriodEnd, one.cancelAtPeriodEnd};
  }
  for (const PlanRecord& plan : catalogue.plans()) {
    view.plans.push_back({plan.id, plan.name, plan.priceUsdMonthly, plan.limits});
  }
  CO_TRY(view.projects, co_await projectsOf(std::move(userId)));
  co_return view;
}

Task<UsageView> Overview::usageOf(snapshot::SnapshotPtr project, plans::PlanSlot plan) {
  CO_TRY(projects::ProjectRecord record, store::fromStore<projects::ProjectRecord>(project->info().record.view()));
  CO_TRY(const ProjectUsage usage, co_await meters_.of(std::move(record)));
  const plans::PlanInForce& inForce = project->get(plan);
  co_return UsageView{inForce.slug, inForce.limits, usage};
}

}  // namespace mb::billing
