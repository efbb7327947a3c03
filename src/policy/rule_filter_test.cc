// Placeholders: the values that replace them, and values that deny.
#include "document/value_order.h"
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

Result<doc::Filter> filterOf(std::string_view filter, const Caller& caller) {
  const auto policy = compiled("{\"read\": {\"filter\": " + std::string(filter) + "}}");
  if (policy == nullptr) return fail(ErrorCode::internal, "no policy");
  return policy->rule(Operation::read)->filterFor(caller, doc::defaultCoercion());
}

struct Match {
  std::string_view filter;
  std::string_view claims;
  std::string_view document;
  bool matches;
};

TEST(RuleFilter, PlaceholdersAreTheCallersValues) {
  const Match cases[] = {
      {R"({"ownerId": "$auth.uid"})", "{}", R"({"ownerId": "user_1"})", true},
      {R"({"ownerId": "$auth.uid"})", "{}", R"({"ownerId": "user_2"})", false},
      {R"({"ownerId": "$auth.uid"})", "{}", R"({})", false},
      {R"({"p": "$auth.pid", "r": "$auth.role"})", "{}", R"({"p": "proj_1", "r": "user"})", true},
      {R"({"team": "$auth.token.team"})", R"({"team": "red"})", R"({"team": "red"})", true},
      {R"({"team": "$auth.token.org.team"})", R"({"org": {"team": "red"}})", R"({"team": "red"})", true},
      {R"({"team": "$auth.token.org.team"})", R"({"org.team": "blue", "org": {"team": "red"}})", R"({"team": "blue"})",
       true},
      {R"({"level": {"$lte": "$auth.token.level"}})", R"({"level": 3})", R"({"level": 2})", true},
      {R"({"level": {"$lte": "$auth.token.level"}})", R"({"level": 3})", R"({"level": 4})", false},
      {R"({"flag": "$auth.token.flag"})", R"({"flag": false})", R"({"flag": false})", true},
      {R"({"n": "$auth.token.n"})", R"({"n": 0})", R"({"n": 0})", true},
      {R"({"team": {"$in": "$auth.token.teams"}})", R"({"teams": ["red", "blue"]})", R"({"team": "blue"})", true},
      {R"({"team": {"$in": "$auth.token.teams"}})", R"({"teams": ["red", "blue"]})", R"({"team": "green"})", false},
      {R"({"team": {"$in": "$auth.token.teams"}})", R"({"teams": "red"})", R"({"team": "red"})", true},
      {R"({"team": {"$nin": "$auth.token.teams"}})", R"({"teams": ["red"]})", R"({"team": "red"})", false},
      {R"({"team": {"$nin": "$auth.token.teams"}})", R"({"teams": ["red"]})", R"({"team": "blue"})", true},
      {R"({"tags": {"$all": "$auth.token.tags"}})", R"({"tags": ["a", "b"]})", R"({"tags": ["b", "c", "a"]})", true},
      {R"({"tags": {"$all": "$auth.token.tags"}})", R"({"tags": ["a", "b"]})", R"({"tags": ["b", "c"]})", false},
      {R"({"who": {"$in": ["$auth.uid", "all"]}})", "{}", R"({"who": ["x", "all"]})", true},
      {R"({"who": {"$in": ["$auth.uid", "all"]}})", "{}", R"({"who": ["user_1"]})", true},
      {R"({"who": {"$in": ["$auth.uid", "all"]}})", "{}", R"({"who": ["x"]})", false},
      {R"({"who": {"$ne": "$auth.uid"}})", "{}", R"({"who": "user_1"})", false},
      {R"({"who": {"$not": {"$eq": "$auth.uid"}}})", "{}", R"({"who": "user_1"})", false},
      {R"({"$or": [{"public": true}, {"ownerId": "$auth.uid"}]})", "{}", R"({"ownerId": "user_1"})", true},
      {R"({"$or": [{"public": true}, {"ownerId": "$auth.uid"}]})", "{}", R"({"public": true})", true},
      {R"({"$or": [{"public": true}, {"ownerId": "$auth.uid"}]})", "{}", R"({"ownerId": "x"})", false},
      {R"({"$nor": [{"ownerId": "$auth.uid"}]})", "{}", R"({"ownerId": "user_1"})", false},
      {R"({"$and": [{"a": 1}, {"$or": [{"b": "$auth.uid"}]}]})", "{}", R"({"a": 1, "b": "user_1"})", true},
      {R"({"members": {"$elemMatch": {"id": "$auth.uid", "role": "editor"}}})", "{}",
       R"({"members": [{"id": "user_1", "role": "editor"}]})", true},
      {R"({"members": {"$elemMatch": {"id": "$auth.uid", "role": "editor"}}})", "{}",
       R"({"members": [{"id": "user_1", "role": "viewer"}, {"id": "x", "role": "editor"}]})", false},
      {R"({"members": {"$elemMatch": {"$eq": "$auth.uid"}}})", "{}", R"({"members": ["user_1"]})", true},
      {R"({"pair": ["$auth.uid", "$auth.role"]})", "{}", R"({"pair": ["user_1", "user"]})", true},
      {R"({"who": {"id": "$auth.uid"}})", "{}", R"({"who": {"id": "user_1"}})", true},
      {R"({"who": {"id": "$auth.uid"}})", "{}", R"({"who": {"id": "user_2"}})", false},
      {R"({"createdAt": {"$gte": "2026-01-01T00:00:00Z"}})", "{}",
       R"({"createdAt": {"$date": "2026-02-01T00:00:00Z"}})", true},
      {R"({"createdAt": {"$gte": "$auth.token.since"}})", R"({"since": "2026-01-01T00:00:00Z"})",
       R"({"createdAt": {"$date": "2026-02-01T00:00:00Z"}})", true},
      {R"({"createdAt": {"$gte": "$auth.token.since"}})", R"({"since": "2026-01-01T00:00:00Z"})",
       R"({"createdAt": {"$date": "2025-02-01T00:00:00Z"}})", false},
      // The text of a claim stays text, whatever it looks like.
      {R"({"a": "$auth.token.x"})", R"({"x": "$auth.uid"})", R"({"a": "user_1"})", false},
      {R"({"a": "$auth.token.x"})", R"({"x": "$auth.uid"})", R"({"a": "$auth.uid"})", true},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": ["$auth.uid", "\u0001$auth.uid"]})", R"({"a": "user_1"})", false},
      {R"({"a": {"$ne": "$auth.token.x"}})", R"({"x": "$auth.uid"})", R"({"a": "user_1"})", true},
      {R"({"a": {"$in": ["$auth.token.x"]}})", R"({"x": "$auth.role"})", R"({"a": "user"})", false},
      {R"({"a": ["$auth.token.x", 1]})", R"({"x": "$gt"})", R"({"a": ["$gt", 1]})", true},
      {R"({"a": "$auth.token.x"})", R"({"x": "{\"$ne\": null}"})", R"({"a": "b"})", false},
      {R"({"a": "$auth.token.x"})", R"({"x": "$where"})", R"({"a": "$where"})", true},
      {R"({"a": "$auth.token.x"})", R"({"x": ".*"})", R"({"a": "b"})", false},
      // In arrays, logical operators and elements, at any depth.
      {R"({"a": {"$elemMatch": {"who": {"$in": ["$auth.uid", "all"]}, "$or": [{"n": 1}, {"r": "$auth.role"}]}}})", "{}",
       R"({"a": [{"who": "user_1", "r": "user"}]})", true},
      {R"({"a": {"$elemMatch": {"who": {"$in": ["$auth.uid", "all"]}, "$or": [{"n": 1}, {"r": "$auth.role"}]}}})", "{}",
       R"({"a": [{"who": "user_1", "r": "x"}, {"who": "x", "r": "user"}]})", false},
      {R"({"a": {"$not": {"$elemMatch": {"$in": ["$auth.uid"]}}}})", "{}", R"({"a": ["x", "user_1"]})", false},
      {R"({"a": {"$all": [{"$elemMatch": {"who": "$auth.uid"}}, {"$elemMatch": {"who": "$auth.role"}}]}})", "{}",
       R"({"a": [{"who": "user"}, {"who": "user_1"}]})", true},
      {R"({"a": {"b": [{"c": "$auth.uid"}]}})", "{}", R"({"a": {"b": [{"c": "user_1"}]}})", true},
      // Text that is not a placeholder.
      {R"({"price": "$5", "b": "$authority", "c": "auth.uid"})", "{}",
       R"({"price": "$5", "b": "$authority", "c": "auth.uid"})", true},
  };
  for (const Match& each : cases) {
    const auto filter = filterOf(each.filter, endUser(each.claims));
    ASSERT_TRUE(filter) << each.filter;
    EXPECT_EQ(filter->matches(json(each.document)), each.matches) << each.filter << " " << each.document;
  }
}

