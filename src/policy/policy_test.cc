#include "policy/policy.h"

#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

struct Refused {
  std::string_view policy;
  std::string_view path;
  std::string_view words;
};

TEST(Policy, WhatIsRefusedAtSave) {
  const Refused cases[] = {
      {R"({"raed": {}})", "/raed", "must be read, list"},
      {R"({"remove": {}})", "/remove", "must be read, list"},
      {R"({"read": null})", "/read", "object"},
      {R"({"read": []})", "/read", "object"},
      {R"({"read": {"filtre": {}}})", "/read/filtre", "known key"},
      {R"({"read": {"filter": []}})", "/read/filter", "object"},
      {R"({"read": {"filter": null}})", "/read/filter", "object"},
      {R"({"read": {"validate": "true"}})", "/read/validate", "is not allowed in the rule"},
      {R"({"delete": {"validate": "true"}})", "/delete/validate", "is not allowed in the rule"},
      {R"({"list": {"immutableFields": []}})", "/list/immutableFields", "is not allowed in the rule"},
      {R"({"create": {"immutableFields": []}})", "/create/immutableFields", "is not allowed in the rule"},
      {R"({"delete": {"allowedWriteFields": []}})", "/delete/allowedWriteFields", "is not allowed in the rule"},
      {R"({"update": {"deniedReadFields": []}})", "/update/deniedReadFields", "is not allowed in the rule"},
      {R"({"admin": {"deniedReadFields": []}})", "/admin/deniedReadFields", "is not allowed in the rule"},
      {R"({"update": {"immutableFields": "a"}})", "/update/immutableFields", "list"},
      {R"({"update": {"immutableFields": [1]}})", "/update/immutableFields/0", "field name"},
      {R"({"update": {"allowedWriteFields": ["a", ""]}})", "/update/allowedWriteFields/1", ""},
      {R"({"read": {"deniedReadFields": ["a..b"]}})", "/read/deniedReadFields/0", ""},
      {R"({"read": {"deniedReadFields": ["$a"]}})", "/read/deniedReadFields/0", ""},
      {R"({"update": {"validate": 1}})", "/update/validate", "string"},
      {R"({"update": {"validate": "1 +"}})", "/update/validate", "line 1, column 4"},
      {R"({"update": {"validate": "true &&\n  nowhere"}})", "/update/validate", "line 2, column 3"},
      {R"({"update": {"validate": "document.n + 1"}})", "/update/validate", "must give bool, not int"},
      {R"({"update": {"validate": "1 + 1"}})", "/update/validate", "must give bool"},
      {R"({"create": {"validate": "previous.a == 1"}})", "/create/validate", "undeclared reference to 'previous'"},
      {R"({"create": {"validate": "auth.name == 'a'"}})", "/create/validate", "undefined field 'name'"},
      {R"({"create": {"validate": "auth.uid == 1"}})", "/create/validate", "no matching overload"},
      {R"({"read": {"filter": {"a": {"$where": "1"}}}})", "/read/filter", "$where"},
      {R"({"read": {"filter": {"$expr": {}}}})", "/read/filter", "$expr"},
      {R"({"read": {"filter": {"a": {"b": {"$gt": 1}}}}})", "/read/filter", ""},
      {R"({"read": {"filter": {"a": "$auth.foo"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth."}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.uid "}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.UID"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.tokn.x"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.token"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.token."}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.token.x..y"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": "$auth.token.$x"}}})", "/read/filter/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": {"$in": ["b", "$auth.x"]}}}})", "/read/filter/a/$in/1", "unknown placeholder"},
      {R"({"read": {"filter": {"a": {"$in": "$auth.x"}}}})", "/read/filter/a/$in", "unknown placeholder"},
      {R"({"read": {"filter": {"$or": [{"a": "$auth.x"}]}}})", "/read/filter/$or/0/a", "unknown placeholder"},
      {R"({"read": {"filter": {"a": {"$elemMatch": {"b": "$auth.x"}}}}})", "/read/filter/a/$elemMatch/b", "unknown"},
      {R"({"read": {"filter": {"a": {"b": ["$auth.x"]}}}})", "/read/filter/a/b/0", "unknown placeholder"},
      {R"({"read": {"filter": {"a": {"$regex": "$auth.uid"}}}})", "/read/filter/a/$regex",
       "is allowed only as a value"},
      {R"({"read": {"filter": {"a": {"$in": [{"$regex": "$auth.uid"}]}}}})", "/read/filter/a/$in/0/$regex", "value"},
      {R"({"read": {"filter": {"a": {"$exists": "$auth.uid"}}}})", "/read/filter/a/$exists", "value"},
      {R"({"read": {"filter": {"a": {"$size": "$auth.token.n"}}}})", "/read/filter/a/$size", "value"},
      {R"({"read": {"filter": {"a": {"$type": "$auth.role"}}}})", "/read/filter/a/$type", "value"},
      {R"({"read": {"filter": {"a": {"$mod": ["$auth.token.n", 0]}}}})", "/read/filter/a/$mod/0", "value"},
      {R"({"read": {"filter": {"$or": "$auth.token.x"}}})", "/read/filter/$or", "value"},
      {R"({"read": {"filter": {"a": {"$not": "$auth.uid"}}}})", "/read/filter/a/$not", "value"},
      {R"({"read": {"filter": {"a": {"$elemMatch": "$auth.uid"}}}})", "/read/filter/a/$elemMatch", "value"},
      {R"({"read": {"filter": {"a": "\u0001$auth.uid"}}})", "/read/filter/a", "U+0001"},
  };
  for (const Refused& each : cases) {
    const doc::Document source = json(each.policy);
    const auto policy = compilePolicy(source, nullptr);
    ASSERT_FALSE(policy) << each.policy;
    EXPECT_EQ(policy.error().code(), ErrorCode::validation);
    ASSERT_EQ(policy.error().details().size(), 1U) << each.policy;
    EXPECT_EQ(policy.error().details()[0].path, each.path) << each.policy;
    EXPECT_NE(policy.error().details()[0].message.find(each.words), std::string::npos)
        << each.policy << ": " << policy.error().details()[0].message;
  }
}

