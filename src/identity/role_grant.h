// Grants a custom role. The role's record is a document of the write that grants it, so the role's permissions are
// checked as of the commit, and the role cannot be deleted in between. The record counts the grants: the deletion of a
// member role reads the members before the locks, and compares the count under them.
#pragma once

#include <optional>
#include <string>

#include "identity/roles.h"
#include "policy/permissions.h"
#include "store/store.h"

namespace mb::identity {

// The role's record, which the write changes; nullopt for built-in roles and invalid names.
std::optional<store::WriteTarget> roleTarget(store::ProjectNo project, RoleKind kind, std::string_view name);

// Call in the write callback with the current record: returns its change, or nullopt where there is no such role. Fails
// with forbidden where the role holds a permission that `giver` does not.
Result<std::optional<store::Change>> grantRole(const std::optional<doc::Document>& before, std::string_view name,
                                               const policy::PermissionSet& giver);

}  // namespace mb::identity
