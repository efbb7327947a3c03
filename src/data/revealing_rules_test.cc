// Schemas that would reveal fields that their collection's policy hides.
#include "data/revealing_rules.h"

#include "base/work_budget.h"
#include "data/data_fixture.h"
#include "document/json.h"

namespace mb::data {
namespace {

class RevealingRulesTest : public DataTest {
 protected:
  static constexpr std::string_view kOpen = R"(,"list":{},"create":{},"update":{}})";

  static std::string denying(std::string_view fields, std::string_view rest = kOpen) {
    return R"({"read":{"deniedReadFields":[)" + std::string(fields) + "]}" + std::string(rest);
  }
  Result<> schema(std::string_view schema) {
    return run(data_->collections().setSchema(managing(), "notes", json(schema)));
  }
  Result<> policy(std::string_view policy) {
    return run(data_->collections().setPolicy(managing(), "notes", json(policy)));
  }
  void reset() {
    if (!created_) expectOk(run(data_->collections().create(managing(), "notes")));
    created_ = true;
    expectOk(run(data_->collections().clearPolicy(managing(), "notes")));
    expectOk(run(data_->collections().clearSchema(managing(), "notes")));
  }
  // The refusal of the combination, whichever of the two is saved last; "" for none.
  std::string refusal(std::string_view schemaText, std::string_view policyText) {
    reset();
    expectOk(policy(policyText));
    const auto later = schema(schemaText);
    reset();
    expectOk(schema(schemaText));
    const auto earlier = policy(policyText);
    EXPECT_EQ(later.has_value(), earlier.has_value());
    if (later) return "";
    EXPECT_EQ(later.error().code(), ErrorCode::validation);
    EXPECT_EQ(earlier.error().code(), ErrorCode::validation);
    EXPECT_EQ(later.error().message(), earlier.error().message());
    EXPECT_EQ(later.error().details().size(), earlier.error().details().size());
    EXPECT_TRUE(earlier.error().details().front().path.starts_with("/read/deniedReadFields/"));
    return later.error().details().front().path;
  }
  bool created_ = false;
};

struct Case {
  std::string_view schema;
  std::string_view denied;
  std::string_view place;  // of the rule that reveals; "" for none
};

constexpr std::string_view kItems =
    R"({"type":"object","properties":{"name":{"type":"string"},"cost":{"type":"integer"}}})";

TEST_F(RevealingRulesTest, ComparingValuesThatAreHiddenInPart) {
  const std::string items(kItems);
  const std::string unique = R"({"properties":{"items":{"type":"array","uniqueItems":true,"items":)" + items + "}}}";
  const std::string nested =
      R"({"properties":{"box":{"properties":{"grid":{"items":{"type":"array","uniqueItems":true,"items":)" + items +
      "}}}}}}";
  const std::string byPattern = R"({"patternProperties":{"^x_":{"uniqueItems":true,"items":)" + items + "}}}";
  const std::string byRest = R"({"additionalProperties":{"uniqueItems":true}})";
  const std::string values = R"({"properties":{"profile":{"enum":[null,{"ssn":"1","city":"x"}]}}})";
  const std::string constant = R"({"properties":{"profile":{"allOf":[{"const":{"ssn":"1"}}]}}})";
  const std::string whole = R"({"properties":{"list":{"type":"array","uniqueItems":true,"items":{"type":"string"}}}})";
  const Case cases[] = {
      {unique, R"("items.cost")", "/properties/items/uniqueItems"},
      {unique, R"("items.1.cost")", "/properties/items/uniqueItems"},
      {unique, R"("items.1")", "/properties/items/uniqueItems"},
      {whole, R"("list.1")", "/properties/list/uniqueItems"},
      {nested, R"("box.grid.cost")", "/properties/box/properties/grid/items/uniqueItems"},
      {nested, R"("box.grid.0.1.cost")", "/properties/box/properties/grid/items/uniqueItems"},
      {byPattern, R"("x_one.cost")", "/patternProperties/^x_/uniqueItems"},
      {byRest, R"("any.secret")", "/additionalProperties/uniqueItems"},
      {values, R"("profile.ssn")", "/properties/profile/enum"},
      {constant, R"("profile.ssn")", "/properties/profile/allOf/0/const"},
      // A value hidden as a whole can only be set as a whole, and visible values may be compared.
      {unique, R"("items")", ""},
      {unique, R"("other")", ""},
      {whole, R"("list")", ""},
      {byPattern, R"("y_one.cost")", ""},
      {values, R"("profile")", ""},
      {R"({"properties":{"profile":{"enum":[null,"none"]}}})", R"("profile.ssn")", ""},
      {R"({"properties":{"items":{"type":"array","uniqueItems":false}}})", R"("items.cost")", ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.schema) + " " + std::string(each.denied));
    EXPECT_EQ(refusal(each.schema, denying(each.denied)), each.place);
  }
  // Refused although no rule allows updates: a later policy may.
  EXPECT_EQ(refusal(unique, R"({"read":{"deniedReadFields":["items.cost"]}})"), "/properties/items/uniqueItems");
}

TEST_F(RevealingRulesTest, JoiningAHiddenFieldWithOthers) {
  const Case cases[] = {
      {R"({"anyOf":[{"required":["mail"]},{"required":["phone"]}]})", R"("phone")", "/anyOf"},
      {R"({"anyOf":[{"properties":{"state":{"const":"new"}}},{"properties":{"limit":{"minimum":5}}}]})", R"("limit")",
       "/anyOf"},
      {R"({"oneOf":[{"properties":{"kind":{"const":"card"},"card":{"type":"string"}},"required":["card"]},
                    {"properties":{"kind":{"const":"bank"}}}]})",
       R"("card")", "/oneOf"},
      {R"({"not":{"properties":{"a":{"const":1},"secret":{"const":2}},"required":["a","secret"]}})", R"("secret")",
       "/not"},
      {R"({"allOf":[{"not":{"required":["a","secret"]}}]})", R"("secret")", "/allOf/0/not"},
      {R"({"properties":{"box":{"anyOf":[{"required":["a"]},{"required":["secret"]}]}}})", R"("box.secret")",
       "/properties/box/anyOf"},
      {R"({"properties":{"items":{"items":{"oneOf":[{"required":["a"]},{"required":["secret"]}]}}}})",
       R"("items.secret")", "/properties/items/items/oneOf"},
      {R"({"anyOf":[{"additionalProperties":false,"properties":{"a":{}}},{"properties":{"a":{"const":1}}}]})",
       R"("secret")", "/anyOf"},
      {R"({"anyOf":[{"required":["one"]},{"required":["two"]}]})", R"("one","two")", "/anyOf"},
      // Rules of the hidden field alone:
      {R"({"required":["secret"],"properties":{"secret":{"type":"string","pattern":"^s","minLength":2,"enum":["s1"]},
           "a":{"type":"integer"}},"additionalProperties":false})",
       R"("secret")", ""},
      {R"({"properties":{"secret":{"anyOf":[{"type":"null"},{"type":"string","minLength":3}]}}})", R"("secret")", ""},
      {R"({"anyOf":[{"properties":{"secret":{"const":1}}},{"properties":{"secret":{"const":2}}}]})", R"("secret")", ""},
      {R"({"not":{"type":"object","required":["secret"]}})", R"("secret")", ""},
      // Only one of the alternatives allows objects, so it is not a choice between fields.
      {R"({"properties":{"box":{"anyOf":[{"type":"null"},{"type":"object","required":["a","secret"],
           "properties":{"a":{"type":"string"},"secret":{"type":"string"}}}]}}})",
       R"("box.secret")", ""},
      // All alternatives require the same of the hidden field:
      {R"({"oneOf":[{"properties":{"kind":{"const":"a"},"secret":{"type":"string"}},"required":["secret"]},
                    {"properties":{"kind":{"const":"b"},"secret":{"type":"string"}},"required":["secret"]}]})",
       R"("secret")", ""},
      {R"({"properties":{"secret":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]})", R"("secret")",
       ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.schema) + " " + std::string(each.denied));
    EXPECT_EQ(refusal(each.schema, denying(each.denied)), each.place);
  }
}

