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

bool isLocal(bool localOnly, std::vector<http::Header> headers, std::string_view target = "/api/v1/health") {
  http::Request request;
  request.target = target;
  request.headers = std::move(headers);
  return LocalRequests(localOnly).isLocal(request);
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
}

}  // namespace
}  // namespace mb::api