TEST(RuleFilter, WhatDenies) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a": "$auth.token.x"})", R"({})"},
      {R"({"a": "$auth.token.x"})", R"({"x": ""})"},
      {R"({"a": "$auth.token.x"})", R"({"x": null})"},
      {R"({"a": "$auth.token.x"})", R"({"x": []})"},
      {R"({"a": "$auth.token.x"})", R"({"x": ["b"]})"},
      {R"({"a": "$auth.token.x"})", R"({"x": {}})"},
      {R"({"a": "$auth.token.x"})", R"({"x": {"$ne": ""}})"},
      {R"({"a": "$auth.token.x"})", R"({"x": {"$ne": null}})"},
      {R"({"a": ["$auth.token.x"]})", R"({"x": {"$exists": true}})"},
      {R"({"a": {"b": "$auth.token.x"}})", R"({"x": {"$gt": ""}})"},
      {R"({"a": {"$elemMatch": {"b": "$auth.token.x"}}})", R"({"x": [{"$ne": 1}]})"},
      {R"({"a": {"$gte": "$auth.token.x"}})", R"({"x": {}})"},
      {R"({"a": "$auth.token.x.y"})", R"({"x": "b"})"},
      {R"({"a": "$auth.token.x.y"})", R"({"x": [{"y": "b"}]})"},
      {R"({"a": {"$ne": "$auth.token.x"}})", R"({})"},
      {R"({"a": {"$ne": "$auth.token.x"}})", R"({"x": null})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": []})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": [null]})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": ["b", ""]})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": ["b", ["c"]]})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": [{"$regex": "."}]})"},
      {R"({"a": {"$in": "$auth.token.x"}})", R"({"x": ""})"},
      {R"({"a": {"$nin": "$auth.token.x"}})", R"({})"},
      {R"({"a": {"$nin": "$auth.token.x"}})", R"({"x": []})"},
      {R"({"a": {"$all": "$auth.token.x"}})", R"({"x": []})"},
      {R"({"a": {"$in": ["$auth.token.x"]}})", R"({"x": ["b"]})"},
      {R"({"a": {"$in": ["b", "$auth.token.x"]}})", R"({})"},
      {R"({"a": ["$auth.token.x"]})", R"({"x": ["b"]})"},
      {R"({"$or": [{"public": true}, {"a": "$auth.token.x"}]})", R"({})"},
      {R"({"$nor": [{"a": "$auth.token.x"}]})", R"({"x": null})"},
      {R"({"a": {"$not": {"$eq": "$auth.token.x"}}})", R"({})"},
  };
  for (const auto& [filter, claims] : cases) {
    const auto filled = filterOf(filter, endUser(claims));
    ASSERT_FALSE(filled) << filter << " " << claims;
    EXPECT_EQ(filled.error().code(), ErrorCode::forbidden);
    EXPECT_EQ(filled.error().message(), "denied by policy");
  }
}

