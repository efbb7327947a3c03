// A caller's membership of a project, and commits made by a member of it. For this module and for modules that store
// data about projects (connections/).
#pragma once

#include "projects/membership_rules.h"
#include "projects/projects.h"
#include "projects/records.h"

namespace mb::projects {

struct MembershipContext {
  snapshot::SnapshotPtr project;
  std::string membershipId;
  std::string role;

  const ProjectId& id() const { return project->info().id; }
  store::ProjectNo number() const { return project->info().number; }
};

// Fails with notFound when there is no such project, it is deleted, or the caller is not a member.
Task<MembershipContext> membershipContext(const ProjectDeps& deps, By by, std::string projectId);

// The audit entry of what a platform user did in a project.
std::vector<store::Insert> auditOf(const ProjectDeps& deps, const policy::Caller& caller, store::ProjectNo project,
                                   std::string action, std::string target, doc::Document details = {});

// Whether an account may accept invites to its address: the address is verified, or there is no mail service to verify
// it.
bool mayJoin(const ProjectDeps& deps, const identity::UserRecord& user);

// A write as `by` with `entries` inserted, and the epochs of `projects` bumped where it changes anything.
store::Write projectWrite(const By& by, std::vector<store::ProjectNo> projects, std::vector<store::Insert> entries);

}  // namespace mb::projects
