#include "api/auth_routes.h"

#include "api/identity_routes_fixture.h"

namespace mb::api {
namespace {

using AuthRoutesTest = IdentityRoutesFixture;
using http::Method;

TEST_F(AuthRoutesTest, FromRegistrationToLogout) {
  const TestResponse made = registerUser("ann@example.com");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at("user.email"), "ann@example.com");
  EXPECT_EQ(made.at("user.status"), "active");
  EXPECT_EQ(made.body.view().count(), 1U);  // {user} only
  EXPECT_FALSE(made.body.view().findPath("user.platformRole"));
  EXPECT_EQ(made.count("user.metadata"), 0U);
  EXPECT_TRUE(made.body.view().findPath("user.mfaEnabled"));

  const TestResponse in = login("ann@example.com");
  EXPECT_EQ(in.status, 200);
  EXPECT_EQ(in.body.view().find("expiresIn")->toInteger(), 900);
  EXPECT_EQ(in.at("user.id"), made.at("user.id"));
  const std::string access = in.at("accessToken");
  const std::string refreshBody = R"({"refreshToken":")" + in.at("refreshToken") + R"("})";

  const TestResponse refreshed = post("/api/v1/auth/refresh", refreshBody);
  EXPECT_EQ(refreshed.status, 200);
  EXPECT_EQ(refreshed.body.view().count(), 2U);  // {accessToken, expiresIn}
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", refreshed.at("accessToken")}).status, 200);

  const TestResponse out = post("/api/v1/auth/logout", refreshBody);
  EXPECT_EQ(out.status, 204);
  EXPECT_TRUE(out.text.empty());
  EXPECT_EQ(post("/api/v1/auth/logout", refreshBody).status, 204);
  EXPECT_EQ(post("/api/v1/auth/logout", R"({"refreshToken":"never seen"})").status, 204);
  EXPECT_EQ(post("/api/v1/auth/refresh", refreshBody).status, 401);
  const TestResponse after = send({Method::get, "/api/v1/auth/sessions", "", access});
  EXPECT_EQ(after.status, 401);
  EXPECT_EQ(after.code(), "UNAUTHENTICATED");
}

TEST_F(AuthRoutesTest, SessionsAreListedAndRevoked) {
  registerUser("ann@example.com");
  registerUser("bob@example.com");
  const TestResponse first = login("ann@example.com");
  const TestResponse second = login("ann@example.com");
  const TestResponse bob = login("bob@example.com");
  const TestResponse listed = send({Method::get, "/api/v1/auth/sessions", "", second.at("accessToken")});
  ASSERT_EQ(listed.count("sessions"), 2U);
  const auto sessions = listed.body.view().find("sessions")->asDocument();
  const auto one = sessions.find("0")->asDocument();
  EXPECT_EQ(one.count(), 7U);  // id createdAt lastUsedAt expiresAt userAgent ip current
  EXPECT_EQ(one.stringOr("userAgent"), "a browser");
  EXPECT_FALSE(one.find("current")->asBool());
  EXPECT_TRUE(sessions.find("1")->asDocument().find("current")->asBool());
  EXPECT_EQ(listed.text.find("oken"), std::string::npos);

  const std::string path = "/api/v1/auth/sessions/" + std::string(one.stringOr("id"));
  EXPECT_EQ(send({Method::remove, path, "", bob.at("accessToken")}).status, 404);
  EXPECT_EQ(send({Method::remove, path, "", second.at("accessToken")}).status, 204);
  EXPECT_EQ(send({Method::remove, path, "", second.at("accessToken")}).status, 404);
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", first.at("accessToken")}).status, 401);
}

TEST_F(AuthRoutesTest, BodiesAreDecodedIntoTypes) {
  registerUser("ann@example.com");
  for (const char* path : {"/api/v1/auth/login", "/api/v1/control/auth/login"}) {
    for (const char* body :
         {R"({"email":{"$ne":""},"password":"correct horse"})", R"({"email":"ann@example.com","password":{"$ne":""}})",
          R"({"email":["ann@example.com"],"password":"correct horse"})", R"({"email":"ann@example.com"})",
          R"({"email":"ann@example.com","password":true})", R"({"email":"ann@example.com","password":null})", "{}",
          R"({"email":"ann@example.com","password":"correct horse","role":"admin"})"}) {
      const TestResponse response = post(path, body);
      EXPECT_EQ(response.status, 400) << path << body;
      EXPECT_EQ(response.code(), "VALIDATION") << body;
      EXPECT_GE(response.count("error.details"), 1U);
    }
    EXPECT_EQ(post(path, "[]").status, 400);
    EXPECT_EQ(post(path, "{").code(), "INVALID_JSON");
    EXPECT_EQ(post(path, "").code(), "VALIDATION");
  }
  for (const char* body : {R"({"refreshToken":{"$gt":""}})", R"({"refreshToken":1})", "{}"}) {
    EXPECT_EQ(post("/api/v1/auth/refresh", body).code(), "VALIDATION") << body;
    EXPECT_EQ(post("/api/v1/auth/logout", body).code(), "VALIDATION") << body;
  }
  // Fields that a user may not set.
  for (const char* field : {R"("metadata":{"role":"boss"})", R"("status":"active")", R"("emailVerified":true)",
                            R"("platformRole":"super-admin")", R"("id":"user_x")"}) {
    const std::string body = std::string(R"({"email":"x@example.com","password":"correct horse",)") + field + "}";
    EXPECT_EQ(post("/api/v1/auth/register", body).code(), "VALIDATION") << field;
    EXPECT_EQ(post("/api/v1/control/auth/register", body).code(), "VALIDATION") << field;
  }
}

TEST_F(AuthRoutesTest, FailuresHaveTheirCodes) {
  registerUser("ann@example.com");
  EXPECT_EQ(registerUser("ANN@example.com").code(), "EMAIL_TAKEN");
  EXPECT_EQ(registerUser("ANN@example.com").status, 409);
  EXPECT_EQ(registerUser("nobody").code(), "VALIDATION");
  EXPECT_EQ(registerUser("b@example.com", "short").code(), "VALIDATION");
  const TestResponse wrong = login("ann@example.com", "wrong horse");
  const TestResponse unknown = login("nobody@example.com", "wrong horse");
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(wrong.code(), "INVALID_CREDENTIALS");
  EXPECT_EQ(wrong.text, unknown.text);
}

TEST_F(AuthRoutesTest, PlatformUsersShareTheHandlers) {
  const TestResponse made =
      post("/api/v1/control/auth/register", R"({"email":"dev@example.com","password":"correct horse","name":"Dev"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at("user.platformRole"), "user");
  EXPECT_EQ(made.at("user.plan"), "free");
  EXPECT_EQ(made.at("user.name"), "Dev");
  const TestResponse in =
      post("/api/v1/control/auth/login", R"({"email":"dev@example.com","password":"correct horse"})");
  EXPECT_EQ(in.status, 200);
  const std::string token = in.at("accessToken");
  EXPECT_EQ(send({Method::get, "/api/v1/control/auth/sessions", "", token}).count("sessions"), 1U);
  // Each plane refuses tokens of the other, and has its own users.
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).status, 401);
  EXPECT_EQ(login("dev@example.com").status, 401);
  registerUser("ann@example.com");
  const std::string ann = login("ann@example.com").at("accessToken");
  EXPECT_EQ(send({Method::get, "/api/v1/control/auth/sessions", "", ann}).status, 401);
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", ownerToken()}).status, 403);
}

