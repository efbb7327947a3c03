#include "api/local_requests.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

TEST(LocalRequests, HostsOfTheLoopback) {
  for (const std::string_view host :
       {"localhost", "LocalHost:8090", "127.0.0.1", "127.0.0.1:8090", "127.8.9.10:1", "[::1]", "[::1]:8090", "::1"}) {
    EXPECT_TRUE(isLoopbackHost(host)) << host;
  }
  for (const std::string_view host :
       {"", "example.com", "localhost.example.com", "127.0.0.1.example.com", "localhost@example.com", "0.0.0.0:8090",
        "10.0.0.1", "[::]", "[::1", "::ffff:10.0.0.1", "127.1", "2130706433", "localhost:1:2", "[fe80::1]:80", " "}) {
    EXPECT_FALSE(isLoopbackHost(host)) << host;
  }
}

TEST(LocalRequests, UrlsOfTheLoopback) {
  for (const std::string_view url : {"http://localhost:8090", "https://localhost", "http://127.0.0.1:8090/",
                                     "http://[::1]:8090", "HTTP://LOCALHOST:3000"}) {
    EXPECT_TRUE(isLoopbackUrl(url)) << url;
  }
  for (const std::string_view url :
       {"", "null", "localhost", "localhost:8090", "https://evil.example", "http://localhost.evil.example",
        "http://localhost:@evil.example", "http://evil.example/http://localhost", "file://localhost", "http://",
        "chrome-extension://localhost", "http://10.0.0.1:8090", "http://localhost http://localhost"}) {
    EXPECT_FALSE(isLoopbackUrl(url)) << url;
  }
}

http::Request requestOf(std::vector<http::Header> headers, std::string_view target = "/api/v1/health") {
  http::Request request;
  request.target = target;
  request.headers = std::move(headers);
  return request;
}

bool isLocal(bool localOnly, std::vector<http::Header> headers, std::string_view target = "/api/v1/health") {
  return LocalRequests(localOnly).isLocal(requestOf(std::move(headers), target));
}

TEST(LocalRequests, NothingMaySpeakAgainstIt) {
  EXPECT_TRUE(isLocal(true, {{"Host", "localhost:8090"}, {"user-agent", "curl"}}));
  EXPECT_FALSE(isLocal(false, {{"host", "localhost:8090"}}));
  EXPECT_FALSE(isLocal(true, {}));
  EXPECT_FALSE(isLocal(true, {{"host", "evil.example"}}));
  EXPECT_FALSE(isLocal(true, {{"host", "localhost"}}, "http://evil.example/api/v1/health"));
  for (const std::string_view name :
       {"Forwarded", "Via", "X-Forwarded-For", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-anything",
        "x-forwarded", "X-Real-IP", "cf-connecting-ip", "true-client-ip"}) {
    EXPECT_FALSE(isLocal(true, {{"host", "localhost"}, {name, ""}})) << name;
  }
  http::Request old = requestOf({{"host", "127.0.0.1:8090"}});
  EXPECT_TRUE(LocalRequests(true).isLocal(old));
  old.http10 = true;
  EXPECT_FALSE(LocalRequests(true).isLocal(old));
  EXPECT_FALSE(LocalRequests(true).hasLocalConnection(old));
}

TEST(LocalRequests, NoPageOfAnotherSiteSends) {
  const http::Header host{"host", "localhost:8090"};
  EXPECT_TRUE(isLocal(true, {host, {"Origin", "http://localhost:8090"}, {"Sec-Fetch-Site", "same-origin"}}));
  EXPECT_TRUE(isLocal(true, {host, {"origin", "http://127.0.0.1:3000"}, {"sec-fetch-site", "same-site"}}));
  EXPECT_TRUE(isLocal(true, {host, {"sec-fetch-site", "none"}}));
  for (const std::string_view origin :
       {"https://evil.example", "http://localhost.evil.example", "null", "", "localhost:8090", "file://"}) {
    EXPECT_FALSE(isLocal(true, {host, {"Origin", origin}})) << origin;
    EXPECT_FALSE(isLocal(true, {host, {"origin", "http://localhost:8090"}, {"origin", origin}})) << origin;
  }
  EXPECT_FALSE(isLocal(true, {host, {"Sec-Fetch-Site", "cross-site"}}));
  EXPECT_FALSE(isLocal(true, {host, {"origin", "http://localhost:8090"}, {"sec-fetch-site", "Cross-Site"}}));
  // A navigation from another site is a local connection too; routes that change something require isLocal().
  EXPECT_TRUE(LocalRequests(true).hasLocalConnection(requestOf({host, {"sec-fetch-site", "cross-site"}})));
  EXPECT_FALSE(LocalRequests(true).hasLocalConnection(requestOf({host, {"via", "1.1 proxy"}})));
  EXPECT_FALSE(LocalRequests(false).hasLocalConnection(requestOf({host})));
}

}  // namespace
}  // namespace mb::api