// If no update can change the other fields, no caller can probe values.
TEST_F(RevealingRulesTest, JoinedFieldsThatNoUpdateChanges) {
  constexpr std::string_view kEither = R"({"anyOf":[{"required":["mail"]},{"required":["phone"]}]})";
  const std::pair<std::string_view, bool> rules[] = {
      {R"(,"update":{}})", false},
      {R"(,"admin":{}})", false},
      {R"(,"update":{"immutableFields":["phone"]}})", false},
      {R"(,"update":{"allowedWriteFields":["title","mail"]}})", false},
      {R"(,"update":{"immutableFields":["mail"]},"admin":{}})", false},
      {R"(,"create":{},"delete":{}})", true},
      {R"(,"update":{"immutableFields":["mail"]}})", true},
      {R"(,"update":{"allowedWriteFields":["title"]}})", true},
      {R"(,"update":{"allowedWriteFields":["title","phone"]}})", true},
  };
  for (const auto& [rest, fits] : rules) {
    SCOPED_TRACE(rest);
    EXPECT_EQ(refusal(kEither, denying(R"("phone")", rest)), fits ? "" : "/anyOf");
  }
}

// The schemas true and false are schemas too.
TEST_F(RevealingRulesTest, SchemasThatAreTrueOrFalse) {
  const Case cases[] = {
      {R"({"oneOf":[true,{"required":["a","secret"]}]})", R"("secret")", "/oneOf"},
      {R"({"anyOf":[{"properties":{"secret":false}},{"required":["a"]}]})", R"("secret")", "/anyOf"},
      {R"({"anyOf":[{"patternProperties":{"^s":false}},{"required":["a"]}]})", R"("secret")", "/anyOf"},
      {R"({"anyOf":[true,{"not":{"required":["a","secret"]}}]})", R"("secret")", "/anyOf/1/not"},
      {R"({"anyOf":[false,{"required":["a","secret"]}]})", R"("secret")", ""},
      {R"({"not":false,"additionalProperties":true})", R"("secret")", ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.schema) + " " + std::string(each.denied));
    EXPECT_EQ(refusal(each.schema, denying(each.denied)), each.place);
  }
}

