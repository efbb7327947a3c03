// Subscriptions past the policy.
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

class AdminSubscriptionTest : public RealtimeTest {
 protected:
  AdminSubscriptionTest() {
    auth_.add("owner", owner_, kStart + kHour);
    collection("posts", R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["notes"]}})");
  }
  std::string refused(Client& client, const std::string& name) {
    say(client, R"({"type":"subscribe","id":"a","admin":true,"collection":")" + name + "\"}");
    return code(next(client));
  }
};

constexpr const char* kAdmin = R"(,"admin":true)";

TEST_F(AdminSubscriptionTest, GetsEveryChangeWithAllFields) {
  Client& client = connectAs("owner");
  follow(client, "a", "posts", kAdmin);
  follow(client, "s", "posts");
  put("posts", R"({"id":"1","ownerId":"user_alice","notes":"x"})");
  const std::string event = next(client);
  EXPECT_EQ(field(event, "subscription"), "a");
  EXPECT_EQ(field(event, "event.document.notes"), "x");
  EXPECT_TRUE(rest(client).empty());
}

TEST_F(AdminSubscriptionTest, NeedsNoPolicyAndTakesFilterFieldsAndAfter) {
  collection("bare");
  Client& client = connectAs("owner");
  follow(client, "a", "bare", R"(,"admin":true,"filter":{"n":{"$gt":1}},"fields":["n"],"leave":true)");
  put("bare", R"({"id":"1","n":1,"m":1})");
  put("bare", R"({"id":"2","n":2,"m":1})");
  const std::string event = next(client);
  EXPECT_EQ(field(event, "event.documentId"), "2");
  EXPECT_EQ(event.find("\"m\""), std::string::npos);
  put("bare", R"({"id":"3","n":3})");
  EXPECT_EQ(field(next(client), "event.documentId"), "3");
  Client& again = connectAs("owner");
  follow(again, "a", "bare", R"(,"admin":true,"after":")" + field(event, "position") + "\"");
  EXPECT_EQ(field(next(again), "event.documentId"), "3");
}

TEST_F(AdminSubscriptionTest, OthersAreRefused) {
  Client& alice = connectAs("alice");
  EXPECT_EQ(refused(alice, "posts"), "FORBIDDEN");
  policy::Caller editor = owner_;
  editor.permissions = std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"data:*:read"});
  auth_.add("editor", editor, kStart + kHour);
  EXPECT_EQ(refused(connectAs("editor"), "posts"), "FORBIDDEN");
  EXPECT_EQ(refused(connectAs("owner"), "unknown"), "FORBIDDEN");
}

TEST_F(AdminSubscriptionTest, EndsWithTheRoleAndContinuesWithIt) {
  Client& client = connectAs("owner");
  follow(client, "a", "posts", kAdmin);
  policy::Caller editor = owner_;
  editor.permissions = std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"data:*:read"});
  auth_.add("owner", editor, kStart + kHour);
  put("posts", R"({"id":"1","ownerId":"user_alice"})");
  EXPECT_TRUE(rest(client).empty());
  auth_.add("owner", owner_, kStart + kHour);
  put("posts", R"({"id":"2","ownerId":"user_alice"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "2");
}

}  // namespace
}  // namespace mb::realtime