TEST(Policy, AllProblemsAreTold) {
  const doc::Document source = json(R"({"a": {}, "read": {"x": 1, "filter": {"a": "$auth.x", "b": "$auth.y"}},
                                        "update": {"validate": "one && two"}})");
  const auto policy = compilePolicy(source, nullptr);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().details().size(), 6U);
}

TEST(Policy, ExpressionsKnowTheSchema) {
  const auto schema = doc::Schema::compile(json(R"({"type": "object", "additionalProperties": false, "properties": {
      "title": {"type": "string"}, "price": {"type": "number"}, "count": {"type": "integer"}, "ok": {"type": "boolean"},
      "tags": {"type": "array", "items": {"type": "string"}}, "note": {"type": ["string", "null"]},
      "address": {"type": "object", "additionalProperties": false, "properties": {"city": {"type": "string"}}},
      "open": {"type": "object"}, "when": {"type": "string", "x-bson": "date"}}})"));
  ASSERT_TRUE(schema);
  const std::pair<std::string_view, bool> cases[] = {
      {"document.title.size() < 100 && document.price > 0 && document.count >= 1", true},
      {"document.price * 2.0 > 1.5 && document.price == 3 && document.price in [1, 2, 3]", true},
      {"document.titel.size() < 100", false},
      {"has(document.titel)", false},
      {"document['titel'] == ''", false},
      {"document['title'] == ''", true},
      {"document.address.city == 'Bern' && has(document.address.city)", true},
      {"document.address.cty == 'Bern'", false},
      {"document.open.anything.goes == 1", true},
      {"document.title + 1 == 2", false},
      {"document.title == 1", false},
      {"document.count + 1 == 2", true},
      {"document.count + 1.5 == 2.0", false},
      {"document.note == null || document.note.size() > 1", true},
      {"document.when < now && document.when.getFullYear() > 2000", true},
      {"document.tags.all(t, t.size() < 10) && 'a' in document.tags", true},
      {"document.ok && previous.ok", true},
      {"previous.titel == ''", false},
      {"document.id == previous.id && document.createdAt < now && document.ownerId == auth.uid", true},
      {"document.all(k, k.size() < 100) && document.size() < 20", true},
      {"document == previous", true},
  };
  for (const auto& [expression, accepted] : cases) {
    const doc::Document source = json(fmt::format(R"({{"update": {{"validate": "{}"}}}})", expression));
    const auto policy = compilePolicy(source, schema->get());
    EXPECT_EQ(policy.has_value(), accepted) << expression << (policy ? "" : ": " + policy.error().message());
  }
}