class HostileSchemaTest : public ::testing::Test {
 protected:
  static Result<> check(const std::string& schema, const std::vector<std::string>& denied) {
    std::string list;
    for (const std::string& each : denied) list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", each);
    const auto policy = policy::compilePolicy(
        *doc::parseJson(fmt::format(R"({{"read":{{"deniedReadFields":[{}]}},"update":{{}}}})", list)), nullptr);
    if (!policy) return fail(policy.error().clone());
    const doc::Document source = *doc::parseJson(schema);
    RETURN_IF_ERROR(doc::Schema::compile(source));
    const WorkBudget work(kLimit);
    auto result = refuseRevealingRules(source, **policy, RevealedIn::policy);
    spent_ = work.spent();
    return result;
  }
  static std::vector<std::string> fields(size_t count, std::string_view format) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(fmt::format(fmt::runtime(format), i));
    return names;
  }
  static void expectTooMuch(const Result<>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::validation);
    EXPECT_NE(result.error().message().find("take too long to check"), std::string::npos) << result.error().message();
    EXPECT_EQ(result.error().details().front().path, "/read/deniedReadFields");
    EXPECT_LT(spent_, 2 * kCoreWork);
  }
  static constexpr int64_t kLimit = 100 * kCoreWork;
  static inline int64_t spent_ = 0;
};

// Lists in lists, which a number in the path may lead into or not, with alternatives at each level.
std::string nestedLists(int depth, std::string_view innermost) {
  std::string schema(innermost);
  for (int i = 0; i < depth; ++i) {
    schema = i % 2 == 0 ? fmt::format(R"({{"items":{}}})", schema)
                        : fmt::format(R"({{"anyOf":[{},{{"type":"null"}},{{"maxItems":5}}]}})", schema);
  }
  return schema;
}

