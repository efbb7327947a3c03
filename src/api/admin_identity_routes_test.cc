#include "api/admin_identity_routes.h"

#include "api/identity_routes_fixture.h"

namespace mb::api {
namespace {

using http::Method;

class AdminIdentityRoutesTest : public IdentityRoutesFixture {
 protected:
  TestResponse as(const std::string& token, Method method, std::string target, std::string body = "") {
    return send({method, "/api/v1/admin" + target, std::move(body), token});
  }
};

TEST_F(AdminIdentityRoutesTest, UsersAreMadeChangedAndBlocked) {
  const std::string owner = ownerToken();
  const TestResponse made = as(owner, Method::post, "/users",
                               R"({"email":"ann@example.com","password":"correct horse","emailVerified":true})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string user = "/users/" + made.at("user.id");
  const std::string token = login("ann@example.com").at("accessToken");
  EXPECT_EQ(as(owner, Method::get, user).at("user.email"), "ann@example.com");
  EXPECT_EQ(as(owner, Method::patch, user, R"({"name":"Ann","metadata":{"role":"user"}})").status, 204);
  EXPECT_EQ(as(owner, Method::get, user).at("user.name"), "Ann");
  EXPECT_EQ(as(owner, Method::get, "/users?limit=1").count("users"), 1U);
  EXPECT_EQ(as(owner, Method::get, "/users?skip=1").count("users"), 0U);
  EXPECT_EQ(as(owner, Method::get, "/users?limit=-1").code(), "INVALID_PARAM");

  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).status, 200);
  EXPECT_EQ(as(owner, Method::post, user + "/block").status, 204);
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).status, 401);
  EXPECT_EQ(login("ann@example.com").code(), "USER_BLOCKED");
  EXPECT_EQ(as(owner, Method::post, user + "/deactivate").status, 204);
  EXPECT_EQ(login("ann@example.com").code(), "USER_INACTIVE");
  EXPECT_EQ(as(owner, Method::post, user + "/activate").status, 204);
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).status, 200);

  const auto actions = auditActions(numberOf(project_));
  for (const char* action : {"user.block", "user.deactivate", "user.activate"}) {
    EXPECT_EQ(std::count(actions.begin(), actions.end(), action), 1) << action;
  }
  EXPECT_EQ(as(owner, Method::get, "/users/user_nobody").status, 404);
  EXPECT_EQ(as(owner, Method::patch, user, R"({"password":"other horse"})").code(), "VALIDATION");
}

TEST_F(AdminIdentityRoutesTest, RolesOfBothKinds) {
  const std::string owner = ownerToken();
  for (const auto& [path, key] : {std::pair("/roles", "roles"), std::pair("/enduser-roles", "enduserRoles")}) {
    const size_t before = as(owner, Method::get, path).count(key);
    const TestResponse made = as(owner, Method::post, path, R"({"name":"moderator","permissions":["data:posts:*"]})");
    EXPECT_EQ(made.status, 201);
    EXPECT_EQ(made.at("role.name"), "moderator");
    EXPECT_FALSE(made.body.view().findPath("role.builtIn")->asBool());
    EXPECT_EQ(as(owner, Method::get, path).count(key), before + 1);
    const std::string one = std::string(path) + "/moderator";
    EXPECT_EQ(as(owner, Method::put, one, R"({"permissions":[]})").status, 204);
    EXPECT_EQ(as(owner, Method::get, one).count("role.permissions"), 0U);
    EXPECT_EQ(as(owner, Method::put, one, R"({"permissions":"*"})").code(), "VALIDATION");
    EXPECT_EQ(as(owner, Method::remove, one).status, 204);
    EXPECT_EQ(as(owner, Method::get, one).status, 404);
  }
  EXPECT_EQ(as(owner, Method::remove, "/roles/Owner").code(), "CONFLICT");
  EXPECT_EQ(as(owner, Method::put, "/enduser-roles/user", R"({"permissions":[]})").code(), "CONFLICT");
}

TEST_F(AdminIdentityRoutesTest, ARoleThatAMemberHasStays) {
  const std::string owner = ownerToken();
  ASSERT_EQ(as(owner, Method::post, "/roles", R"({"name":"support","permissions":["users:*"]})").status, 201);
  join(owner_, project_, person("helper@example.com"), "support");
  EXPECT_EQ(as(owner, Method::remove, "/roles/support").code(), "CONFLICT");
}

