// /api/v1/admin: users, member roles, end-user roles, API keys (docs/api.md, Administration).
#pragma once

#include "api/routes.h"
#include "identity/identity.h"

namespace mb::api {

class AdminIdentityRoutes {
 public:
  explicit AdminIdentityRoutes(identity::Identity& identity) : identity_(identity) {}
  void addTo(RouteTable& routes);

  Task<Reply> listUsers(RequestContext& context);
  Task<Reply> queryUsers(RequestContext& context, identity::UserQuery body);
  Task<Reply> createUser(RequestContext& context, identity::NewUser body);
  Task<Reply> user(RequestContext& context);
  Task<Reply> patchUser(RequestContext& context, identity::UserPatch body);
  Task<Reply> activate(RequestContext& context);
  Task<Reply> deactivate(RequestContext& context);
  Task<Reply> block(RequestContext& context);

  template <identity::RoleKind kind>
  Task<Reply> listRoles(RequestContext& context);
  template <identity::RoleKind kind>
  Task<Reply> createRole(RequestContext& context, identity::NewRole body);
  template <identity::RoleKind kind>
  Task<Reply> role(RequestContext& context);
  template <identity::RoleKind kind>
  Task<Reply> replaceRole(RequestContext& context, identity::RolePermissions body);
  template <identity::RoleKind kind>
  Task<Reply> removeRole(RequestContext& context);

  Task<Reply> listKeys(RequestContext& context);
  Task<Reply> createKey(RequestContext& context, identity::NewApiKey body);
  Task<Reply> removeKey(RequestContext& context);
  Task<Reply> rotateKey(RequestContext& context);

 private:
  Task<Reply> setStatus(RequestContext& context, identity::UserStatus status);
  identity::Identity& identity_;
};

}  // namespace mb::api
