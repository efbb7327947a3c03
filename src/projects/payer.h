// Who pays for a project: the owner of the organization that its root belongs to, while that user is an Owner of the
// root. So a change of that role changes the plan of the root's environments too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projects/project_deps.h"

namespace mb::projects {

// The environments of a root project, as read before a write.
struct Family {
  std::vector<ProjectId> environments;
  std::vector<store::ProjectNo> numbers;  // of the environments
};
Task<Family> familyOf(store::DocumentStore& store, ProjectRecord root);
// In the write callback, with the root as it is then. Fails with retry where it has other environments now.
Result<> checkFamily(const Family& family, const ProjectRecord& root);

// The environments that have the plan of this user while they are an Owner of `project`; nullopt where they have none
// of that user: it is not a root, or belongs to the organization of another user.
Task<std::optional<Family>> paidEnvironments(store::DocumentStore& store, ProjectId project, std::string userId);

// The organization of the user who pays for the project; nullopt where that user is not an Owner of its root.
Task<std::optional<OrgId>> payingOrganization(const ProjectDeps& deps, snapshot::SnapshotPtr project);

}  // namespace mb::projects
