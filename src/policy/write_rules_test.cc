// The requirements of a rule on a write.
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

// "" for an allowed write, else the path in the details, or "-" without one.
std::string check(const Rule& rule, const Caller& caller, std::optional<std::string_view> before,
                  std::string_view after) {
  const doc::Document old = before ? json(*before) : doc::Document();
  const doc::Document now = json(after);
  const doc::DocumentView oldView = old.view();
  const auto result = rule.checkWrite({caller, before ? &oldView : nullptr, now.view(), Timestamp{1'769'851'800'000}});
  if (result) return "";
  EXPECT_EQ(result.error().code(), ErrorCode::forbidden);
  EXPECT_TRUE(result.error().message().starts_with("denied by policy")) << result.error().message();
  return result.error().details().empty() ? "-" : result.error().details()[0].path;
}

struct Change {
  std::string_view rule;
  std::string_view before;
  std::string_view after;
  std::string_view breach;
};

TEST(WriteRules, FieldsOfAnUpdate) {
  const Change cases[] = {
      {R"({"immutableFields": ["a"]})", R"({"a": 1})", R"({"a": 1, "b": 2})", ""},
      {R"({"immutableFields": ["a"]})", R"({"a": 1})", R"({"a": 2})", "/a"},
      {R"({"immutableFields": ["a"]})", R"({"a": 1})", R"({})", "/a"},
      {R"({"immutableFields": ["a"]})", R"({})", R"({"a": null})", "/a"},
      {R"({"immutableFields": ["a"]})", R"({"a": {"b": {"c": 1}}})", R"({"a": {"b": {"c": 2}}})", "/a/b/c"},
      {R"({"immutableFields": ["a.b"]})", R"({"a": {"b": 1, "c": 1}})", R"({"a": {"b": 1, "c": 2}})", ""},
      {R"({"immutableFields": ["a.b"]})", R"({"a": {"b": 1, "c": 1}})", R"({"a": {"c": 1}})", "/a/b"},
      {R"({"immutableFields": ["a.b"]})", R"({"a": {"b": 1}})", R"({})", "/a/b"},
      {R"({"immutableFields": ["a.b"]})", R"({"a": {"b": 1}})", R"({"a": 5})", "/a"},
      {R"({"immutableFields": ["a.b"]})", R"({"a": {"b": 1}})", R"({"a": [{"b": 1}]})", "/a"},
      {R"({"immutableFields": ["items.price"]})", R"({"items": [{"price": 1, "n": 1}]})",
       R"({"items": [{"price": 1, "n": 2}]})", ""},
      {R"({"immutableFields": ["items.price"]})", R"({"items": [{"price": 1, "n": 1}]})",
       R"({"items": [{"price": 2, "n": 1}]})", "/items/price"},
      {R"({"immutableFields": ["items.price"]})", R"({"items": [{"price": 1}]})",
       R"({"items": [{"price": 1}, {"price": 0}]})", "/items"},
      {R"({"immutableFields": ["items"]})", R"({"items": [1, 2]})", R"({"items": [2, 1]})", "/items"},
      {R"({"immutableFields": ["items.deep.x"]})", R"({"items": [{"deep": [{"x": 1, "y": 1}]}]})",
       R"({"items": [{"deep": [{"x": 1, "y": 2}]}]})", ""},
      {R"({"immutableFields": ["items.deep.x"]})", R"({"items": [{"deep": [{"x": 1, "y": 1}]}]})",
       R"({"items": [{"deep": [{"x": 2, "y": 1}]}]})", "/items/deep/x"},
      {R"({"immutableFields": ["a", "updatedAt"]})", R"({"a": 1, "updatedAt": 1})", R"({"a": 1, "updatedAt": 2})", ""},
      {R"({"immutableFields": ["ownerId"]})", R"({"ownerId": "a"})", R"({"ownerId": "b"})", "/ownerId"},
      {R"({"allowedWriteFields": ["a"]})", R"({"a": 1, "b": 1})", R"({"a": 2, "b": 1})", ""},
      {R"({"allowedWriteFields": ["a"]})", R"({"a": 1, "b": 1})", R"({"a": 1, "b": 2})", "/b"},
      {R"({"allowedWriteFields": ["a"]})", R"({"a": 1, "b": 1})", R"({"a": 2})", "/b"},
      {R"({"allowedWriteFields": ["a"]})", R"({"a": {"x": 1}})", R"({"a": {"x": [1, {"y": 2}]}})", ""},
      {R"({"allowedWriteFields": ["a.x"]})", R"({"a": {"x": 1, "y": 1}})", R"({"a": {"x": 2, "y": 1}})", ""},
      {R"({"allowedWriteFields": ["a.x"]})", R"({"a": {"x": 1, "y": 1}})", R"({"a": {"x": 1, "y": 2}})", "/a/y"},
      {R"({"allowedWriteFields": ["a.x"]})", R"({"a": {"x": 1}})", R"({"a": 1})", "/a"},
      {R"({"allowedWriteFields": ["items.n"]})", R"({"items": [{"price": 1, "n": 1}]})",
       R"({"items": [{"price": 1, "n": 2}]})", ""},
      {R"({"allowedWriteFields": ["items.n"]})", R"({"items": [{"price": 1, "n": 1}]})",
       R"({"items": [{"price": 2, "n": 1}]})", "/items/price"},
      {R"({"allowedWriteFields": ["items.n"]})", R"({"items": [{"n": 1}]})", R"({"items": []})", "/items"},
      {R"({"allowedWriteFields": ["items.n"]})", R"({"items": [{"n": 1}]})", R"({"items": [1]})", "/items"},
      {R"({"allowedWriteFields": []})", R"({"a": 1})", R"({"a": 1})", ""},
      {R"({"allowedWriteFields": []})", R"({"a": 1})", R"({"a": 2})", "/a"},
      {R"({"allowedWriteFields": ["0"]})", R"({})", R"({"1": 1})", "/1"},
      {R"({"allowedWriteFields": ["a"]})", R"({"id": "1", "createdAt": 1, "updatedAt": 1, "ownerId": "x", "a": 1})",
       R"({"id": "2", "createdAt": 2, "updatedAt": 2, "ownerId": "y", "a": 2})", ""},
      {R"({"allowedWriteFields": ["a"], "immutableFields": ["a.k"]})", R"({"a": {"k": 1, "l": 1}})",
       R"({"a": {"k": 2, "l": 2}})", "/a/k"},
  };
  for (const Change& each : cases) {
    const auto policy = compiled("{\"update\": " + std::string(each.rule) + "}");
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(check(*policy->rule(Operation::update), endUser(), each.before, each.after), each.breach)
        << each.rule << " " << each.before << " -> " << each.after;
  }
}

