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
    bool hasUntrustedEntries = false;
  };
  const std::vector<Case> cases = {
      {{}, "10.0.0.1", {"1.2.3.4"}, "10.0.0.1"},
      {{"127.0.0.1"}, "10.0.0.1", {"1.2.3.4"}, "10.0.0.1"},
      {{"10.0.0.0/8"}, "10.0.0.1", {}, "10.0.0.1"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"1.2.3.4"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6, 1.2.3.4"}, "1.2.3.4", true},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6, 1.2.3.4 , 10.9.9.9"}, "1.2.3.4", true},
      {{"10.0.0.0/8"}, "10.0.0.1", {"6.6.6.6", "1.2.3.4,10.0.0.2"}, "1.2.3.4", true},
      {{"10.0.0.0/8"}, "10.0.0.1", {"1.2.3.4", "10.0.0.3"}, "1.2.3.4"},
      {{"10.0.0.0/8"}, "10.0.0.1", {"nonsense, 10.0.0.2"}, "10.0.0.2", true},
      {{"10.0.0.0/8"}, "10.0.0.1", {"nonsense"}, "10.0.0.1", true},
      {{"10.0.0.0/8"}, "10.0.0.1", {"10.0.0.2, 10.0.0.3"}, "10.0.0.2"},
      {{"::1", "127.0.0.0/8"}, "::1", {"2001:db8::5"}, "2001:db8::5"},
      {{"127.0.0.0/8"}, "::ffff:127.0.0.1", {"1.2.3.4"}, "1.2.3.4"},
      {{"2001:db8::/32"}, "2001:db8:1::1", {"1.2.3.4"}, "1.2.3.4"},
      {{"2001:db8::/32"}, "2001:db9::1", {"1.2.3.4"}, "2001:db9::1"},
  };
  for (const auto& [trusted, peer, forwarded, expected, hasUntrustedEntries] : cases) {
    auto proxies = TrustedProxies::parse(trusted);
    ASSERT_TRUE(proxies);
    http::Request request;
    request.peer = peer;
    for (const auto value : forwarded) request.headers.push_back({"X-Forwarded-For", value});
    const ClientAddress address = clientAddress(request, *proxies);
    EXPECT_EQ(address.ip, expected) << peer;
    EXPECT_EQ(address.hasUntrustedEntries, hasUntrustedEntries) << peer << " " << expected;
  }
}

TEST(TrustedProxies, KnowsWhenClientsAreAmongThem) {
  for (const auto* wide : {"0.0.0.0/0", "192.0.0.0/2", "::/0", "2000::/3"}) {
    EXPECT_TRUE(TrustedProxies::parse({wide})->trustAnybody()) << wide;
  }
  for (const auto* narrow : {"127.0.0.1", "10.0.0.0/8", "192.168.0.0/16", "fd00::/8", "2001:db8::/32"}) {
    EXPECT_FALSE(TrustedProxies::parse({narrow})->trustAnybody()) << narrow;
  }
}

TEST(TrustedProxies, RefusesWhatIsNoNetwork) {
  for (const auto* bad : {"nonsense", "10.0.0.0/33", "10.0.0/8", "::1/129", "10.0.0.0/", "10.0.0.0/x"}) {
    EXPECT_FALSE(TrustedProxies::parse({bad})) << bad;
  }
}

}  // namespace
}  // namespace mb::api
