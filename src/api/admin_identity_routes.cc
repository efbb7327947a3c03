#include "api/admin_identity_routes.h"

#include "api/document_routes.h"
#include "base/cancellation.h"

namespace mb::api {

namespace {

using identity::RoleKind;

constexpr uint64_t kMaxRows = 1000;

identity::Realm adminRealm(const RequestContext& context) {
  return identity::Realm::of(context.project->info());
}

}  // namespace

void AdminIdentityRoutes::addTo(RouteTable& routes) {
  using Routes = AdminIdentityRoutes;
  const Gate readUsers = admin("users:read");
  const Gate manageUsers = admin("users:manage");
  const std::string users = "/api/v1/admin/users";
  routes.get(users, readUsers, this, &Routes::listUsers, "List end users");
  routes.post(users + "/query", readUsers, this, &Routes::queryUsers,
              "List end users by the beginning of address or name, sorted, by pages");
  routes.post(users, manageUsers, this, &Routes::createUser, "Create an end user");
  routes.get(users + "/:id", readUsers, this, &Routes::user, "Read an end user");
  routes.patch(users + "/:id", manageUsers, this, &Routes::patchUser, "Change an end user");
  routes.post(users + "/:id/activate", manageUsers, this, &Routes::activate, "Activate an end user");
  routes.post(users + "/:id/deactivate", manageUsers, this, &Routes::deactivate, "Deactivate an end user");
  routes.post(users + "/:id/block", manageUsers, this, &Routes::block, "Block an end user");

  const Gate readRoles = admin("roles:read");
  const Gate manageRoles = admin("roles:manage");
  constexpr RoleKind kMember = RoleKind::member;
  const std::string roles = "/api/v1/admin/roles";
  routes.get(roles, readRoles, this, &Routes::listRoles<kMember>, "List member roles");
  routes.post(roles, manageRoles, this, &Routes::createRole<kMember>, "Create a member role");
  routes.get(roles + "/:name", readRoles, this, &Routes::role<kMember>, "Read a member role");
  routes.put(roles + "/:name", manageRoles, this, &Routes::replaceRole<kMember>, "Replace a member role's permissions");
  routes.remove(roles + "/:name", manageRoles, this, &Routes::removeRole<kMember>, "Delete a member role");
  constexpr RoleKind kEndUser = RoleKind::endUser;
  const std::string endUserRoles = "/api/v1/admin/enduser-roles";
  routes.get(endUserRoles, readRoles, this, &Routes::listRoles<kEndUser>, "List end-user roles");
  routes.post(endUserRoles, manageRoles, this, &Routes::createRole<kEndUser>, "Create an end-user role");
  routes.get(endUserRoles + "/:name", readRoles, this, &Routes::role<kEndUser>, "Read an end-user role");
  routes.put(endUserRoles + "/:name", manageRoles, this, &Routes::replaceRole<kEndUser>,
             "Replace an end-user role's permissions");
  routes.remove(endUserRoles + "/:name", manageRoles, this, &Routes::removeRole<kEndUser>, "Delete an end-user role");

  const Gate manageKeys = admin("keys:manage");
  const std::string keys = "/api/v1/admin/api-keys";
  routes.get(keys, admin("keys:read"), this, &Routes::listKeys, "List API keys");
  routes.post(keys, manageKeys, this, &Routes::createKey, "Create an API key, shown only once");
  routes.remove(keys + "/:id", manageKeys, this, &Routes::removeKey, "Revoke an API key");
  routes.post(keys + "/:id/rotate", manageKeys, this, &Routes::rotateKey, "Rotate an API key's secret");
}

// ---- users

Task<Reply> AdminIdentityRoutes::listUsers(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  CO_TRY(const std::vector<identity::UserRecord> users,
         co_await identity_.users().list(adminRealm(context), page.skip, std::min(page.limit, kMaxRows),
                                         context.deadline));
  std::vector<identity::UserView> views;
  views.reserve(users.size());
  for (const identity::UserRecord& user : users) views.push_back(identity::viewOf(user));
  co_return Reply::list("users", views);
}

Task<Reply> AdminIdentityRoutes::queryUsers(RequestContext& context, identity::UserQuery body) {
  co_await endWithClient();
  CO_TRY(const identity::UserPage page,
         co_await identity_.userQueries().run(adminRealm(context), std::move(body), context.deadline));
  co_return Reply::object(200, page);
}

Task<Reply> AdminIdentityRoutes::createUser(RequestContext& context, identity::NewUser body) {
  CO_TRY(const identity::UserRecord user,
         co_await identity_.users().create(adminRealm(context), std::move(body), context.caller, context.deadline));
  co_return Reply::entity(201, "user", identity::viewOf(user));
}

Task<Reply> AdminIdentityRoutes::user(RequestContext& context) {
  CO_TRY(const std::optional<identity::UserRecord> user,
         co_await identity_.users().get(adminRealm(context), UserId(context.param(0))));
  if (!user) co_return fail(ErrorCode::notFound, "no such user");
  co_return Reply::entity(200, "user", identity::viewOf(*user));
}

Task<Reply> AdminIdentityRoutes::patchUser(RequestContext& context, identity::UserPatch body) {
  CO_RETURN_IF_ERROR(co_await identity_.users().patch(adminRealm(context), UserId(context.param(0)), std::move(body),
                                                      context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AdminIdentityRoutes::setStatus(RequestContext& context, identity::UserStatus status) {
  CO_RETURN_IF_ERROR(co_await identity_.users().setStatus(adminRealm(context), UserId(context.param(0)), status,
                                                          context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AdminIdentityRoutes::activate(RequestContext& context) {
  return setStatus(context, identity::UserStatus::active);
}
Task<Reply> AdminIdentityRoutes::deactivate(RequestContext& context) {
  return setStatus(context, identity::UserStatus::inactive);
}
Task<Reply> AdminIdentityRoutes::block(RequestContext& context) {
  return setStatus(context, identity::UserStatus::blocked);
}

// ---- roles

template <RoleKind kind>
Task<Reply> AdminIdentityRoutes::listRoles(RequestContext& context) {
  CO_TRY(const std::vector<identity::RoleView> roles,
         co_await identity_.roles().list(context.project->info().number, kind));
  co_return Reply::list(kind == RoleKind::member ? "roles" : "enduserRoles", roles);
}

template <RoleKind kind>
Task<Reply> AdminIdentityRoutes::createRole(RequestContext& context, identity::NewRole body) {
  CO_TRY(const identity::RoleView created,
         co_await identity_.roles().create(context.project->info().number, kind, std::move(body), context.caller,
                                           context.deadline));
  co_return Reply::entity(201, "role", created);
}

template <RoleKind kind>
Task<Reply> AdminIdentityRoutes::role(RequestContext& context) {
  CO_TRY(const identity::RoleView found,
         co_await identity_.roles().get(context.project->info().number, kind, context.param(0)));
  co_return Reply::entity(200, "role", found);
}

template <RoleKind kind>
Task<Reply> AdminIdentityRoutes::replaceRole(RequestContext& context, identity::RolePermissions body) {
  CO_RETURN_IF_ERROR(co_await identity_.roles().replace(context.project->info().number, kind, context.param(0),
                                                        std::move(body), context.caller, context.deadline));
  co_return Reply::noContent();
}

template <RoleKind kind>
Task<Reply> AdminIdentityRoutes::removeRole(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await identity_.roles().remove(context.project->info().number, kind, context.param(0),
                                                       context.caller, context.deadline));
  co_return Reply::noContent();
}

// ---- keys

Task<Reply> AdminIdentityRoutes::listKeys(RequestContext& context) {
  CO_TRY(const std::vector<identity::ApiKeyView> keys, co_await identity_.keys().list(context.project->info().number));
  co_return Reply::list("apiKeys", keys);
}

Task<Reply> AdminIdentityRoutes::createKey(RequestContext& context, identity::NewApiKey body) {
  CO_TRY(const identity::IssuedApiKey issued,
         co_await identity_.keys().create(context.project->info(), std::move(body), context.caller, context.deadline));
  co_return Reply::object(201, issued);
}

Task<Reply> AdminIdentityRoutes::removeKey(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await identity_.keys().remove(context.project->info().number, KeyId(context.param(0)),
                                                      context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AdminIdentityRoutes::rotateKey(RequestContext& context) {
  CO_TRY(const identity::IssuedApiKey issued,
         co_await identity_.keys().rotate(context.project->info(), KeyId(context.param(0)), context.caller,
                                          context.deadline));
  co_return Reply::object(200, issued);
}

}  // namespace mb::api
