// Granting a custom role, in the write that grants it: the role's record is one of its documents, so that what the role
// holds is checked as it is then, and no deletion of the role passes in between. The record counts the grants: the
// deletion of a role of members, who are read before the locks, compares the count.
#pragma once

#include <optional>
#include <string>

#include "identity/roles.h"
#include "policy/permissions.h"
#include "store/store.h"

namespace mb::identity {

// The document to change in the write: the role's record; none for built-in roles and texts that can name no role.
std::optional<store::WriteTarget> roleTarget(store::ProjectNo project, RoleKind kind, std::string_view name);

// In the write callback, with that document as it is: what becomes of it, or nullopt where there is no such role. Fails
// with forbidden where the role holds what `giver` does not.
Result<std::optional<store::Change>> grantRole(const std::optional<doc::Document>& before, std::string_view name,
                                               const policy::PermissionSet& giver);

}  // namespace mb::identity
