// The part of a filter over a set, apart from the rest.
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

const Rule& readRule(const std::shared_ptr<const Policy>& policy) {
  return *policy->rule(Operation::read);
}

std::shared_ptr<const Policy> reading(std::string_view filter) {
  return compiled("{\"read\": {\"filter\": " + std::string(filter) + "}}");
}

TEST(SetCondition, OneAmongThoseThatMustHold) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a.t": {"$in": "$auth.sets.s"}})", "{}"},
      {R"({"$and": [{"$and": [{"a.t": {"$in": "$auth.sets.s"}}]}]})", "{}"},
      {R"({"a.t": {"$in": "$auth.sets.s"}, "open": true})", R"({"open": true})"},
      {R"({"open": true, "a.t": {"$in": "$auth.sets.s", "$ne": "x"}})", R"({"open": true, "a.t": {"$ne": "x"}})"},
      {R"({"$and": [{"o": "$auth.uid"}, {"$or": [{"x": 1}, {"y": 1}]}, {"a.t": {"$in": "$auth.sets.s"}}]})",
       R"({"$and": [{"o": "user_1"}, {"$or": [{"x": 1}, {"y": 1}]}]})"},
  };
  const Caller caller = endUser();
  const SetValues sets = setsOf(R"({"s": ["red"]})");
  for (const auto& [filter, rest] : cases) {
    const auto policy = reading(filter);
    const SetCondition* condition = readRule(policy).setCondition();
    ASSERT_NE(condition, nullptr) << filter;
    EXPECT_EQ(condition->set, "s");
    EXPECT_EQ(condition->path.dotted(), "a.t");
    const auto filled = readRule(policy).filterBesideSet({caller, &sets}, doc::defaultCoercion());
    ASSERT_TRUE(filled) << filter;
    const doc::Filter expected = doc::Filter::parse(json(rest)).value();
    EXPECT_EQ(filled->paths(), expected.paths()) << filter;
    EXPECT_EQ(filled->matchesAll(), expected.matchesAll()) << filter;
    for (const char* document : {R"({})", R"({"open": true})", R"({"open": true, "a": {"t": "x"}})",
                                 R"({"o": "user_1", "y": 1})", R"({"o": "user_2", "y": 1})", R"({"o": "user_1"})"}) {
      EXPECT_EQ(filled->matches(json(document)), expected.matches(json(document))) << filter << document;
    }
  }
}

TEST(SetCondition, NotInOtherForms) {
  for (const char* filter :
       {R"({})", R"({"t": "$auth.uid"})", R"({"t": {"$in": ["a"]}})", R"({"t": {"$nin": "$auth.sets.s"}})",
        R"({"t": {"$not": {"$in": "$auth.sets.s"}}})", R"({"$or": [{"t": {"$in": "$auth.sets.s"}}, {"o": 1}]})",
        R"({"$nor": [{"t": {"$in": "$auth.sets.s"}}]})", R"({"m": {"$elemMatch": {"t": {"$in": "$auth.sets.s"}}}})",
        R"({"t": {"$in": "$auth.sets.s"}, "u": {"$in": "$auth.sets.other"}})",
        R"({"t": {"$in": "$auth.sets.s"}, "u": {"$nin": "$auth.sets.s"}})", R"({"t": {"$in": "$auth.token.teams"}})"}) {
    EXPECT_EQ(readRule(reading(filter)).setCondition(), nullptr) << filter;
  }
}

TEST(SetCondition, TheRestNeedsItsPlaceholders) {
  const auto policy = reading(R"({"t": {"$in": "$auth.sets.s"}, "o": "$auth.token.none"})");
  const SetValues sets = setsOf(R"({"s": ["red"]})");
  const Caller caller = endUser();
  EXPECT_FALSE(readRule(policy).filterBesideSet({caller, &sets}, doc::defaultCoercion()));
}

}  // namespace
}  // namespace mb::policy