TEST(Policy, NumbersOfASchemaAreOfItsType) {
  const auto schema = doc::Schema::compile(
      json(R"({"type": "object", "properties": {"price": {"type": "number"}, "count": {"type": "integer"}}})"));
  ASSERT_TRUE(schema);
  const auto policy = compiled(
      R"({"create": {"validate": "document.price * 2.0 == 10.0 && document.count + 1 == 4 && document['price'] == 5"}})",
      schema->get());
  for (const std::string_view text : {R"({"price": 5, "count": 3})", R"({"price": 5.0, "count": 3.0})"}) {
    const doc::Document after = json(text);
    EXPECT_TRUE(policy->rule(Operation::create)->checkWrite({endUser(), nullptr, after.view(), Timestamp{0}})) << text;
  }
}

TEST(Policy, AdminRulesStandInForAdmins) {
  const auto policy =
      compiled(R"({"read": {"filter": {"ownerId": "$auth.uid"}}, "admin": {"filter": {"team": "$auth.token.team"}}})");
  const Rule* read = policy->rule(Operation::read);
  const Rule* admin = policy->rule(Operation::admin);

  Caller user = endUser(R"({"team": "red"})");
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::read), read);
  user.permissions = holding({"data:posts:admin"});
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::read), admin);
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::remove), admin);
  EXPECT_EQ(*policy->ruleFor(user, "other", Operation::read), read);
  user.claims = json("{}");
  EXPECT_EQ(*policy->ruleFor(user, "posts", Operation::read), read) << "the admin rule does not resolve";
  EXPECT_FALSE(policy->ruleFor(user, "posts", Operation::remove));
  // Members have no claims, so this admin rule does not resolve for them.
  EXPECT_EQ(*policy->ruleFor(member(), "posts", Operation::read), read);

  const auto open = compiled(R"({"admin": {}})");
  EXPECT_EQ(*open->ruleFor(member(), "posts", Operation::create), open->rule(Operation::admin));
  EXPECT_EQ(*open->ruleFor(apiKey({"admin"}, {"*"}), "posts", Operation::list), open->rule(Operation::admin));
  EXPECT_FALSE(open->ruleFor(endUser(), "posts", Operation::read));
  EXPECT_FALSE(open->ruleFor(Caller(), "posts", Operation::read));
  EXPECT_FALSE(compiled("{}")->ruleFor(member(), "posts", Operation::read)) << "no rule, even for holders of *";
}

TEST(Policy, KeepsItsSourceAndNames) {
  const std::string text = R"({"read":{"filter":{"a":{"$in":"$auth.token.x"}}}})";
  EXPECT_EQ(doc::toJson(compiled(text)->source()), text);
  EXPECT_EQ(operationName(Operation::remove), "delete");
}