TEST_F(AuthRoutesTest, ActionsAreLimitedByAddress) {
  const std::string body = R"({"email":"ann@example.com","password":"correct horse"})";
  TestResponse last;
  for (int i = 0; i < 11; ++i) last = send({Method::post, "/api/v1/auth/login", body, "", slug()});
  EXPECT_EQ(last.status, 429);
  EXPECT_EQ(last.code(), "RATE_LIMITED");
  EXPECT_TRUE(std::any_of(last.headers.begin(), last.headers.end(),
                          [](const auto& header) { return header.first == "retry-after" && header.second == "60"; }));
  EXPECT_EQ(send({Method::post, "/api/v1/auth/register", body, "", slug()}).status, 201);
  EXPECT_EQ(send({Method::post, "/api/v1/control/auth/login", body}).status, 401);
  clock_.advance(60'000);
  EXPECT_EQ(send({Method::post, "/api/v1/auth/login", body, "", slug()}).status, 200);
}

TEST_F(AuthRoutesTest, HiddenRegistrationsAndRotatedTokensAreSettingsOfTheProject) {
  projects::ProjectPatch patch;
  patch.settings = projects::SettingsPatch{.allowedOrigins = {}, .hideRegistered = true, .rotateRefreshTokens = true};
  ASSERT_TRUE(run(projects_->change(by(owner_), project_.id.str(), patch)));
  registerUser("ann@example.com");
  const TestResponse again = registerUser("ann@example.com", "another horse");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.at("user.email"), "ann@example.com");
  EXPECT_EQ(login("ann@example.com", "another horse").status, 401);
  const TestResponse in = login("ann@example.com");
  const std::string old = R"({"refreshToken":")" + in.at("refreshToken") + R"("})";
  const TestResponse refreshed = post("/api/v1/auth/refresh", old);
  EXPECT_EQ(refreshed.status, 200);
  EXPECT_FALSE(refreshed.at("refreshToken").empty());
  EXPECT_EQ(post("/api/v1/auth/refresh", old).at("refreshToken"), refreshed.at("refreshToken"));
  clock_.advance(identity::kRotationGraceMs);
  EXPECT_EQ(post("/api/v1/auth/refresh", old).status, 401);
  EXPECT_EQ(post("/api/v1/auth/refresh", R"({"refreshToken":")" + refreshed.at("refreshToken") + R"("})").status, 401);
}

TEST_F(AuthRoutesTest, SuspensionHoldsForEveryRoute) {
  registerUser("ann@example.com");
  const std::string token = login("ann@example.com").at("accessToken");
  ASSERT_TRUE(run(projects_->suspend(by(owner_), project_.id.str())));
  EXPECT_EQ(login("ann@example.com").code(), "PROJECT_SUSPENDED");
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).code(), "PROJECT_SUSPENDED");
  ASSERT_TRUE(run(projects_->resume(by(owner_), project_.id.str())));
  EXPECT_EQ(send({Method::get, "/api/v1/auth/sessions", "", token}).status, 200);
}

TEST_F(AuthRoutesTest, PublicKeysForAnyone) {
  const TestResponse keys = send({Method::get, "/api/v1/jwks.json"});
  EXPECT_EQ(keys.status, 200);
  EXPECT_EQ(keys.count("keys"), 1U);
  EXPECT_EQ(keys.text.find("\"d\""), std::string::npos);
}

}  // namespace
}  // namespace mb::api
