#include "identity/role_grant.h"

#include "identity/role_record.h"

namespace mb::identity {

std::optional<store::WriteTarget> roleTarget(store::ProjectNo project, RoleKind kind, std::string_view name) {
  if (!isName(name) || isBuiltInRole(kind, name)) return std::nullopt;
  return targetOf(project, roleCollection(kind), lowerAscii(name));
}

Result<std::optional<store::Change>> grantRole(const std::optional<doc::Document>& before, std::string_view name,
                                               const policy::PermissionSet& giver) {
  TRY(std::optional<RoleRecord> record, fromStore<RoleRecord>(before));
  if (!record || record->name != name) return std::nullopt;
  if (!giver.includes(policy::PermissionSet(record->permissions))) {
    return fail(ErrorCode::forbidden, "this role holds permissions that you do not hold");
  }
  record->grants = record->grants.value_or(0) + 1;
  return store::Change::put(doc::encode(*record));
}

}  // namespace mb::identity
