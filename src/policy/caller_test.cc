#include "policy/caller.h"

#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

TEST(Caller, AdminOfACollection) {
  EXPECT_TRUE(member({"*"}).adminOf("posts"));
  EXPECT_TRUE(member({"data:*"}).adminOf("posts"));
  EXPECT_TRUE(member({"data:*:admin"}).adminOf("posts"));
  EXPECT_TRUE(member({"data:posts:*"}).adminOf("posts"));
  EXPECT_FALSE(member({"data:posts:*"}).adminOf("other"));
  EXPECT_FALSE(member({"data:*:read"}).adminOf("posts"));
  EXPECT_TRUE(apiKey({"read", "admin"}, {"*"}).adminOf("posts"));
  EXPECT_FALSE(apiKey({"read"}, {"*"}).adminOf("posts"));

  Caller user = endUser();
  for (const char* wildcard : {"*", "data:*", "data:*:admin", "data:posts:*"}) {
    user.permissions = holding({wildcard});
    EXPECT_FALSE(user.adminOf("posts")) << wildcard;
  }
  for (Caller caller : {endUser(), member(), apiKey({"read"}, {})}) {
    caller.permissions = holding({"data:posts:admin"});
    EXPECT_TRUE(caller.adminOf("posts"));
    EXPECT_FALSE(caller.adminOf("post"));
    EXPECT_FALSE(caller.adminOf("Posts"));
  }
  Caller nobody;
  EXPECT_FALSE(nobody.adminOf("posts"));
  nobody.permissions = holding({"*"});
  EXPECT_FALSE(nobody.adminOf("posts"));
  EXPECT_FALSE(member({"*"}).adminOf(std::string(500, 'a')));
}

TEST(Caller, KeysOfScopeService) {
  const Caller service = apiKey({"service"}, {"data:*", "storage:*", "functions:invoke"});
  EXPECT_TRUE(service.bypassesPolicies());
  EXPECT_TRUE(service.adminOf("posts"));
  for (const char* scope : {"read", "write", "storage", "functions", "service"}) {
    EXPECT_TRUE(service.hasScope(scope)) << scope;
  }
  EXPECT_FALSE(service.hasScope("admin"));
  for (const Caller& other : {apiKey({"admin"}, {"*"}), apiKey({"read", "write"}, {"data:*"}), member(), endUser()}) {
    EXPECT_FALSE(other.bypassesPolicies());
  }
  Caller user = endUser();
  user.scopes = {"service"};  // only keys have scopes
  EXPECT_FALSE(user.bypassesPolicies());
  EXPECT_TRUE(apiKey({"admin"}, {}).hasScope("read"));
  EXPECT_FALSE(apiKey({"read"}, {}).hasScope("write"));
}

TEST(Caller, ActorsSayWhoDidIt) {
  const std::pair<CallerKind, std::string_view> kinds[] = {
      {CallerKind::anonymous, "anonymous"}, {CallerKind::endUser, "user"},      {CallerKind::member, "member"},
      {CallerKind::apiKey, "apikey"},       {CallerKind::platform, "platform"}, {CallerKind::server, "server"}};
  for (const auto& [kind, name] : kinds) {
    Caller caller;
    caller.kind = kind;
    caller.id = "who";
    EXPECT_EQ(actorKind(kind), name);
    EXPECT_EQ(store::nameOf(actorOf(caller).kind), name);
    EXPECT_EQ(actorOf(caller).id, "who");
  }
}

TEST(Caller, NobodyMayNothing) {
  EXPECT_FALSE(Caller().may("data:posts:read"));
  EXPECT_FALSE(Caller().may("*"));
}

}  // namespace
}  // namespace mb::policy
