// Rules with sets of the caller.
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

bool matches(std::string_view filter, std::string_view sets, std::string_view document) {
  const auto policy = compiled("{\"read\": {\"filter\": " + std::string(filter) + "}}");
  const SetValues values = setsOf(sets);
  const Caller caller = endUser();
  const auto filled = policy->rule(Operation::read)->filterFor({caller, &values}, doc::defaultCoercion());
  EXPECT_TRUE(filled) << filter;
  return filled && filled->matches(json(document));
}

TEST(Sets, AreListsInFilters) {
  const std::string_view in = R"({"teamId": {"$in": "$auth.sets.teams"}})";
  EXPECT_TRUE(matches(in, R"({"teams": ["red", "blue"]})", R"({"teamId": "blue"})"));
  EXPECT_FALSE(matches(in, R"({"teams": ["red", "blue"]})", R"({"teamId": "green"})"));
  EXPECT_FALSE(matches(in, R"({"teams": ["red"]})", R"({})"));
  const std::string_view notIn = R"({"teamId": {"$nin": "$auth.sets.teams"}})";
  EXPECT_FALSE(matches(notIn, R"({"teams": ["red"]})", R"({"teamId": "red"})"));
  EXPECT_TRUE(matches(notIn, R"({"teams": ["red"]})", R"({"teamId": "green"})"));
  const std::string_view mixed =
      R"({"$or": [{"ownerId": "$auth.uid"}, {"members": {"$elemMatch": {"team": {"$in": "$auth.sets.teams"}}}}]})";
  EXPECT_TRUE(matches(mixed, R"({"teams": []})", R"({"ownerId": "user_1"})"));
  EXPECT_TRUE(matches(mixed, R"({"teams": ["red"]})", R"({"members": [{"team": "red"}]})"));
  EXPECT_FALSE(matches(mixed, R"({"teams": ["red"]})", R"({"members": [{"team": "blue"}]})"));
}

TEST(Sets, AnEmptySetIsAnEmptyList) {
  EXPECT_FALSE(matches(R"({"t": {"$in": "$auth.sets.teams"}})", R"({"teams": []})", R"({"t": "red"})"));
  EXPECT_FALSE(matches(R"({"t": {"$in": "$auth.sets.teams"}})", R"({"teams": []})", R"({})"));
  EXPECT_TRUE(matches(R"({"t": {"$nin": "$auth.sets.teams"}})", R"({"teams": []})", R"({"t": "red"})"));
  EXPECT_TRUE(matches(R"({"t": {"$nin": "$auth.sets.teams"}})", R"({"teams": []})", R"({})"));
}

TEST(Sets, AValueIsTextWhateverItLooksLike) {
  EXPECT_FALSE(matches(R"({"a": {"$in": "$auth.sets.s"}})", R"({"s": ["$auth.uid"]})", R"({"a": "user_1"})"));
  EXPECT_TRUE(matches(R"({"a": {"$in": "$auth.sets.s"}})", R"({"s": ["$auth.uid"]})", R"({"a": "$auth.uid"})"));
  EXPECT_FALSE(matches(R"({"a": {"$in": "$auth.sets.s"}})", R"({"s": [".*"]})", R"({"a": "b"})"));
}

TEST(Sets, AnUnknownOneDenies) {
  const auto policy = compiled(R"({"read": {"filter": {"t": {"$nin": "$auth.sets.teams"}}}})");
  const Caller caller = endUser();
  const SetValues others = setsOf(R"({"other": []})");
  const Rule* rule = policy->rule(Operation::read);
  EXPECT_FALSE(rule->filterFor(caller, doc::defaultCoercion()));
  EXPECT_FALSE(rule->filterFor({caller, &others}, doc::defaultCoercion()));
}

