#include "policy/caller_set.h"

#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

std::vector<ErrorDetail> problemsOf(std::string_view where, std::string_view value = "teamId",
                                    const doc::Schema* schema = nullptr) {
  std::vector<ErrorDetail> problems;
  CallerSet::compile(json(where), value, schema, problems);
  return problems;
}

TEST(CallerSet, ItsFilterHoldsTheCallersId) {
  std::vector<ErrorDetail> problems;
  const auto set =
      CallerSet::compile(json(R"({"userId": "$auth.uid", "role": {"$in": ["owner", "editor"]}, "active": true})"),
                         "teamId", nullptr, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(set.callerPath(), "userId");
  EXPECT_EQ(set.valuePath().dotted(), "teamId");
  const auto filter = set.filterFor(endUser(), doc::defaultCoercion());
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->matches(json(R"({"userId": "user_1", "role": "editor", "active": true})")));
  EXPECT_FALSE(filter->matches(json(R"({"userId": "user_2", "role": "editor", "active": true})")));
  EXPECT_FALSE(filter->matches(json(R"({"userId": "user_1", "role": "viewer", "active": true})")));
  EXPECT_FALSE(filter->matches(json(R"({"userId": "user_1", "role": "editor"})")));
  EXPECT_FALSE(set.filterFor(Caller(), doc::defaultCoercion())) << "nobody has no id";
}

TEST(CallerSet, RefusesOtherConditions) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({})", "/where"},
      {R"({"role": "owner"})", "/where"},
      {R"({"a": "$auth.uid", "b": "$auth.uid"})", "/where"},
      {R"({"userId": "$auth.uid", "role": "$auth.role"})", "/where/role"},
      {R"({"userId": "$auth.uid", "team": {"$in": "$auth.sets.other"}})", "/where/team"},
      {R"({"userId": "$auth.uid", "team": {"$in": ["$auth.uid"]}})", "/where/team"},
      {R"({"userId": "$auth.uid", "n": {"$gt": 1}})", "/where/n"},
      {R"({"userId": "$auth.uid", "n": {"$in": [1], "$gt": 1}})", "/where/n"},
      {R"({"userId": "$auth.uid", "n": {"$in": [[1]]}})", "/where/n"},
      {R"({"userId": "$auth.uid", "n": {"$in": []}, "o": {"a": 1}})", "/where/o"},
      {R"({"userId": "$auth.uid", "n": [1]})", "/where/n"},
      {R"({"userId": {"$in": ["$auth.uid"]}})", "/where/userId"},
      {R"({"userId": {"$eq": "$auth.uid"}})", "/where/userId"},
      {R"({"$or": [{"userId": "$auth.uid"}]})", "/where/$or"},
      {R"({"userId": "$auth.uid", "a..b": 1})", "/where/a..b"},
  };
  for (const auto& [where, pointer] : cases) {
    const auto problems = problemsOf(where);
    ASSERT_FALSE(problems.empty()) << where;
    EXPECT_EQ(problems.front().path, pointer) << where;
  }
  EXPECT_EQ(problemsOf(R"({"userId": "$auth.uid"})", "").front().path, "/value");
  EXPECT_EQ(problemsOf(R"({"userId": "$auth.uid"})", "$x").front().path, "/value");
}

TEST(CallerSet, NamesOnlyFieldsOfTheSchema) {
  const auto schema = doc::Schema::compile(json(
      R"({"type": "object", "additionalProperties": false, "properties": {"userId": {"type": "string"}, "t": {}}})"));
  ASSERT_TRUE(schema);
  EXPECT_TRUE(problemsOf(R"({"userId": "$auth.uid"})", "t", schema->get()).empty());
  EXPECT_EQ(problemsOf(R"({"userId": "$auth.uid"})", "teamId", schema->get()).front().path, "/value");
  EXPECT_EQ(problemsOf(R"({"user": "$auth.uid"})", "t", schema->get()).front().path, "/where/user");
}

TEST(CallerSet, ChecksNames) {
  for (const std::string_view name : {"t", "teams", "myTeams2", "abcdefghijklmnopqrstuvwxyzabcdef"}) {
    EXPECT_TRUE(checkSetName(name)) << name;
  }
  for (const std::string_view name :
       {"", "Teams", "2t", "my_teams", "my.teams", "t\xc3\xa4", "a b", "abcdefghijklmnopqrstuvwxyzabcdefg"}) {
    const auto checked = checkSetName(name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().details().front().path, "/name");
  }
}

TEST(SetValue, HoldsDistinctValuesInOrder) {
  const SetValue value(std::vector<std::string>{"red", "blue", "red"}, store::Mark());
  ASSERT_FALSE(value.tooMany());
  std::vector<std::string> values;
  for (const auto& [key, each] : value.list().asDocument()) values.emplace_back(each.asString());
  EXPECT_EQ(values, (std::vector<std::string>{"blue", "red"}));

  std::vector<std::string> many;
  for (size_t i = 0; i < kMaxSetValues; ++i) many.push_back(std::to_string(i));
  EXPECT_FALSE(SetValue(many, store::Mark()).tooMany());
  many.push_back("one more");
  EXPECT_TRUE(SetValue(many, store::Mark()).tooMany());
  EXPECT_TRUE(SetValue(std::nullopt, store::Mark()).tooMany());
}

}  // namespace
}  // namespace mb::policy
