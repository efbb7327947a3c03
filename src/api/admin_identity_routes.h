// /api/v1/admin: users, member roles, end-user roles, API keys. Source: contract 4.5; decisions 3, 7 and 8.
#pragma once

#include "api/routes.h"
#include "identity/identity.h"

namespace mb::api {

class AdminIdentityRoutes {
 public:
  explicit AdminIdentityRoutes(identity::Identity& identity) : identity_(identity) {}
  void addTo(RouteTable& routes);

  Task<Reply> listUsers(RequestContext& context);
  Task<Reply> createUser(RequestContext& context, identity::NewUser body);
  Task<Reply> user(RequestContext& context);
  Task<Reply> patchUser(RequestContext& context, identity::UserPatch body);
  Task<Reply> activate(RequestContext& context);
  Task<Reply> deactivate(RequestContext& context);
  Task<Reply> block(RequestContext& context);

  Task<Reply> listMemberRoles(RequestContext& context);
  Task<Reply> createMemberRole(RequestContext& context, identity::NewRole body);
  Task<Reply> memberRole(RequestContext& context);
  Task<Reply> replaceMemberRole(RequestContext& context, identity::RolePermissions body);
  Task<Reply> removeMemberRole(RequestContext& context);
  Task<Reply> listEndUserRoles(RequestContext& context);
  Task<Reply> createEndUserRole(RequestContext& context, identity::NewRole body);
  Task<Reply> endUserRole(RequestContext& context);
  Task<Reply> replaceEndUserRole(RequestContext& context, identity::RolePermissions body);
  Task<Reply> removeEndUserRole(RequestContext& context);

  Task<Reply> listKeys(RequestContext& context);
  Task<Reply> createKey(RequestContext& context, identity::NewApiKey body);
  Task<Reply> removeKey(RequestContext& context);
  Task<Reply> rotateKey(RequestContext& context);

 private:
  Task<Reply> setStatus(RequestContext& context, identity::UserStatus status);
  Task<Reply> listRoles(RequestContext& context, identity::RoleKind kind);
  Task<Reply> createRole(RequestContext& context, identity::RoleKind kind, identity::NewRole body);
  Task<Reply> role(RequestContext& context, identity::RoleKind kind);
  Task<Reply> replaceRole(RequestContext& context, identity::RoleKind kind, identity::RolePermissions body);
  Task<Reply> removeRole(RequestContext& context, identity::RoleKind kind);

  identity::Identity& identity_;
};

}  // namespace mb::api
