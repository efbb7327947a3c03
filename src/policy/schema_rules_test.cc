// Policies checked against the collection's schema: the fields that an expression, a filter and a list of fields may
// name, and their types.
#include <fmt/format.h>

#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object", "additionalProperties": false, "required": ["title"],
  "patternProperties": {"^x_": {"type": "integer"}},
  "properties": {
    "title": {"type": "string"}, "total": {"type": "number"}, "count": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "prices": {"type": "array", "items": {"type": "number"}},
    "lines": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {
      "sku": {"type": "string"}, "amount": {"type": "integer"}, "each": {"type": "number"},
      "notes": {"type": "array", "items": {"type": "string"}}}}},
    "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    "loose": {"type": "array"}, "open": {"type": "object"},
    "named": {"type": "object", "additionalProperties": {"type": "string"}},
    "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {}}}]},
    "mixed": {"type": ["string", "integer"]}, "maybe": {"type": ["string", "null"]},
    "due": {"type": "string", "x-bson": "date"}, "dates": {"type": "array", "items": {"x-bson": "date"}},
    "ref": {"type": "string", "x-bson": "objectId"}, "exact": {"type": "number", "x-bson": "decimal"},
    "blob": {"type": "string", "x-bson": "binary"}
  }})";

std::shared_ptr<const doc::Schema> schema() {
  const auto compiled = doc::Schema::compile(json(kSchema));
  EXPECT_TRUE(compiled) << compiled.error().message();
  return compiled ? *compiled : nullptr;
}

TEST(SchemaRules, FieldsHaveTheirTypes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      // Accepted:
      {"document.tags.all(t, t.size() < 9) && document.tags[0].startsWith('a') && 'x' in document.tags", ""},
      {"document.tags + ['more'] == ['more'] && document.tags.map(t, t + '!') == ['a!']", ""},
      {"document.lines.all(l, l.amount > 0 && l.each >= 0.5 && l.notes.exists(n, n == ''))", ""},
      {"document.lines[0].sku == 'a' && document.lines[0]['amount'] + 1 == 2 && has(document.lines[0].each)", ""},
      {"document.lines.filter(l, l.amount > 1).map(l, l.sku) == ['a']", ""},
      {"document.grid[0][1] + 1 == 2 && document.grid.all(row, row.all(cell, cell % 2 == 0))", ""},
      {"document.loose[0] == 1 && document.loose.all(e, e == 'a') && document.open.any.thing + 1 == 2", ""},
      {"document.named.anything.size() == 1 && document.either.whatever == 1 && document.mixed + 1 == 2", ""},
      {"document.maybe == null || document.maybe.size() > 1", ""},
      {"document.x_one + 1 == 2 && has(document.x_two)", ""},
      {"document.due < now && document.due.getFullYear() == 2026 && document.dates.all(d, d < now)", ""},
      {"document.ref == '0123' && document.ref.size() == 24 && document.exact > 1.5 && document.blob == b'a'", ""},
      {"document.createdAt < now && document.ownerId == auth.uid && document.id != ''", ""},
      // Refused, at the position of the mistake:
      {"document.tags.all(t, t > 1)", "line 1, column 24: no matching overload for '_>_' applied to (string, int)"},
      {"document.tags[0] == 1", "line 1, column 18: no matching overload"},
      {"1 in document.tags", "line 1, column 3: no matching overload"},
      {"document.tags == [1]", "line 1, column 15: no matching overload"},
      {"document.lines.all(l,\n  l.amuont > 0)", "line 2, column 5: undefined field 'amuont'"},
      {"document.lines[0].skus == ''", "line 1, column 19: undefined field 'skus'"},
      {"document.lines[0].amount + 'a' == ''", "no matching overload for '_+_' applied to (int, string)"},
      {"document.lines.exists(l, l.notes.exists(n, n > 1))", "no matching overload"},
      {"document.grid[0][0].size() == 1", "no matching overload for 'size'"},
      {"document.lines.map(l, l.sku)[0] == 1", "no matching overload"},
      {"document.named.anything == 1", "no matching overload"},
      {"document.x_one == 'a'", "no matching overload"},
      {"document.y_one == 'a'", "line 1, column 10: undefined field 'y_one'"},
      {"has(document.tittle)", "line 1, column 14: undefined field 'tittle'"},
      {"document.due == 'a'", "no matching overload"},
      {"document.ref == 1", "no matching overload"},
      {"document.blob == 'a'", "no matching overload"},
      {"document.title.x == 1", "has no field 'x'"},
      {"document['tittle'] == ''", "undefined field 'tittle'"},
      {"previous.tittle == ''", "undefined field 'tittle'"},
      {"auth.userId == ''", "undefined field 'userId'"},
  };
  const auto typed = schema();
  for (const auto& [expression, problem] : cases) {
    doc::BsonWriter rule;
    rule.beginDocument("update");
    rule.appendString("validate", expression);
    rule.end();
    const auto policy = compilePolicy(rule.finish(), typed.get());
    EXPECT_EQ(policy.has_value(), problem.empty()) << expression << (policy ? "" : policy.error().message());
    if (policy) continue;
    ASSERT_EQ(policy.error().details().size(), 1U) << expression;
    EXPECT_EQ(policy.error().details()[0].path, "/update/validate");
    EXPECT_NE(policy.error().details()[0].message.find(problem), std::string::npos)
        << expression << ": " << policy.error().details()[0].message;
  }
}

