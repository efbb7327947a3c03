#include "base/networks.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

bool contain(const std::vector<std::string>& networks, const char* address) {
  auto parsed = Networks::parse(networks);
  EXPECT_TRUE(parsed);
  return parsed->contain(boost::asio::ip::make_address(address));
}

TEST(Networks, ContainWhatIsInside) {
  EXPECT_TRUE(contain({"10.0.0.0/8"}, "10.255.1.2"));
  EXPECT_FALSE(contain({"10.0.0.0/8"}, "11.0.0.0"));
  EXPECT_TRUE(contain({"192.0.2.7"}, "192.0.2.7"));
  EXPECT_FALSE(contain({"192.0.2.7"}, "192.0.2.8"));
  EXPECT_TRUE(contain({"fd00::/8", "10.0.0.0/8"}, "fdab::1"));
  EXPECT_FALSE(contain({"fd00::/8"}, "fe80::1"));
  EXPECT_TRUE(contain({"::1"}, "::1"));
  EXPECT_TRUE(contain({"127.0.0.0/8"}, "::ffff:127.0.0.1"));
  EXPECT_FALSE(contain({}, "127.0.0.1"));
}

TEST(Networks, OthersAreRefused) {
  for (const char* text :
       {"", "10.0.0.0/33", "10.0.0/8", "example.com", "10.0.0.0/", "10.0.0.0/-1", "::/129", "0x7f.1"}) {
    EXPECT_FALSE(Networks::parse({text})) << text;
  }
}

}  // namespace
}  // namespace mb
