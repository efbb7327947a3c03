// End users, roles, keys and providers of a project.
#include "api/route_docs.h"
#include "identity/identity.h"
#include "identity/oauth_types.h"

namespace mb::api {

namespace {

using enum ErrorCode;
using http::Method;

void addRoles(std::vector<RouteDoc>& docs, const std::string& at, std::string_view list, const std::string& word) {
  using identity::RoleView;
  std::vector<RouteDoc> added = {
      {Method::get, at, "list" + word + "s", {listOf<RoleView>(list)}},
      {Method::post, at, "create" + word, {entity<RoleView>("role", 201)}, {conflict}},
      {Method::get, at + "/:name", "get" + word, {entity<RoleView>("role")}},
      {Method::put, at + "/:name", "replace" + word, {kNothing}, {conflict}},
      {Method::remove, at + "/:name", "delete" + word, {kNothing}, {conflict}},
  };
  docs.insert(docs.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

std::vector<RouteDoc> identityDocs() {
  using identity::ApiKeyView;
  using identity::IssuedApiKey;
  using identity::UserView;
  const std::string users = "/api/v1/admin/users";
  const std::string keys = "/api/v1/admin/api-keys";
  const std::string oauth = "/api/v1/admin/auth/oauth";
  std::vector<RouteDoc> docs = {
      {Method::get, users, "listUsers", {listOf<UserView>("users")}, {}, {"limit", "skip"}},
      {Method::post, users + "/query", "queryUsers", {whole<identity::UserPage>()}, {invalidCursor, queryTooCostly}},
      {Method::post, users, "createUser", {entity<UserView>("user", 201)}, {emailTaken, conflict}},
      {Method::get, users + "/:id", "getUser", {entity<UserView>("user")}},
      {Method::patch, users + "/:id", "updateUser", {kNothing}, {emailTaken, conflict}},
      {Method::post, users + "/:id/activate", "activateUser", {kNothing}, {conflict}},
      {Method::post, users + "/:id/deactivate", "deactivateUser", {kNothing}, {conflict}},
      {Method::post, users + "/:id/block", "blockUser", {kNothing}, {conflict}},
      {Method::post, users + "/:id/reset-mfa", "resetSecondFactor", {kNothing}, {conflict}},
      {Method::get, keys, "listApiKeys", {listOf<ApiKeyView>("apiKeys")}},
      {Method::post, keys, "createApiKey", {whole<IssuedApiKey>(201)}, {conflict}},
      {Method::remove, keys + "/:id", "revokeApiKey", {kNothing}, {conflict}},
      {Method::post, keys + "/:id/rotate", "rotateApiKey", {whole<IssuedApiKey>()}, {conflict}},
      {Method::get, oauth, "getOauth", {whole<identity::OauthView>()}},
      {Method::put, oauth + "/providers/:provider", "setOauthProvider", {kNothing}, {conflict}},
      {Method::put, oauth + "/redirects", "setOauthRedirects", {kNothing}, {conflict}},
  };
  addRoles(docs, "/api/v1/admin/roles", "roles", "Role");
  addRoles(docs, "/api/v1/admin/enduser-roles", "enduserRoles", "EndUserRole");
  return docs;
}

}  // namespace mb::api
