#include "policy/claims.h"

#include <gmock/gmock.h>

#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "pointer claim" of each.
std::vector<std::string> uses(std::string_view rules) {
  std::vector<std::string> out;
  for (const ClaimUse& use : claimsOf(json(rules))) out.push_back(use.pointer + " " + use.claim);
  return out;
}

TEST(Claims, InFilters) {
  EXPECT_THAT(uses(R"({"read": {"filter": {"team": "$auth.token.team", "ownerId": "$auth.uid"}}})"),
              ElementsAre("/read/filter/team team"));
  EXPECT_THAT(uses(R"({"list": {"filter": {"$or": [{"a": {"$in": "$auth.token.teams"}},
                                                   {"b": {"$elemMatch": {"c": ["$auth.token.org.id"]}}}]}}})"),
              ElementsAre("/list/filter/$or/0/a/$in teams", "/list/filter/$or/1/b/$elemMatch/c/0 org.id"));
  EXPECT_THAT(uses(R"({"read": {"filter": {"a": "x$auth.token.team"}, "deniedReadFields": ["$auth.token.x"]}})"),
              IsEmpty());
}

TEST(Claims, InExpressions) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"auth.token.plan == 'pro'", {"plan"}},
      {"auth . token . plan == 'pro'", {"plan"}},
      {"auth.token['plan'] == 'pro'", {"plan"}},
      {"auth['token']['plan'] == 'pro'", {"plan"}},
      {"has(auth.token.plan) && auth.token.plan.tier > 2", {"plan", "plan"}},
      {"has(auth.token.plan)", {"plan"}},
      {"'plan' in auth.token", {"plan"}},
      {"document.a == auth.uid && document.token.plan == 1", {}},
      {"auth.token[document.name] == 1", {}},
      {"document.list.exists(auth, auth.token.plan == 1)", {}},
      {"'auth.token.plan' == document.text", {}},
      {"auth.token.plan ==", {}},
  };
  for (const auto& [source, wanted] : cases) {
    std::vector<std::string> found;
    doc::BsonWriter out;
    out.beginDocument("create");
    out.appendString("validate", source);
    out.end();
    for (const ClaimUse& use : claimsOf(out.finish())) found.push_back(use.claim);
    EXPECT_EQ(found, wanted) << source;
  }
}

TEST(Claims, InPublicRules) {
  EXPECT_THAT(uses(R"({"public": {"create": {"validate": "auth == null || auth.token.plan == 'pro'"}}})"),
              ElementsAre("/public/create/validate plan"));
}

TEST(Claims, ThoseOfEveryTokenAreKnown) {
  const ClaimNames none;
  for (const char* claim :
       {"sub", "sid", "pid", "role", "iss", "aud", "iat", "exp", "email", "emailVerified", "name"}) {
    EXPECT_TRUE(none.holds(claim)) << claim;
    EXPECT_FALSE(none.holds(std::string(claim) + ".x")) << claim;
  }
  for (const char* claim : {"plan", "plan.tier", "Sub", "", "perms", "kind"}) EXPECT_FALSE(none.holds(claim)) << claim;
  const ClaimNames own({"plan"});
  for (const char* claim : {"plan", "plan.tier", "sub"}) EXPECT_TRUE(own.holds(claim)) << claim;
  for (const char* claim : {"planet", "metadata.plan", "team"}) EXPECT_FALSE(own.holds(claim)) << claim;
}

TEST(Claims, AnUnknownOneIsNamedWithItsPlaceAndTheKnownOnes) {
  const auto rules = json(R"({"read": {"filter": {"team": "$auth.token.team"}},
                              "update": {"validate": "true &&\n  auth.token.level > 3"}})");
  EXPECT_TRUE(checkClaims(rules, ClaimNames({"team", "level"})));
  const auto refused = checkClaims(rules, ClaimNames({"plan"}), "/policy");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::validation);
  const std::vector<ErrorDetail>& details = refused.error().details();
  ASSERT_EQ(details.size(), 2U);
  EXPECT_EQ(details[0].path, "/policy/read/filter/team");
  EXPECT_EQ(details[1].path, "/policy/update/validate");
  EXPECT_THAT(details[0].message, HasSubstr("\"team\": use sub, sid, pid, role, iss, aud, iat, exp, email, "
                                            "emailVerified, name, plan"));
  EXPECT_THAT(details[1].message, HasSubstr("line 2, column"));
}

TEST(Claims, OneAmongSome) {
  const auto rules = json(R"({"read": {"filter": {"team": "$auth.token.org.team", "a": "$auth.token.sub"}}})");
  EXPECT_EQ(claimAmong({"team", "org"}, rules), "org");
  EXPECT_EQ(claimAmong({"team", "sub"}, rules), "");
  EXPECT_EQ(claimAmong({}, rules), "");
}

}  // namespace
}  // namespace mb::policy
