// The limit maxProjects: the live root projects in a user's personal organization. It is exact under concurrent
// additions: each one under a limit changes the organization's record, so that the others know of it.
#pragma once

#include <optional>
#include <string>

#include "projects/plan_lookup.h"
#include "projects/project_types.h"
#include "store/write.h"

namespace mb::store {
class DocumentStore;
}

namespace mb::projects {

// The personal organization of a platform user; nullopt where the user has none.
Task<std::optional<OrganizationRecord>> findOrganization(store::DocumentStore& store, std::string userId);
// The same for a user who exists: fails with internal without one.
Task<OrganizationRecord> organizationOf(store::DocumentStore& store, std::string userId);

// What one more project in an organization depends on.
struct ProjectQuota {
  OrgId organization;
  plans::PlanInForce plan;
  int64_t use = 0;       // not counted where the plan has no limit
  int64_t revision = 0;  // of the organization's record, read before the count
};
// Fails with planLimit where the plan of the organization's owner allows no further project. `plans`: null without
// billing.
Task<ProjectQuota> projectQuota(store::DocumentStore& store, PlanLookup* plans, OrganizationRecord organization);

// The organization's record in the write that adds a project. Without a limit the write does not name it.
class QuotaCharge {
 public:
  QuotaCharge(store::Write& write, const ProjectQuota& quota);

  bool isLimited() const { return organization_.has_value(); }
  // In the write callback. Fails with retry where the count has to be made again: with the projects that were added
  // since, the limit may be reached.
  Result<> apply(const store::PreImages& before, store::Changes& changes) const;

 private:
  std::optional<store::Target> organization_;
  int64_t max_ = 0;
  int64_t use_ = 0;
  int64_t revision_ = 0;
};

// Attempts of a write with a charge. One fails only where other additions took the last free places since its count.
inline constexpr int kMaxQuotaAttempts = 10;
Error quotaContended();

}  // namespace mb::projects