TEST(Policy, DeniedFieldsAreThoseOfReadAndList) {
  const auto policy = compiled(R"({"read": {"deniedReadFields": ["a", "b.c"]}, "list": {"deniedReadFields": ["d"]}})");
  EXPECT_EQ(policy->deniedReadFields(ReaderKind::signedIn).paths(), (std::vector<std::string>{"a", "b.c", "d"}));
  EXPECT_TRUE(compiled("{}")->deniedReadFields(ReaderKind::signedIn).empty());
}

TEST(Policy, AFilterMayNotNameADeniedField) {
  const doc::FieldSet denied({"secret", "user.hash", "items.cost"});
  const std::pair<std::string_view, bool> cases[] = {
      {R"({"title": 1})", true},
      {R"({"secret": 1})", false},
      {R"({"secret.deep": 1})", false},
      {R"({"secret.0": 1})", false},
      {R"({"secretary": 1, "user.name": 1, "items.price": 1})", true},
      {R"({"user": {"hash": 1}})", false},
      {R"({"user": null})", false},
      {R"({"user.hash.0.x": {"$exists": true}})", false},
      {R"({"items.0.cost": {"$gt": 1}})", false},
      {R"({"items": {"$elemMatch": {"cost": 1}}})", false},
      {R"({"items": {"$elemMatch": {"$or": [{"cost": {"$gt": 1}}]}}})", false},
      {R"({"items.12": 1})", false},
      {R"({"$or": [{"title": 1}, {"$and": [{"secret": {"$regex": "^a"}}]}]})", false},
      {R"({"$nor": [{"secret": 1}]})", false},
      {R"({"title": {"$not": {"$eq": 1}}, "secret": {"$not": {"$eq": 1}}})", false},
      {R"({"secret": {"$in": []}})", false},
      {R"({"secret": {"$type": "string"}})", false},
      {"{}", true},
  };
  for (const auto& [text, allowed] : cases) {
    const auto filter = doc::Filter::parse(json(text));
    ASSERT_TRUE(filter) << text;
    const auto result = refuseDeniedFields(*filter, denied);
    EXPECT_EQ(result.has_value(), allowed) << text;
    if (!result) EXPECT_EQ(result.error().code(), ErrorCode::forbidden);
    EXPECT_TRUE(refuseDeniedFields(*filter, doc::FieldSet()));
  }
}

TEST(Policy, OnlyMembersAreToldTheRule) {
  const auto policy = compiled(R"({
    "read": {"filter": {"a": "$auth.token.b"}}, "create": {"validate": "document.a == 1"},
    "update": {"immutableFields": ["a"]}, "public": {"list": {"filter": {"a": 1}}}})");
  const auto messages = [&](const Caller& caller) {
    std::vector<std::string> all;
    const auto add = [&](const auto& result) { all.push_back(result ? "" : result.error().message()); };
    add(policy->ruleFor(caller, "posts", Operation::remove));
    add(policy->rule(Operation::read)->filterFor({caller}, doc::defaultCoercion()));
    const doc::Document before = json(R"({"a": 2})");
    const doc::Document after = json(R"({"a": 3})");
    const doc::DocumentView view = before.view();
    add(policy->rule(Operation::create)->checkWrite({caller, nullptr, after.view(), Timestamp{}}));
    const auto breach = policy->rule(Operation::update)->checkWrite({caller, &view, after.view(), Timestamp{}});
    add(breach);
    EXPECT_TRUE(!breach && breach.error().details().at(0).path == "/a");
    return all;
  };
  EXPECT_EQ(messages(endUser()), std::vector<std::string>(4, "denied by policy"));
  EXPECT_EQ(messages(apiKey({"read"}, {"data:*"})), std::vector<std::string>(4, "denied by policy"));
  EXPECT_EQ(messages(member()),
            (std::vector<std::string>{R"(denied by policy (no rule "delete"))", R"(denied by policy (rule "read"))",
                                      R"(denied by policy (rule "create"))", R"(denied by policy (rule "update"))"}));
  EXPECT_EQ(policy->publicRule(Operation::list)->name(), "public/list");
}

}  // namespace
}  // namespace mb::policy
