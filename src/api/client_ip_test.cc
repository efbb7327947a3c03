#include "api/client_ip.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

TEST(ClientIp, BelievesTrustedProxiesOnly) {
  struct Case {
    std::vector<std::string> trusted;
    std::string peer;
    std::vector<std::string_view> forwarded;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {{}, "10.0.0.1", {"1.2.3.4"}, "10.0.0.1"},
      {{"127.0.0.1"}, "10.0.0.1", {"1.2.3.4"}, "10.0.0.1"},
      {{"10.0.0.0/8"}, "10.0.0.1", {}, "10.0.0.1"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"1.2.3.4"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6, 1.2.3.4"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6, 1.2.3.4 , 10.9.9.9"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6", "1.2.3.4,10.0.0.2"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"1.2.3.4", "10.0.0.3"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"nonsense, 10.0.0.2"}, "10.0.0.2"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"nonsense"}, "10.0.0.1"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"10.0.0.2, 10.0.0.3"}, "10.0.0.2"},
      {{"::1", "127.0.0.0/8"}, "::1", {"2001:db8::5"}, "2001:db8::5"},
      {{"127.0.0.0/8"}, "::ffff:127.0.0.1", {"1.2.3.4"}, "1.2.3.4"},
      {{"2001:db8::/32"}, "2001:db8:1::1", {"1.2.3.4"}, "1.2.3.4"},
      {{"2001:db8::/32"}, "2001:db9::1", {"1.2.3.4"}, "2001:db9::1"},
  };
  for (const auto& [trusted, peer, forwarded, expected] : cases) {
    auto proxies = TrustedProxies::parse(trusted);
    ASSERT_TRUE(proxies);
    http::Request request;
    request.peer = peer;
    for (const auto value : forwarded) request.headers.push_back({"X-Forwarded-For", value});
    EXPECT_EQ(clientIp(request, *proxies), expected) << peer;
  }
}

TEST(TrustedProxies, RefusesWhatIsNoNetwork) {
  for (const auto* bad : {"nonsense", "10.0.0.0/33", "10.0.0/8", "::1/129", "10.0.0.0/", "10.0.0.0/x"}) {
    EXPECT_FALSE(TrustedProxies::parse({bad})) << bad;
  }
}

}  // namespace
}  // namespace mb::api