TEST_F(HostileSchemaTest, NestedListsAreVisitedOnceForEachPosition) {
  std::string digits = "0";
  for (int i = 1; i < 31; ++i) digits += ".0";
  const std::string onlyLists = [] {
    std::string schema = R"({"anyOf":[{"required":["a"]},{"required":["secret"]}]})";
    for (int i = 0; i < 18; ++i) schema = R"({"items":)" + schema + "}";
    return schema;
  }();
  EXPECT_TRUE(check(onlyLists, {digits + ".other"}));
  EXPECT_LT(spent_, 1'000'000);
  const auto refused = check(nestedLists(18, R"({"required":["secret","a"]})"), {"0.0.0.0.0.0.0.0.0.secret"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("would reveal"), std::string::npos) << refused.error().message();
  EXPECT_LT(spent_, 1'000'000);
}

TEST_F(HostileSchemaTest, AlternativesInAlternativesAreComparedOnce) {
  std::string schema = R"({"required":["secret"]})";
  for (int i = 0; i < 19; ++i) {
    schema = fmt::format(R"({{"anyOf":[{},{{"required":["a"]}}]}})", schema);
  }
  const auto refused = check(schema, {"secret"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details().size(), 19u);
  EXPECT_LT(spent_, 1'000'000);
}

TEST_F(HostileSchemaTest, WhatTakesTooLongIsRefused) {
  std::string patterns;
  for (int i = 0; i < 1900; ++i) {
    patterns += fmt::format(R"({}"^p{}_":{{"uniqueItems":true}})", i == 0 ? "" : ",", i);
  }
  expectTooMuch(check(fmt::format(R"({{"patternProperties":{{{}}}}})", patterns), fields(1000, "f{}.x")));
  std::string digits = "0";
  for (int i = 1; i < 30; ++i) digits += ".0";
  expectTooMuch(check(nestedLists(18, R"({"required":["secret"]})"), fields(1000, digits + ".f{}")));
}

TEST_F(HostileSchemaTest, ManyDeniedFieldsAreChecked) {
  std::string properties = R"("items":{"uniqueItems":true})";
  for (int i = 0; i < 1000; ++i) properties += fmt::format(R"(,"f{}":{{"type":"string","minLength":1}})", i);
  EXPECT_TRUE(check(fmt::format(R"({{"properties":{{{}}}}})", properties), fields(1000, "f{}")));
  // If no rule can reveal anything, no pattern is compiled.
  std::string patterns;
  for (int i = 0; i < 1900; ++i) patterns += fmt::format(R"({}"^p{}_":{{"minLength":1}})", i == 0 ? "" : ",", i);
  EXPECT_TRUE(check(fmt::format(R"({{"patternProperties":{{{}}}}})", patterns), fields(1000, "f{}.x")));
}

TEST_F(RevealingRulesTest, BothAreNamed) {
  reset();
  expectOk(policy(R"({"read":{"deniedReadFields":["a"]},"list":{"deniedReadFields":["b","items.cost"]}})"));
  const auto refused =
      schema(R"({"properties":{"items":{"uniqueItems":true},"a":{},"b":{"type":"array","uniqueItems":true}}})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("\"/properties/items/uniqueItems\""), std::string::npos);
  EXPECT_NE(refused.error().message().find("\"items.cost\""), std::string::npos);
  ASSERT_EQ(refused.error().details().size(), 1u);
  expectOk(schema(R"({"properties":{"items":{"type":"array"}}})"));
}

TEST_F(RevealingRulesTest, TheDefaultPolicyCountsWhereItHolds) {
  const std::string_view unique = R"({"properties":{"items":{"uniqueItems":true}}})";
  reset();
  expectOk(schema(unique));
  const auto byDefault = [&](std::string_view policy) {
    return run(data_->collections().setPolicy(managing(), "*", json(policy)));
  };
  const auto refused = byDefault(denying(R"("items.cost")"));
  expectError(ErrorCode::validation, refused);
  EXPECT_NE(refused.error().message().find("\"notes\""), std::string::npos);
  expectOk(policy(R"({"read":{}})"));
  expectOk(byDefault(denying(R"("items.cost")")));
  expectError(ErrorCode::validation, run(data_->collections().clearPolicy(managing(), "notes")));
  expectOk(run(data_->collections().clearSchema(managing(), "notes")));
  expectOk(run(data_->collections().clearPolicy(managing(), "notes")));
  expectError(ErrorCode::validation, schema(unique));
}

}  // namespace
}  // namespace mb::data
