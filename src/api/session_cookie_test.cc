#include "api/session_cookie.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

using State = http::CookieLookup::State;

http::Request with(std::vector<http::Header> headers) {
  http::Request request;
  request.headers = std::move(headers);
  return request;
}

std::string headerSetBy(const SessionCookie& cookie) {
  http::Response response;
  cookie.set(response, "secret");
  EXPECT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.headers[0].first, "set-cookie");
  return response.headers[0].second;
}

// "cookie", "none", or the error's code.
std::string requested(const SessionCookie& cookie, std::vector<http::Header> headers) {
  const auto result = cookie.requestedBy(with(std::move(headers)));
  if (!result) return std::string(meaningOf(result.error().code()).wire);
  EXPECT_TRUE(*result == nullptr || *result == &cookie);
  return *result == nullptr ? "none" : "cookie";
}

std::string fromOrigin(const SessionCookie& cookie, std::string_view origin) {
  return requested(cookie, {{"x-service-session", "cookie"}, {"Origin", origin}});
}

TEST(SessionCookie, FollowsTheBaseUrl) {
  EXPECT_EQ(headerSetBy(SessionCookie("https://api.example.com")),
            "__Secure-mb_refresh=secret; HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; "
            "Max-Age=2592000; Secure");
  EXPECT_EQ(headerSetBy(SessionCookie("http://localhost:8090")),
            "mb_refresh_8090=secret; HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; Max-Age=2592000");
  for (const auto& [url, name] :
       {std::pair{"https://api.example.com:8443", "__Secure-mb_refresh="},
        std::pair{"http://api.example.com", "mb_refresh_80="}, std::pair{"http://api.example.com:80", "mb_refresh_80="},
        std::pair{"http://[::1]:9000", "mb_refresh_9000="}, std::pair{"http://[::1]", "mb_refresh_80="}}) {
    EXPECT_TRUE(headerSetBy(SessionCookie(url)).starts_with(name)) << url;
  }
}

TEST(SessionCookie, HasThePathOfABaseUrlBelowTheRoot) {
  EXPECT_EQ(headerSetBy(SessionCookie("https://example.com/back/end")),
            "__Secure-mb_refresh=secret; HttpOnly; SameSite=Strict; Path=/back/end/api/v1/control/auth/refresh; "
            "Max-Age=2592000; Secure");
  EXPECT_EQ(fromOrigin(SessionCookie("https://example.com/back/end"), "https://example.com"), "cookie");
  EXPECT_EQ(basePathOf("https://example.com/back/end"), "/back/end");
  EXPECT_EQ(basePathOf("https://example.com"), "");
}

TEST(SessionCookie, IsClearedByAnEmptyOneOfTheSamePath) {
  http::Response response;
  SessionCookie("https://example.com").clear(response);
  EXPECT_EQ(response.headers[0].second,
            "__Secure-mb_refresh=; HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; Max-Age=0; Secure");
}

TEST(SessionCookie, NeedsItsHeader) {
  const SessionCookie cookie("http://localhost:8090");
  EXPECT_EQ(requested(cookie, {}), "none");
  EXPECT_EQ(requested(cookie, {{"cookie", "mb_refresh_8090=secret"}, {"origin", "https://evil.example"}}), "none");
  EXPECT_EQ(requested(cookie, {{"X-Service-Session", "cookie"}}), "cookie");
  for (const std::string_view other : {"", "Cookie", "body", "cookie, cookie", "1"}) {
    EXPECT_EQ(requested(cookie, {{"x-service-session", other}}), "VALIDATION") << other;
  }
  EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"}, {"x-service-session", "body"}}), "VALIDATION");
}

TEST(SessionCookie, IsForPagesOfTheOwnOriginOnly) {
  const SessionCookie cookie("https://api.example.com:8443/x");
  EXPECT_EQ(fromOrigin(cookie, "https://api.example.com:8443"), "cookie");
  for (const std::string_view other :
       {"https://api.example.com", "http://api.example.com:8443", "https://evil.example", "https://localhost:8443",
        "https://api.example.com:8443.evil.example", "https://www.api.example.com:8443",
        "https://api.example.com:8443/x", "null", ""}) {
    EXPECT_EQ(fromOrigin(cookie, other), "FORBIDDEN") << other;
  }
  // Every origin header counts, whatever the order.
  EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"},
                               {"origin", "https://api.example.com:8443"},
                               {"origin", "https://evil.example"}}),
            "FORBIDDEN");
  EXPECT_EQ(fromOrigin(SessionCookie("https://EXAMPLE.com:443"), "https://example.com"), "cookie");
}

TEST(SessionCookie, IsForRequestsOfTheSameOriginOnly) {
  const SessionCookie cookie("http://localhost:8090");
  for (const std::string_view site : {"cross-site", "same-site", "none", ""}) {
    EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"}, {"Sec-Fetch-Site", site}}), "FORBIDDEN") << site;
  }
  EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"}, {"Sec-Fetch-Site", "same-origin"}}), "cookie");
  EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"},
                               {"Sec-Fetch-Site", "same-origin"},
                               {"Origin", "http://localhost:8090"}}),
            "cookie");
  EXPECT_EQ(requested(cookie, {{"x-service-session", "cookie"},
                               {"Sec-Fetch-Site", "same-site"},
                               {"Origin", "http://localhost:8090"}}),
            "FORBIDDEN");
}

TEST(SessionCookie, NamesOfALoopbackAddressAreOneOrigin) {
  for (const std::string_view base : {"http://localhost:8090", "http://127.0.0.1:8090", "http://[::1]:8090/x"}) {
    const SessionCookie cookie(base);
    for (const std::string_view name : {"http://localhost:8090", "http://127.0.0.1:8090", "http://[::1]:8090"}) {
      EXPECT_EQ(fromOrigin(cookie, name), "cookie") << base << " " << name;
    }
    for (const std::string_view other :
         {"http://localhost:8091", "http://localhost", "https://localhost:8090", "http://127.0.0.2:8090",
          "http://localhost.:8090", "http://evil.localhost:8090"}) {
      EXPECT_EQ(fromOrigin(cookie, other), "FORBIDDEN") << base << " " << other;
    }
  }
  EXPECT_EQ(fromOrigin(SessionCookie("http://127.0.0.2:8090"), "http://127.0.0.2:8090"), "cookie");
  EXPECT_EQ(fromOrigin(SessionCookie("http://localhost"), "http://127.0.0.1"), "cookie");
  EXPECT_EQ(fromOrigin(SessionCookie("http://10.0.0.1:8090"), "http://localhost:8090"), "FORBIDDEN");
}

TEST(SessionCookie, OfAnotherServerIsAbsent) {
  const SessionCookie cookie("http://localhost:8090");
  EXPECT_EQ(cookie.find(with({{"cookie", "mb_refresh_8091=a; __Secure-mb_refresh=b; mb_oauth=c"}})).state,
            State::absent);
  EXPECT_EQ(cookie.find(with({{"cookie", "mb_refresh_8091=a; mb_refresh_8090=b"}})).value, "b");
  EXPECT_EQ(cookie.find(with({{"cookie", "mb_refresh_8090=a; mb_refresh_8090=b"}})).state, State::unusable);
}

}  // namespace
}  // namespace mb::api
