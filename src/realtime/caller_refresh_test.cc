// Repeated lookups of callers: several at a time, each token once.
#include "realtime/caller_refresh.h"

#include "base/testing.h"
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

class CallerRefreshTest : public RealtimeTest {
 protected:
  CallerRefreshTest() { collection("posts", R"({"read":{}})"); }
  ~CallerRefreshTest() override { auth_.letGo(); }
  Client& follower(const std::string& token) {
    Client& client = connectAs(token);
    follow(client, "s", "posts");
    return client;
  }
  std::string numbered(int number) {
    std::string token = fmt::format("user{}", number);
    auth_.add(token, bob_, kStart + kHour);
    return token;
  }
  std::string documentId(Client& client) { return field(next(client), "event.documentId"); }
};

TEST_F(CallerRefreshTest, SlowLookupsDoNotWaitForEachOther) {
  std::vector<Client*> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(&follower(numbered(i)));
  for (int i = 0; i < 5; ++i) auth_.hold(fmt::format("user{}", i));
  auth_.drop();
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(until([&] { return auth_.underWay() >= 5; })) << auth_.underWay();
  for (int i = 0; i < 5; ++i) EXPECT_GE(auth_.lookups(fmt::format("user{}", i)), 2) << i;
  auth_.letGo();
  for (Client* client : clients) EXPECT_EQ(documentId(*client), "1");
}

TEST_F(CallerRefreshTest, SoManyAreUnderWayAtATime) {
  std::vector<Client*> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(&follower(numbered(i)));
  for (int i = 0; i < 40; ++i) auth_.hold(fmt::format("user{}", i));
  auth_.drop();
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(until([&] { return auth_.underWay() >= static_cast<int>(kMaxLookups); })) << auth_.underWay();
  auth_.letGo();
  for (Client* client : clients) EXPECT_EQ(documentId(*client), "1");
  // The lookups before a batch, and those of the check each second.
  EXPECT_LE(auth_.maxUnderWay(), 2 * static_cast<int>(kMaxLookups));
}

TEST_F(CallerRefreshTest, SocketsThatShareATokenShareItsLookup) {
  std::vector<Client*> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(&follower("alice"));
  const int before = auth_.lookups("alice");
  auth_.hold("alice");
  auth_.drop();
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(until([&] { return auth_.underWay() >= 1; }));
  auth_.letGo();
  for (Client* client : clients) EXPECT_EQ(documentId(*client), "1");
  // One before the batch, and at most one by the check each second.
  EXPECT_LE(auth_.lookups("alice"), before + 2);
}

TEST_F(CallerRefreshTest, WhatALookupFindsHoldsForAllThatShareTheToken) {
  Client& one = follower("bob");
  Client& other = follower("bob");
  Client& alice = follower("alice");
  auth_.fail("bob");
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(code(next(one)), "AUTH_FAILED");
  EXPECT_EQ(code(next(other)), "AUTH_FAILED");
  EXPECT_EQ(documentId(alice), "1");
}

TEST_F(CallerRefreshTest, AFreshTokenOutlivesTheLookupOfTheOldOne) {
  Client& one = follower("bob");
  Client& other = follower("bob");
  auth_.hold("bob");
  auth_.fail("bob");
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(until([&] { return auth_.underWay() >= 1; }));
  say(one, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(one), R"({"type":"auth_ok"})");
  auth_.letGo();
  EXPECT_EQ(code(next(other)), "AUTH_FAILED");
  EXPECT_EQ(documentId(one), "1");
}

}  // namespace
}  // namespace mb::realtime