TEST(Sets, AreListsInExpressions) {
  const auto policy = compiled(R"({"create": {"validate": "document.t in auth.sets.teams"}})");
  const Caller caller = endUser();
  const auto allows = [&](std::string_view sets, std::string_view document) {
    const SetValues values = setsOf(sets);
    const doc::Document after = json(document);
    return policy->rule(Operation::create)
        ->checkWrite({{caller, &values}, nullptr, after.view(), Timestamp{}})
        .has_value();
  };
  EXPECT_TRUE(allows(R"({"teams": ["red"]})", R"({"t": "red"})"));
  EXPECT_FALSE(allows(R"({"teams": ["red"]})", R"({"t": "blue"})"));
  EXPECT_FALSE(allows(R"({"teams": []})", R"({"t": "blue"})"));
  EXPECT_FALSE(allows(R"({})", R"({"t": "red"})"));
}

TEST(Sets, ARuleSaysWhichItNeeds) {
  using Names = std::vector<std::string>;
  const auto policy = compiled(R"({
    "read": {"filter": {"$or": [{"a": {"$in": "$auth.sets.b"}}, {"a": {"$nin": "$auth.sets.a"}}]}},
    "create": {"filter": {"a": {"$in": "$auth.sets.b"}},
               "validate": "has(auth.sets.c) && size(auth['sets']['d']) > 0 && auth.sets.b == [] && auth.uid != ''"},
    "update": {"validate": "document.sets.x == 1"},
    "delete": {}})");
  EXPECT_EQ(policy->rule(Operation::read)->sets(), (Names{"a", "b"}));
  EXPECT_EQ(policy->rule(Operation::create)->sets(), (Names{"b", "c", "d"}));
  EXPECT_EQ(policy->rule(Operation::update)->sets(), Names{});
  EXPECT_EQ(policy->rule(Operation::remove)->sets(), Names{});
  EXPECT_EQ(policy->sets(), (Names{"a", "b", "c", "d"}));
}

TEST(Sets, WhatASaveRefuses) {
  const std::vector<std::string> known = {"teams"};
  const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
      {R"({"read": {"filter": {"t": {"$in": "$auth.sets.team"}}}})", "/read/filter/t/$in", "there is no set \"team\""},
      {R"({"read": {"filter": {"t": "$auth.sets.teams"}}})", "/read/filter/t", "a set is a list"},
      {R"({"read": {"filter": {"t": {"$ne": "$auth.sets.teams"}}}})", "/read/filter/t/$ne", "a set is a list"},
      {R"({"read": {"filter": {"t": {"$all": "$auth.sets.teams"}}}})", "/read/filter/t/$all", "a set is a list"},
      {R"({"read": {"filter": {"t": {"$in": ["$auth.sets.teams"]}}}})", "/read/filter/t/$in/0", "a set is a list"},
      {R"({"read": {"filter": {"t": {"$in": "$auth.sets.Teams"}}}})", "/read/filter/t/$in", "a set is a list"},
      {R"({"read": {"filter": {"t": {"$in": "$auth.sets"}}}})", "/read/filter/t/$in", "unknown placeholder"},
      {R"({"create": {"validate": "'a' in auth.sets.team"}})", "/create/validate", "there is no set \"team\""},
      {R"({"create": {"validate": "auth.sets == {}"}})", "/create/validate", "name the set"},
      {R"({"create": {"validate": "auth.sets[document.x] == []"}})", "/create/validate", "name the set"},
      {R"({"create": {"validate": "auth.sets.teams == 'a'"}})", "/create/validate", "no matching overload"},
  };
  for (const auto& [source, pointer, message] : cases) expectRefused(source, pointer, message, known);
  EXPECT_TRUE(
      compilePolicy(json(R"({"read": {"filter": {"t": {"$in": "$auth.sets.teams"}}}})"), nullptr, {.sets = &known}));
  EXPECT_TRUE(compilePolicy(json(R"({"read": {"filter": {"t": {"$in": "$auth.sets.gone"}}}})"), nullptr))
      << "a stored policy loads";
}

}  // namespace
}  // namespace mb::policy
