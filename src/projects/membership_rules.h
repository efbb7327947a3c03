// Who may change whose membership. Checked inside the commit, on the records as they are there: the project's set of
// owners, the asking member and the member asked about. Source: contract 3.2; decisions 7 and 8.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "projects/project_types.h"

namespace mb::projects {

// Whether `role` manages settings and members.
inline bool manages(std::string_view role) {
  return role == kOwner || role == kAdmin;
}

// The asking member, and the project that is being changed; absent where the record is gone.
struct Asking {
  const std::optional<ProjectRecord>& project;
  const std::optional<MembershipRecord>& actor;
};

// The project is live and the asking member manages it. Fails with notFound (no project, not a member) or forbidden.
Result<> mayManage(const Asking& asking);
// ... and is an Owner.
Result<> mustOwn(const Asking& asking);

// `role` may be given to somebody who is no member yet.
Result<> mayGrant(const Asking& asking, std::string_view role);
// `target` may get `role`. Fails with notFound, forbidden, or conflict for the last Owner.
Result<> mayChangeRole(const Asking& asking, const std::optional<MembershipRecord>& target, std::string_view role);
// `target` may be taken out. The same failures.
Result<> mayRemove(const Asking& asking, const std::optional<MembershipRecord>& target);

// Keeps record.owners in step with a member who now has `role` (nullopt: is none any more).
void noteRole(ProjectRecord& record, const UserId& user, std::optional<std::string_view> role);

}  // namespace mb::projects
