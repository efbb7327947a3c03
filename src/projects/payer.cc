#include "projects/payer.h"

#include <algorithm>

#include "projects/records.h"

namespace mb::projects {

namespace {

Task<std::optional<OrganizationRecord>> organizationRecord(store::DocumentStore& store, OrgId organization) {
  CO_TRY(const auto stored, co_await store.get(controlCollection(kOrganizations), organization.str()));
  co_return fromStore<OrganizationRecord>(stored);
}

}  // namespace

Task<Family> familyOf(store::DocumentStore& store, ProjectRecord root) {
  Family family;
  if (!root.environments || root.environments->empty()) co_return family;
  std::vector<std::string> ids;
  for (const EnvironmentEntry& entry : *root.environments) {
    family.environments.push_back(entry.id);
    ids.push_back(entry.id.str());
  }
  CO_TRY(const auto stored, co_await store.getMany(controlCollection(kProjects), std::move(ids)));
  for (const std::optional<doc::Document>& document : stored) {
    CO_TRY(const auto environment, fromStore<ProjectRecord>(document));
    if (environment) family.numbers.push_back(static_cast<store::ProjectNo>(environment->number));
  }
  co_return family;
}

Result<> checkFamily(const Family& family, const ProjectRecord& root) {
  static const std::vector<EnvironmentEntry> kNone;
  const auto& now = root.environments ? *root.environments : kNone;
  if (std::ranges::equal(family.environments, now, {}, {}, &EnvironmentEntry::id)) return {};
  return fail(ErrorCode::retry, "the environments changed since they were read");
}

Task<std::optional<Family>> paidEnvironments(store::DocumentStore& store, ProjectId project, std::string userId) {
  CO_TRY(const auto stored, co_await store.get(controlCollection(kProjects), project.str()));
  CO_TRY(auto root, fromStore<ProjectRecord>(stored));
  if (!root || root->parentId.value) co_return std::nullopt;
  CO_TRY(const auto organization, co_await organizationRecord(store, root->organizationId));
  if (!organization || organization->ownerId.str() != userId) co_return std::nullopt;
  CO_TRY(Family family, co_await familyOf(store, *std::move(root)));
  co_return std::optional(std::move(family));
}

Task<std::optional<OrgId>> payingOrganization(const ProjectDeps& deps, snapshot::SnapshotPtr project) {
  const doc::Nullable<ProjectId>& parent = project->get(deps.record).parentId;
  snapshot::SnapshotPtr root = project;
  if (parent.value) {
    CO_TRY(root, co_await deps.snapshots.find(parent.value->str()));
  }
  if (!root) co_return std::nullopt;
  const ProjectRecord& record = root->get(deps.record);
  CO_TRY(const auto organization, co_await organizationRecord(deps.store, record.organizationId));
  if (!organization || std::ranges::find(record.owners, organization->ownerId.str()) == record.owners.end()) {
    co_return std::nullopt;
  }
  co_return std::optional(record.organizationId);
}

}  // namespace mb::projects