TEST(RuleFilter, OnlyEndUsersHaveClaimsAndNobodyHasAnything) {
  const std::string_view claim = R"({"a": "$auth.token.team"})";
  EXPECT_FALSE(filterOf(claim, member()));
  Caller key = apiKey({"read"}, {"data:*:read"});
  key.claims = json(R"({"team": "red"})");
  EXPECT_FALSE(filterOf(claim, key));
  const auto own = filterOf(R"({"ownerId": "$auth.uid", "r": "$auth.role"})", key);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->matches(json(R"({"ownerId": "key_1", "r": "apikey"})")));

  Caller nobody;
  nobody.claims = json(R"({"team": "red"})");
  for (const std::string_view filter :
       {R"({"a": "$auth.uid"})", R"({"a": "$auth.role"})", R"({"a": "$auth.pid"})", R"({"a": "$auth.token.team"})",
        R"({"a": {"$ne": "$auth.uid"}})", R"({"a": {"$in": ["$auth.uid", "b"]}})"}) {
    EXPECT_FALSE(filterOf(filter, nobody)) << filter;
  }
  EXPECT_TRUE(filterOf(R"({"public": true})", nobody));
}

TEST(RuleFilter, UnrestrictedRules) {
  const auto policy = compiled(R"({"read": {}, "list": {"filter": {}}, "update": {"filter": {"a": 1}}})");
  EXPECT_TRUE(policy->rule(Operation::read)->unrestricted());
  EXPECT_TRUE(policy->rule(Operation::list)->unrestricted());
  EXPECT_FALSE(policy->rule(Operation::update)->unrestricted());
  EXPECT_EQ(policy->rule(Operation::remove), nullptr);
  const auto all = policy->rule(Operation::read)->filterFor(Caller(), doc::defaultCoercion());
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->matchesAll());
}

TEST(RuleFilter, FillingLeavesTheTemplateAlone) {
  const auto policy = compiled(R"({"read": {"filter": {"ownerId": "$auth.uid", "k": {"$in": "$auth.token.k"}}}})");
  const Rule* rule = policy->rule(Operation::read);
  const auto first = rule->filterFor(endUser(R"({"k": [3, 1, 2, 1]})", "one"), doc::defaultCoercion());
  const auto second = rule->filterFor(endUser(R"({"k": [9]})", "two"), doc::defaultCoercion());
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->matches(json(R"({"ownerId": "one", "k": 1})")));
  EXPECT_FALSE(first->matches(json(R"({"ownerId": "two", "k": 9})")));
  EXPECT_TRUE(second->matches(json(R"({"ownerId": "two", "k": 9})")));
  EXPECT_FALSE(rule->filterFor(endUser(), doc::defaultCoercion()));
}

}  // namespace
}  // namespace mb::policy