TEST(WriteRules, FieldsOfACreate) {
  const auto policy = compiled(R"({"create": {"allowedWriteFields": ["title", "meta.tag"]},
                                   "admin": {"immutableFields": ["title"]}})");
  const Rule& create = *policy->rule(Operation::create);
  EXPECT_EQ(check(create, endUser(), {}, R"({"id": "1", "ownerId": "u", "createdAt": 1, "updatedAt": 1, "title": 1})"),
            "");
  EXPECT_EQ(check(create, endUser(), {}, R"({"title": 1, "meta": {"tag": 1}})"), "");
  EXPECT_EQ(check(create, endUser(), {}, R"({"title": 1, "meta": {"tag": 1, "x": 1}})"), "/meta/x");
  EXPECT_EQ(check(create, endUser(), {}, R"({"title": 1, "meta": {}})"), "/meta");
  EXPECT_EQ(check(create, endUser(), {}, R"({"role": "admin"})"), "/role");
  EXPECT_EQ(check(*policy->rule(Operation::admin), member(), {}, R"({"title": 1})"), "");
  EXPECT_EQ(check(*policy->rule(Operation::admin), member(), R"({})", R"({"title": 1})"), "/title");
}

TEST(WriteRules, TooManyChangesAreRefused) {
  std::string many = "{\"a\": {";
  for (int i = 0; i < 12'000; ++i) many += "\"f" + std::to_string(i) + "\": 1,";
  many += "\"z\": 1}}";
  const auto policy = compiled(R"({"update": {"immutableFields": ["secret"]}})");
  EXPECT_NE(check(*policy->rule(Operation::update), endUser(), "{}", many), "");
}

TEST(WriteRules, Expressions) {
  struct Tried {
    std::string_view operation;
    std::string_view expression;
    std::optional<std::string_view> before;
    std::string_view after;
    bool passes;
  };
  const Tried cases[] = {
      {"create", "document.price > 0 && document.title.size() < 100", {}, R"({"price": 1, "title": "a"})", true},
      {"create", "document.price > 0 && document.title.size() < 100", {}, R"({"price": 0, "title": "a"})", false},
      {"create", "document.price > 0", {}, "{}", false},
      {"create", "document.price > 0", {}, R"({"price": "1"})", false},
      {"create", "document.price", {}, R"({"price": 1})", false},
      {"create", "auth.uid == 'user_1' && auth.role == 'user' && auth.pid == 'proj_1'", {}, "{}", true},
      {"create", "auth.token.team == document.team", {}, R"({"team": "red"})", true},
      {"create", "auth.token.missing == document.team", {}, R"({"team": "red"})", false},
      {"create", "now < timestamp('2027-01-01T00:00:00Z') && now.getFullYear() == 2026", {}, "{}", true},
      {"update", "document.n == previous.n + 1", R"({"n": 1})", R"({"n": 2})", true},
      {"update", "document.n == previous.n + 1", R"({"n": 1})", R"({"n": 3})", false},
      {"admin", "previous == null || document.n == previous.n", {}, R"({"n": 2})", true},
      {"admin", "previous == null || document.n == previous.n", R"({"n": 1})", R"({"n": 2})", false},
      {"admin", "document.n == previous.n", {}, R"({"n": 2})", false},
      {"create", "[1, 2, 3].map(x, x * 2).exists(x, x == document.n)", {}, R"({"n": 4})", true},
  };
  for (const Tried& each : cases) {
    const auto policy = compiled(fmt::format(R"({{"{}": {{"validate": "{}"}}}})", each.operation, each.expression));
    ASSERT_NE(policy, nullptr) << each.expression;
    const Operation operation = each.operation == "create"   ? Operation::create
                                : each.operation == "update" ? Operation::update
                                                             : Operation::admin;
    const std::string breach = check(*policy->rule(operation), endUser(R"({"team": "red"})"), each.before, each.after);
    EXPECT_EQ(breach, each.passes ? "" : "-") << each.expression;
  }
}

TEST(WriteRules, NobodyIsNoOneInExpressions) {
  const auto policy = compiled(R"({"create": {"validate": "auth.uid == document.ownerId"},
                                   "public": {"create": {"validate": "auth == null"}}})");
  Caller anonymous;
  anonymous.claims = json(R"({"a": 1})");
  EXPECT_EQ(check(*policy->rule(Operation::create), anonymous, {}, R"({"ownerId": ""})"), "-");
  EXPECT_EQ(check(*policy->rule(Operation::create), anonymous, {}, "{}"), "-");
  EXPECT_EQ(check(*policy->publicRule(Operation::create), anonymous, {}, "{}"), "");
}

TEST(WriteRules, TheCauseStaysInside) {
  const auto policy = compiled(R"({"create": {"validate": "document.secretRule == 1"}})");
  const doc::Document after = json("{}");
  const auto result = policy->rule(Operation::create)->checkWrite({endUser(), nullptr, after.view(), Timestamp{0}});
  ASSERT_FALSE(result);
  EXPECT_EQ(errorBody(result.error()).find("secretRule"), std::string::npos);
  EXPECT_NE(result.error().cause().find("no such key"), std::string::npos);
}

}  // namespace
}  // namespace mb::policy
