// The control plane's projects: made, seen, changed, suspended, deleted, and exchanged for a project token. Who is no
// member of a project gets notFound for everything about it. Source: contract 2.2, 3.1, 4.8; decisions 6.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/caller.h"
#include "projects/project_deps.h"
#include "projects/project_types.h"

namespace mb::projects {

// Collections of the system that this module owns (numbers 30 to 49); to be given to the store when it opens.
std::vector<store::SystemCollection> systemCollections();

// Who asks, by a control token, and until when. The caller outlives the call.
struct By {
  const policy::Caller& caller;
  store::Deadline deadline;
};

// What GET /control/me tells beside the user.
struct AccountMemberships {
  std::vector<OrganizationView> organizations;
  std::vector<MembershipView> memberships;
};

// Every call on a project fails with notFound for those who are not its members, and for deleted projects; changes hold
// before they are answered. References outlive it. Any core.
class Projects {
 public:
  explicit Projects(const ProjectDeps& deps) : deps_(deps) {}

  // Called with each project that was suspended, resumed or deleted, after the commit that changed its status. Before
  // the first call.
  void setStatusFollower(std::function<void(store::ProjectNo)> follower) { statusChanged_ = std::move(follower); }

  // The caller becomes Owner. Fails with validation.
  Task<ProjectView> create(By by, NewProject input);
  // Of which the caller is a member, oldest first.
  Task<std::vector<ProjectView>> list(By by);
  Task<ProjectView> detail(By by, std::string id);
  // Owner or Admin, else forbidden. Fails with validation.
  Task<> change(By by, std::string id, ProjectPatch patch);
  // Owner or Admin. Nothing happens where it is so already.
  Task<> suspend(By by, std::string id);
  Task<> resume(By by, std::string id);
  // Owner. Its data is kept for 30 days. Fails with conflict while it has live environments.
  Task<> remove(By by, std::string id);
  // A project token for this member. Fails with projectSuspended.
  Task<ProjectToken> token(By by, std::string id);
  Task<AccountMemberships> accountMemberships(By by);

 private:
  // False where nothing changes. Runs in the write callback: it changes the record alone.
  using Mutation = std::function<bool(ProjectRecord&)>;
  // The project's number where the mutation changed something.
  Task<std::optional<store::ProjectNo>> alter(By by, std::string id, std::string action, doc::Document details,
                                              Mutation mutation);
  // False where the slug is taken.
  Task<bool> insert(By by, ProjectRecord record, MembershipRecord owner);
  Task<std::vector<MembershipRecord>> membershipsOf(std::string userId);

  const ProjectDeps& deps_;
  std::function<void(store::ProjectNo)> statusChanged_ = [](store::ProjectNo) {};
};

}  // namespace mb::projects
