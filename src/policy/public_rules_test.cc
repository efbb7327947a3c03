// Rules for callers without a token.
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

TEST(PublicRules, ServeCallersWithoutAToken) {
  const auto policy = compiled(R"({
    "read": {"filter": {"ownerId": "$auth.uid"}}, "update": {},
    "public": {"read": {"filter": {"published": true}}, "list": {}, "create": {"validate": "auth == null"}}})");
  const Caller nobody;
  EXPECT_EQ(*policy->ruleFor(nobody, "posts", Operation::read), policy->publicRule(Operation::read));
  EXPECT_EQ(*policy->ruleFor(nobody, "posts", Operation::list), policy->publicRule(Operation::list));
  EXPECT_FALSE(policy->ruleFor(nobody, "posts", Operation::update));
  EXPECT_FALSE(policy->ruleFor(nobody, "posts", Operation::remove));
  EXPECT_FALSE(policy->ruleFor(nobody, "posts", Operation::admin));
  const auto filter = policy->publicRule(Operation::read)->filterFor(nobody, doc::defaultCoercion());
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->matches(json(R"({"published": true})")));
  EXPECT_FALSE(filter->matches(json(R"({"published": false})")));
  EXPECT_TRUE(policy->publicRule(Operation::create)->checkWrite({nobody, nullptr, doc::DocumentView(), Timestamp{}}));
}

TEST(PublicRules, AreThoseOfOthersWhereTheyHaveNone) {
  const auto policy = compiled(R"({
    "read": {}, "admin": {}, "public": {"read": {}, "list": {}, "create": {"validate": "auth.uid == 'user_1'"}}})");
  const Caller user = endUser();
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::read), policy->rule(Operation::read));
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::list), policy->publicRule(Operation::list));
  EXPECT_EQ(*policy->ruleFor(member(), "posts", Operation::list), policy->rule(Operation::admin));
  const Rule* create = policy->publicRule(Operation::create);
  EXPECT_TRUE(create->checkWrite({user, nullptr, doc::DocumentView(), Timestamp{}})) << "auth is theirs";
  EXPECT_FALSE(create->checkWrite({Caller(), nullptr, doc::DocumentView(), Timestamp{}}));
}

TEST(PublicRules, AnOwnRuleNeverServesNobody) {
  const auto policy = compiled(R"({"read": {}, "list": {"filter": {"ownerId": null}}, "admin": {}})");
  for (const Operation operation : {Operation::read, Operation::list, Operation::create, Operation::admin}) {
    EXPECT_FALSE(policy->ruleFor(Caller(), "posts", operation));
    EXPECT_EQ(policy->publicRule(operation), nullptr);
  }
}

TEST(PublicRules, DeniedFieldsDependOnTheReader) {
  const auto policy = compiled(R"({
    "read": {"deniedReadFields": ["a"]}, "public": {"read": {"deniedReadFields": ["b"]},
                                                    "list": {"deniedReadFields": ["c"]}}})");
  using Paths = std::vector<std::string>;
  EXPECT_EQ(policy->deniedReadFields(ReaderKind::anonymous).paths(), (Paths{"a", "b", "c"}));
  EXPECT_EQ(policy->deniedReadFields(ReaderKind::signedIn).paths(), (Paths{"a", "c"}));
  EXPECT_EQ(readerKindOf(Caller()), ReaderKind::anonymous);
  EXPECT_EQ(readerKindOf(endUser()), ReaderKind::signedIn);
}

TEST(PublicRules, WhatASaveRefuses) {
  const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
      {R"({"public": []})", "/public", "must be an object"},
      {R"({"public": {"update": {}}})", "/public/update", "must be read, list or create"},
      {R"({"public": {"admin": {}}})", "/public/admin", "must be read, list or create"},
      {R"({"public": {"public": {}}})", "/public/public", "must be read, list or create"},
      {R"({"public": {"read": true}})", "/public/read", "must be an object"},
      {R"({"public": {"read": {"filter": {"ownerId": "$auth.uid"}}}})", "/public/read/filter/ownerId",
       "no placeholders"},
      {R"({"public": {"list": {"filter": {"t": {"$in": "$auth.sets.teams"}}}}})", "/public/list/filter/t/$in",
       "no placeholders"},
      {R"({"public": {"list": {"filter": {"t": {"$in": "$auth.token.teams"}}}}})", "/public/list/filter/t/$in",
       "no placeholders"},
      {R"({"public": {"create": {"validate": "'a' in auth.sets.teams"}}})", "/public/create/validate", "no sets"},
      {R"({"public": {"read": {"validate": "true"}}})", "/public/read/validate", "not allowed"},
      {R"({"public": {"create": {"immutableFields": ["a"]}}})", "/public/create/immutableFields", "not allowed"},
  };
  const std::vector<std::string> known = {"teams"};
  for (const auto& [source, pointer, message] : cases) expectRefused(source, pointer, message, known);
}

}  // namespace
}  // namespace mb::policy
