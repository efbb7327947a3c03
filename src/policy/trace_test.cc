#include "policy/trace.h"

#include "base/work_budget.h"
#include "document/json.h"
#include "policy/policy_fixture.h"
#include "policy/trace_steps.h"

namespace mb::policy {
namespace {

std::string stepsOf(Trace& trace) {
  std::string text;
  for (const doc::Document& step : trace.take()) text += doc::toJson(step) + "\n";
  return text;
}

const Rule& ruleOf(const std::shared_ptr<const Policy>& policy, Operation operation) {
  const Rule* rule = policy->rule(operation);
  EXPECT_NE(rule, nullptr);
  return *rule;
}

TEST(Trace, CutsStepsThatAreTooLarge) {
  Trace trace;
  trace.add("filter", true, [](doc::BsonWriter& out) { out.appendString("filter", std::string(kMaxStepBytes, 'x')); });
  trace.add("filter", false, [](doc::BsonWriter& out) { out.appendBool("small", true); });
  EXPECT_EQ(stepsOf(trace),
            "{\"step\":\"filter\",\"passed\":true,\"truncated\":true}\n"
            "{\"step\":\"filter\",\"passed\":false,\"small\":true}\n");
}

TEST(Trace, NamesThePermissionThatGrants) {
  const PermissionSet held({"data:posts:list", "data:*:read", "*"});
  EXPECT_EQ(*held.granting("data:posts:read"), "data:*:read");
  EXPECT_EQ(*held.granting("data:posts:list"), "data:posts:list");
  EXPECT_EQ(*held.granting("users:read"), "*");
  EXPECT_EQ(PermissionSet({"storage:manage"}).granting("storage:write"), nullptr);
  EXPECT_EQ(held.granting(""), nullptr);
}

TEST(Trace, ShowsPlaceholdersAndTheFilledFilter) {
  const auto policy = compiled(
      R"({"read":{"filter":{"ownerId":"$auth.uid","team":{"$in":"$auth.sets.teams"},"plan":"$auth.token.plan"}}})");
  const SetValues sets = setsOf(R"({"teams":["red","blue"]})");
  const Caller caller = endUser(R"({"plan":"pro"})");
  Trace trace;
  EXPECT_TRUE(ruleOf(policy, Operation::read).filterFor({caller, &sets}, doc::defaultCoercion(), &trace));
  EXPECT_EQ(
      stepsOf(trace),
      R"({"step":"placeholders","passed":true,"values":{"$auth.uid":"user_1","$auth.sets.teams":["blue","red"],)"
      R"("$auth.token.plan":"pro"},"unresolved":[]})"
      "\n"
      R"({"step":"filter","passed":true,"filter":{"ownerId":"user_1","team":{"$in":["blue","red"]},"plan":"pro"}})"
      "\n");
  const Caller without = endUser();
  EXPECT_FALSE(ruleOf(policy, Operation::read).filterFor(without, doc::defaultCoercion(), &trace));
  EXPECT_EQ(stepsOf(trace), R"({"step":"placeholders","passed":false,"values":{"$auth.uid":"user_1"},)"
                            R"("unresolved":["$auth.sets.teams","$auth.token.plan"]})"
                            "\n");
}

TEST(Trace, ShowsSetsOfExpressions) {
  const auto policy = compiled(R"({"create":{"validate":"document.team in auth.sets.teams"}})");
  const SetValues sets = setsOf(R"({"teams":["red"]})");
  const Caller caller = endUser();
  Trace trace;
  EXPECT_TRUE(ruleOf(policy, Operation::create).filterFor({caller, &sets}, doc::defaultCoercion(), &trace));
  EXPECT_EQ(stepsOf(trace),
            R"({"step":"placeholders","passed":true,"values":{"$auth.sets.teams":["red"]},"unresolved":[]})"
            "\n");
  EXPECT_TRUE(ruleOf(compiled(R"({"read":{}})"), Operation::read).filterFor(caller, doc::defaultCoercion(), &trace));
  EXPECT_EQ(stepsOf(trace), "");
}

TEST(Trace, ShowsEachConditionOfAFilter) {
  const auto filter = doc::Filter::parse(json(
      R"({"ownerId":"user_1","n":{"$gt":1,"$lt":5},"$or":[{"a":1},{"b":1}],"tags.name":"x","none":{"$exists":false}})"));
  ASSERT_TRUE(filter);
  const doc::Document document = json(R"({"ownerId":"user_1","n":7,"b":1,"tags":[{"name":"y"},{"name":"x"}]})");
  Trace trace;
  EXPECT_FALSE(traceDocument(trace, *filter, document.view(), true));
  EXPECT_EQ(stepsOf(trace), R"({"step":"document","passed":false,"found":true,"conditions":[)"
                            R"({"path":"ownerId","condition":"user_1","value":"user_1","passed":true},)"
                            R"({"path":"n","condition":{"$gt":1},"value":7,"passed":true},)"
                            R"({"path":"n","condition":{"$lt":5},"value":7,"passed":false},)"
                            R"({"path":"","condition":{"$or":[{"a":1},{"b":1}]},"value":null,"passed":true},)"
                            R"({"path":"tags.name","condition":"x","value":["y","x"],"passed":true},)"
                            R"({"path":"none","condition":{"$exists":false},"value":null,"passed":true}]})"
                            "\n");
  EXPECT_TRUE(traceDocument(trace, doc::Filter(), document.view(), true));
  EXPECT_FALSE(traceDocument(trace, doc::Filter(), std::nullopt, false));
  EXPECT_EQ(stepsOf(trace),
            "{\"step\":\"document\",\"passed\":true,\"found\":true,\"conditions\":[]}\n"
            "{\"step\":\"document\",\"passed\":false,\"found\":false,\"conditions\":[]}\n");
}

TEST(Trace, LeavesTheBudgetOfTheRequestAlone) {
  const auto filter = doc::Filter::parse(json(R"({"c":3,"a":1,"b":{"$regex":"x*y"},"d":{"$in":[1,2]}})"));
  const doc::Document document = json(R"({"a":2,"b":")" + std::string(100'000, 'x') + R"(","c":3})");
  const auto spentBy = [](const std::function<void()>& work) {
    const WorkBudget budget(kCoreWork);
    work();
    return budget.spent();
  };
  Trace trace;
  const int64_t plain = spentBy([&] { EXPECT_FALSE(filter->matches(document)); });
  const int64_t traced = spentBy([&] { EXPECT_FALSE(traceDocument(trace, *filter, document.view(), true)); });
  EXPECT_EQ(plain, traced);
  EXPECT_NE(stepsOf(trace).find(R"({"$bytes":100005})"), std::string::npos) << "a large value";
}

TEST(Trace, ShowsAllFieldsThatBreach) {
  const auto policy = compiled(
      R"({"update":{"immutableFields":["a","b.c"],"allowedWriteFields":["a","b","n"],"validate":"document.n < 5"}})");
  const Caller caller = endUser();
  const doc::Document before = json(R"({"a":1,"b":{"c":1,"d":1},"x":1,"y":1,"n":1})");
  const auto check = [&](std::string_view text) {
    const doc::Document after = json(text);
    const doc::DocumentView old = before.view();
    Trace trace;
    Rule::Check write{caller, &old, after.view(), Timestamp{}};
    const bool plain = ruleOf(policy, Operation::update).checkWrite(write).has_value();
    write.trace = &trace;
    EXPECT_EQ(ruleOf(policy, Operation::update).checkWrite(write).has_value(), plain);
    return stepsOf(trace);
  };
  EXPECT_EQ(check(R"({"a":2,"b":{"c":2,"d":2},"x":2,"y":2,"n":1})"),
            R"({"step":"fields","passed":false,"denied":[],"immutable":["a","b.c"],"allowedWrite":["x","y"]})"
            "\n");
  EXPECT_EQ(check(R"({"a":1,"b":{"c":1,"d":2},"x":1,"y":1,"n":2})"),
            R"({"step":"fields","passed":true,"denied":[],"immutable":[],"allowedWrite":[]})"
            "\n"
            R"({"step":"validate","passed":true,"expression":"document.n < 5","value":true,)"
            R"("parts":[{"text":"document.n","value":2},{"text":"5","value":5}]})"
            "\n");
  EXPECT_EQ(check(R"({"a":1,"b":{"c":1,"d":1},"x":1,"y":1,"n":7})"),
            R"({"step":"fields","passed":true,"denied":[],"immutable":[],"allowedWrite":[]})"
            "\n"
            R"({"step":"validate","passed":false,"expression":"document.n < 5","value":false,)"
            R"("parts":[{"text":"document.n","value":7},{"text":"5","value":5}]})"
            "\n");
  EXPECT_EQ(check(R"({"a":1,"b":{"c":1,"d":1},"x":1,"y":1})"),
            R"({"step":"fields","passed":true,"denied":[],"immutable":[],"allowedWrite":[]})"
            "\n"
            R"({"step":"validate","passed":false,"expression":"document.n < 5","value":false,)"
            R"x("error":"no such key (line 1, column 10)",)x"
            R"x("parts":[{"text":"document.n","error":"no such key (line 1, column 10)"},{"text":"5","value":5}]})x"
            "\n");
}

TEST(Trace, ShowsDeniedFieldsOfAFilter) {
  const auto filter = doc::Filter::parse(json(R"({"a":1,"b.c":1,"d":1})"));
  const doc::FieldSet denied({"a", "b"});
  Trace trace;
  EXPECT_FALSE(refuseDeniedFields(*filter, denied, &trace));
  EXPECT_TRUE(refuseDeniedFields(doc::Filter(), denied, &trace));
  EXPECT_EQ(stepsOf(trace), R"({"step":"fields","passed":false,"denied":["a","b.c"],"immutable":[],"allowedWrite":[]})"
                            "\n"
                            R"({"step":"fields","passed":true,"denied":[],"immutable":[],"allowedWrite":[]})"
                            "\n");
}

TEST(Trace, ShowsRulesAsSaved) {
  const auto policy =
      compiled(R"({"read":{"filter":{"ownerId":"$auth.uid"}},"public":{"list":{"filter":{"open":true}}}})");
  Trace trace;
  traceRule(trace, "own", policy->rule(Operation::read));
  traceRule(trace, "public", policy->publicRule(Operation::list));
  traceRule(trace, "own", policy->rule(Operation::update));
  EXPECT_EQ(stepsOf(trace), R"({"step":"rule","passed":true,"source":"own","rule":{"filter":{"ownerId":"$auth.uid"}}})"
                            "\n"
                            R"({"step":"rule","passed":true,"source":"public","rule":{"filter":{"open":true}}})"
                            "\n"
                            R"({"step":"rule","passed":false,"source":"own"})"
                            "\n");
}

}  // namespace
}  // namespace mb::policy
