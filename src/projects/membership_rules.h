// Who may change whose membership. Checked inside the commit, on the stored records: the project's set of owners, the
// acting member and the target member.
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

// The acting member, and the project that is changed; absent where the record was deleted.
struct ActingMember {
  const std::optional<ProjectRecord>& project;
  const std::optional<MembershipRecord>& actor;
};

// Checks that the project is live and the acting member manages it. Fails with notFound (no project, not a member) or
// forbidden.
Result<> mayManage(const ActingMember& acting);
// As mayManage; the acting member must be an Owner.
Result<> mustOwn(const ActingMember& acting);

// Whether `role` may be given to a user who is not a member yet.
Result<> mayGrant(const ActingMember& acting, std::string_view role);
// Whether `target` may get `role`. Fails with notFound, forbidden, or conflict for the last Owner.
Result<> mayChangeRole(const ActingMember& acting, const std::optional<MembershipRecord>& target,
                       std::string_view role);
// Whether `target` may be removed. Fails as mayChangeRole.
Result<> mayRemove(const ActingMember& acting, const std::optional<MembershipRecord>& target);

// Updates record.owners for a member who now has `role`; nullopt: the member was removed. An offer of a transfer ends
// with the role Owner of one of its users.
void noteRole(ProjectRecord& record, const UserId& user, std::optional<std::string_view> role);

}  // namespace mb::projects
