#include "outbound/address_rule.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace mb::outbound {
namespace {

using boost::asio::ip::make_address;

constexpr const char* kPublic[] = {
    "1.1.1.1",         "8.8.8.8",      "9.255.255.255",   "11.0.0.0",       "100.63.255.255",    "100.128.0.0",
    "126.255.255.255", "128.0.0.1",    "169.253.255.255", "172.15.255.255", "172.32.0.0",        "192.0.1.0",
    "192.167.255.255", "192.169.0.0",  "198.17.255.255",  "198.20.0.0",     "223.255.255.255",   "2606:4700::1111",
    "2001:4860::8888", "2a00:1450::1", "2001:200::1",     "2003::1",        "3ffe:ffff:ffff::1",
};
constexpr const char* kNotPublic[] = {
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff02::1",
};

TEST(AddressRule, KnowsThePublicInternet) {
  for (const char* address : kPublic) EXPECT_TRUE(isPublic(make_address(address))) << address;
  for (const char* address : kNotPublic) EXPECT_FALSE(isPublic(make_address(address))) << address;
}

sockaddr_storage stored(const char* text, socklen_t& size) {
  sockaddr_storage out{};
  const auto address = make_address(text);
  if (address.is_v4()) {
    auto& in = reinterpret_cast<sockaddr_in&>(out);
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(address.to_v4().to_uint());
    size = sizeof in;
  } else {
    auto& in = reinterpret_cast<sockaddr_in6&>(out);
    in.sin6_family = AF_INET6;
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(&in.sin6_addr, bytes.data(), bytes.size());
    size = sizeof in;
  }
  return out;
}

bool permits(const AddressRule& rule, Trust trust, const char* text) {
  socklen_t size = 0;
  const sockaddr_storage address = stored(text, size);
  return rule.permits(trust, reinterpret_cast<const sockaddr*>(&address), size);
}

TEST(AddressRule, TheOperatorIsExemptAndMayAllow) {
  const AddressRule none{Networks()};
  const AddressRule some{*Networks::parse({"127.0.0.0/8", "fd12::/16"})};
  for (const char* address : kNotPublic) {
    EXPECT_TRUE(permits(none, Trust::deployment, address)) << address;
    EXPECT_FALSE(permits(none, Trust::guarded, address)) << address;
  }
  EXPECT_TRUE(permits(none, Trust::guarded, "8.8.8.8"));
  EXPECT_TRUE(permits(some, Trust::guarded, "127.0.0.1"));
  EXPECT_TRUE(permits(some, Trust::guarded, "::ffff:127.0.0.1"));
  EXPECT_TRUE(permits(some, Trust::guarded, "fd12::5"));
  EXPECT_FALSE(permits(some, Trust::guarded, "10.0.0.1"));
  EXPECT_FALSE(permits(some, Trust::guarded, "fd13::5"));
  EXPECT_FALSE(permits(some, Trust::guarded, "64:ff9b::7f00:1"));
}

TEST(AddressRule, OtherFamiliesAreNotPublic) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  const AddressRule rule{Networks()};
  EXPECT_FALSE(rule.permits(Trust::guarded, reinterpret_cast<const sockaddr*>(&local), sizeof local));
  socklen_t size = 0;
  const sockaddr_storage address = stored("8.8.8.8", size);
  EXPECT_FALSE(rule.permits(Trust::guarded, reinterpret_cast<const sockaddr*>(&address), 4));
}

}  // namespace
}  // namespace mb::outbound