TEST_F(AdminIdentityRoutesTest, EachRouteAsksItsPermission) {
  const std::string owner = ownerToken();
  struct Case {
    Method method;
    const char* target;
    const char* body;
    const char* permission;
  };
  const Case cases[] = {
      {Method::get, "/users", "", "users:read"},
      {Method::post, "/users", "{}", "users:manage"},
      {Method::get, "/users/user_1", "", "users:read"},
      {Method::patch, "/users/user_1", "{}", "users:manage"},
      {Method::post, "/users/user_1/activate", "", "users:manage"},
      {Method::post, "/users/user_1/deactivate", "", "users:manage"},
      {Method::post, "/users/user_1/block", "", "users:manage"},
      {Method::get, "/roles", "", "roles:read"},
      {Method::post, "/roles", "{}", "roles:manage"},
      {Method::get, "/roles/x", "", "roles:read"},
      {Method::put, "/roles/x", "{}", "roles:manage"},
      {Method::remove, "/roles/x", "", "roles:manage"},
      {Method::get, "/enduser-roles", "", "roles:read"},
      {Method::post, "/enduser-roles", "{}", "roles:manage"},
      {Method::get, "/enduser-roles/x", "", "roles:read"},
      {Method::put, "/enduser-roles/x", "{}", "roles:manage"},
      {Method::remove, "/enduser-roles/x", "", "roles:manage"},
      {Method::get, "/api-keys", "", "keys:read"},
      {Method::post, "/api-keys", "{}", "keys:manage"},
      {Method::remove, "/api-keys/key_1", "", "keys:manage"},
      {Method::post, "/api-keys/key_1/rotate", "", "keys:manage"},
  };
  const policy::Caller helper = person("helper@example.com");
  ASSERT_EQ(as(owner, Method::post, "/roles", R"({"name":"probe","permissions":[]})").status, 201);
  join(owner_, project_, helper, "probe");
  const std::string token = memberToken(helper, "probe");
  registerUser("ann@example.com");
  const std::string endUser = login("ann@example.com").at("accessToken");
  for (const Case& each : cases) {
    ASSERT_EQ(as(owner, Method::put, "/roles/probe", R"({"permissions":[]})").status, 204);
    EXPECT_EQ(as(token, each.method, each.target, each.body).status, 403) << each.target;
    EXPECT_EQ(as(endUser, each.method, each.target, each.body).status, 403) << each.target;
    EXPECT_EQ(as("", each.method, each.target, each.body).status, 401) << each.target;
    const std::string held = std::string(R"({"permissions":[")") + each.permission + "\"]}";
    ASSERT_EQ(as(owner, Method::put, "/roles/probe", held).status, 204);
    const int status = as(token, each.method, each.target, each.body).status;
    EXPECT_TRUE(status == 200 || status == 400 || status == 404) << each.target << " " << status;
  }
}

TEST_F(AdminIdentityRoutesTest, KeysAreShownOnceAndRotated) {
  const std::string owner = ownerToken();
  const TestResponse made = as(owner, Method::post, "/api-keys", R"({"name":"loader","scopes":["admin"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string key = made.at("key");
  EXPECT_TRUE(key.starts_with("mb_sk_" + project_.id.str() + "."));
  EXPECT_EQ(made.at("apiKey.name"), "loader");
  const TestResponse listed = as(key, Method::get, "/api-keys");
  EXPECT_EQ(listed.count("apiKeys"), 1U);
  EXPECT_EQ(listed.text.find(key.substr(key.find('.') + 1)), std::string::npos);
  const std::string one = "/api-keys/" + made.at("apiKey.id");
  const TestResponse rotated = as(owner, Method::post, one + "/rotate");
  EXPECT_EQ(rotated.status, 200);
  EXPECT_EQ(as(key, Method::get, "/api-keys").status, 401);
  EXPECT_EQ(as(rotated.at("key"), Method::get, "/api-keys").status, 200);
  EXPECT_EQ(as(owner, Method::remove, one).status, 204);
  EXPECT_EQ(as(rotated.at("key"), Method::get, "/api-keys").status, 401);
  EXPECT_EQ(as(owner, Method::remove, one).status, 404);
  for (const char* body : {R"({"name":"x","scopes":[]})", R"({"name":"x","scopes":["root"]})", R"({"name":"x"})",
                           R"({"name":"x","scopes":["read"],"hash":"0"})",
                           R"({"name":"x","scopes":["read"],"expiresAt":"2001-01-01T00:00:00Z"})",
                           R"({"name":"x","scopes":["read"],"expiresAt":"soon"})"}) {
    EXPECT_EQ(as(owner, Method::post, "/api-keys", body).code(), "VALIDATION") << body;
  }
}

TEST_F(AdminIdentityRoutesTest, KeysWithoutTheScopeStayOutside) {
  const TestResponse made = as(ownerToken(), Method::post, "/api-keys", R"({"name":"r","scopes":["read","write"]})");
  EXPECT_EQ(as(made.at("key"), Method::get, "/users").status, 403);
}

}  // namespace
}  // namespace mb::api
