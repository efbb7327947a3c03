#include "projects/project_quota.h"

#include "projects/records.h"

namespace mb::projects {

namespace {

doc::Filter liveRootsOf(const OrgId& organization) {
  return doc::Filter::both(doc::Filter::equals("organizationId", organization.str()), liveRoots());
}

}  // namespace

Task<std::optional<OrganizationRecord>> findOrganization(store::DocumentStore& store, std::string userId) {
  CO_TRY(const store::QueryResult owned,
         co_await store.find(queryOf(kOrganizations, doc::Filter::equals("ownerId", userId), 0, 1)));
  if (owned.documents.empty()) co_return std::nullopt;
  CO_TRY(OrganizationRecord found, fromStore<OrganizationRecord>(owned.documents.front().view()));
  co_return std::optional(std::move(found));
}

Task<OrganizationRecord> organizationOf(store::DocumentStore& store, std::string userId) {
  CO_TRY(std::optional<OrganizationRecord> found, co_await findOrganization(store, userId));
  if (!found) co_return fail(Error(ErrorCode::internal, "account has no organization").withCause(userId));
  co_return *std::move(found);
}

Task<ProjectQuota> projectQuota(store::DocumentStore& store, PlanLookup* plans, OrganizationRecord organization) {
  ProjectQuota quota;
  quota.organization = organization.id;
  quota.revision = organization.revision.value_or(0);
  if (plans == nullptr) co_return quota;
  CO_TRY(quota.plan, co_await plans->ofUser(organization.ownerId.str()));
  const std::optional<int64_t> max = quota.plan.max(plans::Limit::maxProjects);
  if (!max) co_return quota;
  CO_TRY(const uint64_t use,
         co_await store.count(controlCollection(kProjects), liveRootsOf(organization.id), store::readDeadline()));
  quota.use = static_cast<int64_t>(use);
  if (quota.use >= *max) {
    co_return fail(plans::exceeded(quota.plan, plans::Limit::maxProjects, *max, quota.use));
  }
  co_return quota;
}

QuotaCharge::QuotaCharge(store::Write& write, const ProjectQuota& quota) : use_(quota.use), revision_(quota.revision) {
  const std::optional<int64_t> max = quota.plan.max(plans::Limit::maxProjects);
  if (!max) return;
  max_ = *max;
  organization_ = write.change(target(kOrganizations, quota.organization.str()));
}

Result<> QuotaCharge::apply(const store::PreImages& before, store::Changes& changes) const {
  if (!organization_) return {};
  TRY(std::optional<OrganizationRecord> organization, fromStore<OrganizationRecord>(before[*organization_]));
  if (!organization) return fail(ErrorCode::internal, "account has no organization");
  // Those that were added between the read of the revision and the count are in both, which only makes it count again.
  const int64_t added = organization->revision.value_or(0) - revision_;
  if (use_ + added >= max_) return fail(ErrorCode::retry, "projects were added since they were counted");
  organization->revision = organization->revision.value_or(0) + 1;
  changes.put(*organization_, doc::encode(*organization));
  return {};
}

Error quotaContended() {
  return Error(ErrorCode::conflict, "projects of this account are being added at the same time: try again");
}

}  // namespace mb::projects
