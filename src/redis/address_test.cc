#include "redis/address.h"

#include <gtest/gtest.h>

namespace mb::redis {
namespace {

TEST(Address, ReadsWhatRedisUrlSays) {
  struct Case {
    const char* url;
    const char* host;
    const char* port;
    const char* user;
    const char* password;
    int database;
  };
  for (const Case& c : {Case{"redis://localhost", "localhost", "6379", "", "", 0},
                        Case{"redis://10.0.0.7:7000/3", "10.0.0.7", "7000", "", "", 3},
                        Case{"redis://:secret@host/", "host", "6379", "", "secret", 0},
                        Case{"redis://me:p%40ss%3Aword@host:1", "host", "1", "me", "p@ss:word", 0},
                        Case{"redis://[::1]:6380", "::1", "6380", "", "", 0}}) {
    const auto address = Address::parse(c.url);
    ASSERT_TRUE(address) << c.url;
    EXPECT_EQ(address->host, c.host) << c.url;
    EXPECT_EQ(address->port, c.port) << c.url;
    EXPECT_EQ(address->user, c.user) << c.url;
    EXPECT_EQ(address->password.reveal(), c.password) << c.url;
    EXPECT_EQ(address->database, c.database) << c.url;
  }
}

TEST(Address, RefusesWhatItCannotUse) {
  for (const char* url :
       {"", "localhost:6379", "http://host", "redis://", "redis:///0", "redis://host/x", "redis://host/-1",
        "redis://host/1/2", "redis://host?x=1", "redis://host#x", "redis://host:port", "redis://host/99999999999"}) {
    EXPECT_FALSE(Address::parse(url)) << url;
  }
  const auto tls = Address::parse("rediss://me:hidden@host");
  ASSERT_FALSE(tls);
  EXPECT_NE(tls.error().message().find("without TLS"), std::string::npos);
  EXPECT_EQ(tls.error().message().find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace mb::redis
