// The roles that every project has.
#include "identity/roles.h"

namespace mb::identity {

const std::vector<RoleView>& builtInRoles(RoleKind kind) {
  static const std::vector<RoleView> kMember = {
      {"Owner", {"*"}, true},
      {"Admin", {"*"}, true},
      {"Editor",
       {"data:*", "storage:*", "functions:invoke", "functions:manage", "collections:manage", "policies:read"},
       true},
      {"Viewer", {"data:*:read", "data:*:list", "storage:read", "*:read", "auth:config:read"}, true},
  };
  static const std::vector<RoleView> kEndUser = {
      {"user",
       {"data:*:read", "data:*:list", "data:*:create", "data:*:update", "data:*:delete", "storage:read",
        "storage:write", "functions:invoke"},
       true},
  };
  return kind == RoleKind::member ? kMember : kEndUser;
}

}  // namespace mb::identity
