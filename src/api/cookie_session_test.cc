// A browser's session on the control plane, through the routes.
#include "api/identity_routes_fixture.h"
#include "api/session_cookie.h"
#include "identity/rate_limiter.h"

namespace mb::api {
namespace {

using http::Method;

constexpr std::string_view kRefresh = "/api/v1/control/auth/refresh";
constexpr std::string_view kCredentials = R"({"email":"dev@example.com","password":"correct horse"})";

class CookieSessionTest : public IdentityRoutesFixture {
 protected:
  CookieSessionTest() { EXPECT_EQ(post("/api/v1/control/auth/register", std::string(kCredentials)).status, 201); }

  static std::string headerOf(const TestResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  // The value of the cookie that the response sets; "-" without one, "" where it is cleared.
  static std::string cookieOf(const TestResponse& response) {
    const std::string header = headerOf(response, "set-cookie");
    if (header.empty()) return "-";
    EXPECT_TRUE(header.starts_with("mb_refresh_80=")) << header;
    const size_t begin = header.find('=') + 1;
    return header.substr(begin, header.find(';') - begin);
  }

  TestResponse call(std::string_view path, std::string body, const std::string& cookie = "", std::string peer = "") {
    const std::string value = "a=b; mb_refresh_80=" + cookie;
    TestRequest request{Method::post, std::string(path), std::move(body)};
    request.peer = peer.empty() ? freshPeer() : std::move(peer);
    request.headers = {{"x-service-session", "cookie"}};
    if (!cookie.empty()) request.headers.push_back({"cookie", value});
    return send(std::move(request));
  }
  TestResponse signIn() { return call("/api/v1/control/auth/login", std::string(kCredentials)); }
  TestResponse refresh(const std::string& cookie, std::string peer = "") {
    return call(kRefresh, "{}", cookie, std::move(peer));
  }
  static std::string body(const std::string& token) { return R"({"refreshToken":")" + token + R"("})"; }
  TestResponse move(const std::string& token) { return call(kRefresh, body(token)); }
  TestResponse plain(const std::string& token) { return post(std::string(kRefresh), body(token)); }
  std::string plainLogin() { return post("/api/v1/control/auth/login", std::string(kCredentials)).at("refreshToken"); }
};

TEST_F(CookieSessionTest, TheTokenIsInTheCookieAlone) {
  const TestResponse in = signIn();
  EXPECT_EQ(in.status, 200);
  EXPECT_EQ(in.body.view().count(), 3U);  // accessToken, expiresIn, user
  const std::string token = cookieOf(in);
  EXPECT_EQ(token.size(), 43U);
  EXPECT_EQ(in.text.find(token), std::string::npos);
  EXPECT_EQ(headerOf(in, "cache-control"), "no-store");

  const TestResponse again = refresh(token);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.view().count(), 2U);  // accessToken, expiresIn
  EXPECT_EQ(cookieOf(again), token);
  EXPECT_NE(headerOf(again, "set-cookie").find("Max-Age=2592000"), std::string::npos);
  EXPECT_EQ(send({Method::get, "/api/v1/control/auth/sessions", "", again.at("accessToken")}).count("sessions"), 1U);
}

TEST_F(CookieSessionTest, WithoutTheHeaderNothingDiffers) {
  const TestResponse in = post("/api/v1/control/auth/login", std::string(kCredentials));
  EXPECT_EQ(in.body.view().count(), 4U);
  EXPECT_EQ(cookieOf(in), "-");
  const std::string cookie = "mb_refresh_80=" + in.at("refreshToken");
  TestRequest request{Method::post, std::string(kRefresh), "{}"};
  request.headers = {{"cookie", cookie}};
  const TestResponse refused = send(request);
  EXPECT_EQ(refused.code(), "VALIDATION");
  EXPECT_EQ(refused.count("error.details"), 1U);
  request.body = R"({"refreshToken":null})";
  EXPECT_EQ(send(request).code(), "VALIDATION");
  request.body = body("wrong");
  EXPECT_EQ(send(request).status, 401);
  const TestResponse refreshed = plain(in.at("refreshToken"));
  EXPECT_EQ(refreshed.status, 200);
  EXPECT_EQ(cookieOf(refreshed), "-");
  const TestResponse listed = send({Method::get, "/api/v1/control/auth/sessions", "", in.at("accessToken")});
  const auto sessions = listed.body.view().find("sessions")->asDocument();
  const std::string id(sessions.find("0")->asDocument().stringOr("id"));
  const TestResponse ended = send({Method::remove, "/api/v1/control/auth/sessions/" + id, "", in.at("accessToken")});
  EXPECT_EQ(ended.status, 204);
  EXPECT_EQ(cookieOf(ended), "-");
}

TEST_F(CookieSessionTest, EndUsersHaveNone) {
  registerUser("ann@example.com");
  TestRequest request{Method::post, "/api/v1/auth/login", R"({"email":"ann@example.com","password":"correct horse"})"};
  request.project = slug();
  request.headers = {{"x-service-session", "cookie"}};
  const TestResponse in = send(request);
  EXPECT_EQ(in.body.view().count(), 4U);
  EXPECT_EQ(cookieOf(in), "-");
}

TEST_F(CookieSessionTest, RequestsOfOtherPagesChangeNothing) {
  const std::string token = cookieOf(signIn());
  for (const http::Header& foreign :
       {http::Header{"origin", "https://evil.example"}, http::Header{"sec-fetch-site", "cross-site"}}) {
    for (const std::string_view path : {std::string_view("/api/v1/control/auth/login"), kRefresh}) {
      TestRequest request{Method::post, std::string(path), path == kRefresh ? body(token) : std::string(kCredentials)};
      request.peer = freshPeer();
      request.headers = {{"x-service-session", "cookie"}, foreign};
      const TestResponse refused = send(request);
      EXPECT_EQ(refused.code(), "FORBIDDEN") << path;
      EXPECT_EQ(cookieOf(refused), "-");
    }
  }
  EXPECT_EQ(refresh(token).status, 200);
}

TEST_F(CookieSessionTest, AbsentAndDeadCookiesAre401) {
  EXPECT_EQ(refresh("").status, 401);
  for (const std::string& dead : {std::string("x"), std::string(8000, 'x'), std::string("x; mb_refresh_80=y"),
                                  "\"" + cookieOf(signIn()) + "\""}) {
    const TestResponse refused = refresh(dead);
    EXPECT_EQ(refused.code(), "UNAUTHENTICATED");
    EXPECT_EQ(cookieOf(refused), "-");
  }
  const std::string twice = cookieOf(signIn());
  EXPECT_EQ(refresh(twice + "; mb_refresh_80=" + twice).status, 401);
  EXPECT_EQ(refresh(twice).status, 200);
}

TEST_F(CookieSessionTest, RefreshesCountPerSession) {
  const std::string mine = cookieOf(signIn());
  const std::string other = cookieOf(signIn());
  const std::string peer = "203.0.113.7";
  for (int i = 0; i < identity::kCookieRate.requests; ++i) ASSERT_EQ(refresh(mine, peer).status, 200) << i;
  const TestResponse refused = refresh(mine);
  EXPECT_EQ(refused.code(), "RATE_LIMITED");
  EXPECT_EQ(headerOf(refused, "retry-after"), "60");
  EXPECT_EQ(headerOf(refused, "ratelimit-policy"), "\"session\";q=60;w=60");
  EXPECT_EQ(cookieOf(refused), "-");
  // Neither another session at the address nor the address itself is affected.
  EXPECT_EQ(headerOf(refresh(other, peer), "ratelimit"), "\"session\";r=59;t=60");
  EXPECT_EQ(call(kRefresh, body(plainLogin()), "", peer).status, 200);
  clock_.advance(60'000);
  EXPECT_EQ(refresh(mine, peer).status, 200);
}

TEST_F(CookieSessionTest, DeadCookiesCountPerAddress) {
  const std::string live = cookieOf(signIn());
  const std::string peer = "203.0.113.8";
  for (int i = 0; i < 20; ++i) ASSERT_EQ(refresh("", peer).status, 401);  // without a cookie nothing is looked up
  for (int i = 0; i < 10; ++i) ASSERT_EQ(refresh("dead" + std::to_string(i), peer).status, 401) << i;
  const TestResponse refused = refresh("dead", peer);
  EXPECT_EQ(refused.code(), "RATE_LIMITED");
  EXPECT_EQ(headerOf(refused, "ratelimit-policy"), "\"refresh\";q=10;w=60");
  EXPECT_EQ(refresh("dead").status, 401);
  EXPECT_EQ(refresh(live, peer).status, 200);
  // Tokens in bodies share the limit, moved ones too.
  EXPECT_EQ(call(kRefresh, body(plainLogin()), "", peer).code(), "RATE_LIMITED");
  EXPECT_EQ(send({Method::post, std::string(kRefresh), body("x"), "", "", peer}).code(), "RATE_LIMITED");
}

TEST_F(CookieSessionTest, AMovedTokenEnds) {
  const std::string first = plainLogin();
  const TestResponse moved = move(first);
  EXPECT_EQ(moved.status, 200);
  EXPECT_EQ(moved.body.view().count(), 2U);
  const std::string second = cookieOf(moved);
  EXPECT_TRUE(second.starts_with(first + ".1."));
  EXPECT_EQ(moved.text.find(second), std::string::npos);
  // The page may repeat a move whose response was lost; its scripts get nothing for the old token.
  EXPECT_EQ(cookieOf(move(first)), second);
  EXPECT_EQ(plain(first).status, 401);
  EXPECT_EQ(refresh(second).status, 200);
  EXPECT_EQ(cookieOf(refresh(second)), second);
}

TEST_F(CookieSessionTest, AMovedTokenThatIsUsedLaterEndsTheSession) {
  for (const bool byMove : {true, false}) {
    const std::string first = plainLogin();
    const TestResponse moved = move(first);
    clock_.advance(identity::kRotationGraceMs);
    EXPECT_EQ((byMove ? move(first) : plain(first)).status, 401);
    EXPECT_EQ(refresh(cookieOf(moved)).status, 401);
    EXPECT_EQ(send({Method::get, "/api/v1/control/auth/sessions", "", moved.at("accessToken")}).status, 401);
  }
}

TEST_F(CookieSessionTest, AnOldCookieEndsTheSession) {
  const std::string first = cookieOf(signIn());
  const std::string second = cookieOf(move(first));
  EXPECT_EQ(cookieOf(refresh(first)), second);  // another tab's request was on its way
  const std::string third = cookieOf(move(second));
  EXPECT_EQ(refresh(first).status, 401);
  EXPECT_EQ(refresh(third).status, 401);
}

TEST_F(CookieSessionTest, RevokingTheCurrentSessionClearsTheCookie) {
  const TestResponse mine = signIn();
  const TestResponse other = signIn();
  const auto revoke = [&](const TestResponse& which, const TestResponse& by) {
    const TestResponse listed = send({Method::get, "/api/v1/control/auth/sessions", "", which.at("accessToken")});
    for (const auto& element : listed.body.view().find("sessions")->asDocument()) {
      const auto session = element.value.asDocument();
      if (!session.find("current")->asBool()) continue;
      const std::string path = "/api/v1/control/auth/sessions/" + std::string(session.stringOr("id"));
      return send({Method::remove, path, "", by.at("accessToken")});
    }
    return TestResponse();
  };
  const TestResponse others = revoke(other, mine);
  EXPECT_EQ(others.status, 204);
  EXPECT_EQ(cookieOf(others), "-");
  EXPECT_EQ(refresh(cookieOf(other)).status, 401);

  const TestResponse own = revoke(mine, mine);
  EXPECT_EQ(own.status, 204);
  EXPECT_EQ(headerOf(own, "set-cookie"),
            "mb_refresh_80=; HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; Max-Age=0");
  EXPECT_EQ(refresh(cookieOf(mine)).status, 401);

  const std::string moved = plainLogin();
  const TestResponse inCookie = move(moved);
  EXPECT_EQ(cookieOf(revoke(inCookie, inCookie)), "");
}

TEST_F(CookieSessionTest, CookiesOfSessionsThatEndedElsewhereAreDead) {
  const TestResponse in = signIn();
  const UserId user(in.at("user.id"));
  ASSERT_TRUE(run(identity_.sessions().endAll(identity::Realm::platform(), user, std::nullopt, soon())));
  EXPECT_EQ(refresh(cookieOf(in)).status, 401);
}

TEST_F(CookieSessionTest, BodiesAreDecodedIntoTypes) {
  for (const char* bad : {R"({"refreshToken":{"$gt":""}})", R"({"refreshToken":1})", R"({"token":"x"})", "[]"}) {
    EXPECT_EQ(call(kRefresh, bad).code(), "VALIDATION") << bad;
  }
  EXPECT_EQ(call(kRefresh, "").code(), "VALIDATION");
  EXPECT_EQ(call(kRefresh, "{").code(), "INVALID_JSON");
  for (const std::string_view path : {std::string_view("/api/v1/control/auth/login"), kRefresh}) {
    TestRequest request{Method::post, std::string(path), path == kRefresh ? "{}" : std::string(kCredentials)};
    request.headers = {{"x-service-session", "body"}};
    EXPECT_EQ(send(request).code(), "VALIDATION") << path;
  }
}

}  // namespace
}  // namespace mb::api
