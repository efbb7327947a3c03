// Projects of the control plane: created, read, changed, suspended, deleted, and exchanged for a project token. A
// caller that is not a member of a project gets notFound for every call on it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/caller.h"
#include "projects/claim_dependent.h"
#include "projects/project_deps.h"
#include "projects/project_quota.h"
#include "projects/project_types.h"

namespace mb::projects {

// System collections of this module (numbers 30 to 49), to be passed to the store when it opens.
std::vector<store::SystemCollection> systemCollections();

// The caller, authenticated by a control token, and the deadline. The caller outlives the call.
struct By {
  const policy::Caller& caller;
  store::Deadline deadline;
};

// The parts of GET /control/me besides the user.
struct AccountMemberships {
  std::vector<OrganizationView> organizations;
  std::vector<MembershipView> memberships;
};

// Every call on a project fails with notFound for callers that are not members, and for deleted projects. A change is
// durable before the call returns. References outlive it. Any core.
class OwnDatabases;

class Projects {
 public:
  explicit Projects(const ProjectDeps& deps) : deps_(deps) {}

  // Called with each project that was suspended, resumed or deleted, after the commit that changed its status. Set
  // before the first call.
  void setStatusFollower(std::function<void(store::ProjectNo)> follower) { statusChanged_ = std::move(follower); }

  // Called before a claim is removed from a project's setting tokenClaims. Only at start-up; outlives this.
  void addClaimDependent(ClaimDependent& dependent) { claimDependents_.push_back(&dependent); }

  // The databases that projects may bring; without them such projects are refused. Outlives this. Set before the first
  // call.
  void setOwnDatabases(OwnDatabases& databases) { own_ = &databases; }

  // The caller becomes Owner, and their organization pays for it. Fails with validation, planLimit;
  // with a database of its own, which is reached first, also as OwnDatabases::reach().
  Task<ProjectView> create(By by, NewProject input);
  // The projects of which the caller is a member, oldest first.
  Task<std::vector<ProjectView>> list(By by);
  Task<ProjectView> detail(By by, std::string id);
  // Owner or Admin, else forbidden. Fails with validation, conflict (something depends on a claim that the patch
  // removes). With another address of the project's own database as OwnDatabases::change(); `force`: collections may be
  // missing there.
  Task<> change(By by, std::string id, ProjectPatch patch, bool force = false);
  // What uses these claims of the project's tokens.
  Task<std::vector<ClaimUse>> claimUses(snapshot::SnapshotPtr project, std::vector<std::string> claims);
  // Changes settings for an import into the project, which has checked the patch, the permission of `by` (a caller of
  // the project) and claimUses(). Fails with notFound.
  Task<> configure(snapshot::SnapshotPtr project, SettingsPatch patch, policy::Caller by, store::Deadline deadline);
  // Owner or Admin. No change where the project has that status already.
  Task<> suspend(By by, std::string id);
  Task<> resume(By by, std::string id);
  // Owner. The data is purged 30 days later. Fails with conflict while the project has live environments.
  Task<> remove(By by, std::string id);
  // A project token for this member. Fails with projectSuspended.
  Task<ProjectToken> token(By by, std::string id);
  Task<AccountMemberships> accountMemberships(By by);

 private:
  // Changes only the record. Returns false where nothing changes. Runs in the write callback.
  using Mutation = std::function<bool(ProjectRecord&)>;
  // The project's number if the mutation changed it.
  Task<std::optional<store::ProjectNo>> alter(By by, std::string id, std::string action, doc::Document details,
                                              Mutation mutation);
  // What a new project consists of.
  struct Parts;
  // False where the slug is taken. Fails with retry where the quota has to be read again, with conflict where the
  // database is another project's.
  Task<bool> insert(By by, const Parts& parts, const ProjectQuota& quota);
  // Inserts with the first free slug, from attempt `slug` on; a retry continues there, and reads the quota again, which
  // this takes. Fails with planLimit, or with retry as insert() does.
  Task<ProjectView> tryCreate(By by, Parts parts, std::optional<ProjectQuota>& quota, int& slug);
  Task<ProjectQuota> quotaOf(std::string userId);
  Task<std::vector<MembershipRecord>> membershipsOf(std::string userId);
  // Fails with conflict, naming what uses a claim that the patch removes.
  Task<> mayRemoveClaims(snapshot::SnapshotPtr project, const SettingsPatch& patch);

  const ProjectDeps& deps_;
  OwnDatabases* own_ = nullptr;
  std::vector<ClaimDependent*> claimDependents_;
  std::function<void(store::ProjectNo)> statusChanged_ = [](store::ProjectNo) {};
};

}  // namespace mb::projects