TEST(SchemaRules, ElementsThatTheSchemaCallsNumbersAreOfThatKind) {
  const auto typed = schema();
  doc::BsonWriter rule;
  rule.beginDocument("create");
  rule.appendString("validate",
                    "document.prices.all(p, p * 2.0 >= 2.0) && document.prices[1] / 2.0 == 1.5 &&"
                    "document.grid[0][0] + 1 == 3 && document.lines.all(l, l.each + 0.5 > 1.0 && l.amount % 2 == 1) &&"
                    "document.lines[0].each * 1.0 == 1.0 && document.prices.filter(p, p > 1.0)[0] + 0.5 == 3.5 &&"
                    "document.prices.map(p, p + 0.0).exists(p, p - 1.0 == 0.0)");
  rule.end();
  const auto compiled = compilePolicy(rule.finish(), typed.get());
  ASSERT_TRUE(compiled) << compiled.error().message();
  for (const std::string_view text :
       {R"({"prices": [1, 3], "grid": [[2]], "lines": [{"each": 1, "amount": 3}, {"each": 2.5, "amount": 5.0}]})",
        R"({"prices": [1.0, 3.0], "grid": [[2.0]], "lines": [{"each": 1.0, "amount": 3}]})"}) {
    const doc::Document after = json(text);
    const auto result =
        (*compiled)->rule(Operation::create)->checkWrite({endUser(), nullptr, after.view(), Timestamp{0}});
    EXPECT_TRUE(result) << text << ": " << result.error().cause();
  }
}

TEST(SchemaRules, FieldListsAndFiltersNameFieldsThatThereAre) {
  struct Named {
    std::string_view policy;
    std::string_view path;  // of the one problem; "" for none
  };
  const Named cases[] = {
      {R"({"read": {"deniedReadFields": ["title", "lines.each", "lines.0.each", "open.any.thing", "named.x", "x_y"]}})",
       ""},
      {R"({"read": {"deniedReadFields": ["title", "titel"]}})", "/read/deniedReadFields/1"},
      {R"({"list": {"deniedReadFields": ["lines.price"]}})", "/list/deniedReadFields/0"},
      {R"({"update": {"immutableFields": ["title.sub"]}})", "/update/immutableFields/0"},
      {R"({"update": {"immutableFields": ["id", "ownerId", "createdAt", "updatedAt", "either.a", "loose.x"]}})", ""},
      {R"({"create": {"allowedWriteFields": ["count", "tags", "tagz"]}})", "/create/allowedWriteFields/2"},
      {R"({"admin": {"allowedWriteFields": ["grid.0.0.x"]}})", "/admin/allowedWriteFields/0"},
      {R"({"read": {"filter": {"title": 1, "lines.sku": "a", "lines.0.sku": "a", "ownerId": "$auth.uid"}}})", ""},
      {R"({"read": {"filter": {"titel": 1}}})", "/read/filter/titel"},
      {R"({"read": {"filter": {"lines.skew": {"$ne": 1}}}})", "/read/filter/lines.skew"},
      {R"({"read": {"filter": {"$or": [{"title": 1}, {"$and": [{"owner": "$auth.uid"}]}]}}})",
       "/read/filter/$or/1/$and/0/owner"},
      {R"({"read": {"filter": {"lines": {"$elemMatch": {"sku": "a", "$or": [{"amount": 1}]}}}}})", ""},
      {R"({"read": {"filter": {"lines": {"$elemMatch": {"skew": "a"}}}}})", "/read/filter/lines/$elemMatch/skew"},
      {R"({"read": {"filter": {"lines": {"$not": {"$elemMatch": {"skew": "a"}}}}}})",
       "/read/filter/lines/$not/$elemMatch/skew"},
      {R"({"read": {"filter": {"lines": {"$all": [{"$elemMatch": {"skew": "a"}}]}}}})",
       "/read/filter/lines/$all/0/$elemMatch/skew"},
      {R"({"read": {"filter": {"open.x": 1, "either.b": 1, "named.b": 1, "x_b": 1}}})", ""},
  };
  const auto typed = schema();
  for (const Named& each : cases) {
    const auto policy = compilePolicy(json(each.policy), typed.get());
    EXPECT_EQ(policy.has_value(), each.path.empty()) << each.policy << (policy ? "" : policy.error().message());
    EXPECT_TRUE(compilePolicy(json(each.policy), nullptr)) << each.policy;
    if (policy) continue;
    ASSERT_EQ(policy.error().details().size(), 1U) << each.policy;
    EXPECT_EQ(policy.error().details()[0].path, each.path) << each.policy;
    EXPECT_NE(policy.error().details()[0].message.find("is not a field"), std::string::npos);
  }
  // A schema that allows more fields allows them here too.
  const auto open = doc::Schema::compile(json(R"({"properties": {"title": {"type": "string"}}})"));
  EXPECT_TRUE(compilePolicy(json(R"({"read": {"filter": {"titel": 1}, "deniedReadFields": ["titel"]}})"), open->get()));
}

}  // namespace
}  // namespace mb::policy
