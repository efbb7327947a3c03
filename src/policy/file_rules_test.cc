// The rules of buckets.
#include "policy/policy_fixture.h"

namespace mb::policy {
namespace {

std::shared_ptr<const Policy> rules(std::string_view text) {
  const doc::Document source = json(text);
  auto compiled = compileFileRules(source);
  EXPECT_TRUE(compiled) << text << ": " << (compiled ? "" : compiled.error().message());
  return compiled ? *compiled : nullptr;
}

std::vector<std::string> problems(std::string_view text, const RuleNames& names = {}) {
  const doc::Document source = json(text);
  const auto compiled = compileFileRules(source, names);
  std::vector<std::string> places;
  if (compiled) return places;
  for (const ErrorDetail& each : compiled.error().details()) places.push_back(each.path);
  return places;
}

using Pointers = std::vector<std::string>;

TEST(FileRules, NameTheFieldsOfAFile) {
  EXPECT_EQ(problems(R"({"read": {"filter": {"$or": [{"ownerId": "$auth.uid"}, {"metadata.album.name": "x"},
      {"path": {"$regex": "^a/"}}, {"size": {"$lt": 9}}, {"contentType": "a/b"}, {"metadata": {}},
      {"createdAt": {"$gt": "2026-01-01T00:00:00Z"}}, {"updatedAt": {"$exists": true}}]}}})"),
            Pointers{});
  EXPECT_EQ(
      problems(R"({"create": {"validate":
      "file.size < 9 && file.path.startsWith(auth.uid) && file.ownerId == auth.uid && file.metadata.a == 1 && )"
               R"(file.contentType == 'a/b' && file.createdAt <= now && file.updatedAt <= now && previous == null"},
      "update": {"validate": "previous.size <= file.size"}})"),
      Pointers{});
}

TEST(FileRules, AnythingElseIsRefusedWithItsPlace) {
  EXPECT_EQ(problems(R"({"read": {"filter": {"id": "x"}}})"), Pointers{"/read/filter/id"});
  EXPECT_EQ(problems(R"({"list": {"filter": {"$and": [{"sha256": "x"}, {"size.x": 1}]}}})"),
            (Pointers{"/list/filter/$and/0/sha256", "/list/filter/$and/1/size.x"}));
  EXPECT_EQ(problems(R"({"update": {"validate": "file.blob == 'x'"}})"), Pointers{"/update/validate"});
  EXPECT_EQ(problems(R"({"update": {"validate": "document.size == 1"}})"), Pointers{"/update/validate"});
  EXPECT_EQ(problems(R"({"update": {"validate": "file.size == 'x'"}})"), Pointers{"/update/validate"});
  EXPECT_EQ(problems(R"({"update": {"validate": "file.size"}})"), Pointers{"/update/validate"});
  EXPECT_EQ(problems(R"({"admin": {}})"), Pointers{"/admin"});
  EXPECT_EQ(problems(R"({"public": {"read": {}}})"), Pointers{"/public"});
  EXPECT_EQ(problems(R"({"write": {}})"), Pointers{"/write"});
  EXPECT_EQ(problems(R"({"read": 1})"), Pointers{"/read"});
  EXPECT_EQ(problems(R"({"read": {"deniedReadFields": ["size"]}, "update": {"immutableFields": ["path"]}})"),
            (Pointers{"/read/deniedReadFields", "/update/immutableFields"}));
  EXPECT_EQ(problems(R"({"read": {"filter": {"size": {"$lt": "$auth.nothing"}}}})"), Pointers{"/read/filter/size/$lt"});
}

TEST(FileRules, NameSetsOfTheProject) {
  const std::vector<std::string> sets = {"teams"};
  const RuleNames names{.sets = &sets};
  EXPECT_EQ(problems(R"({"read": {"filter": {"metadata.team": {"$in": "$auth.sets.teams"}}}})", names), Pointers{});
  EXPECT_EQ(problems(R"({"read": {"filter": {"metadata.team": {"$in": "$auth.sets.other"}}}})", names),
            Pointers{"/read/filter/metadata.team/$in"});
  EXPECT_EQ(problems(R"({"create": {"validate": "file.metadata.team in auth.sets.other"}})", names),
            Pointers{"/create/validate"});
  EXPECT_EQ(rules(R"({"delete": {"validate": "file.metadata.team in auth.sets.teams"}})")->sets(),
            std::vector<std::string>{"teams"});
}

TEST(FileRules, EveryOperationMayHaveAnExpression) {
  const auto compiled = rules(R"({"read": {"validate": "file.size > 1"}, "list": {"validate": "previous.size > 1"},
      "delete": {"filter": {}, "validate": "file.path == previous.path"}, "update": {}})");
  const Caller caller = endUser();
  const doc::Document small = json(R"({"path": "a", "size": 1})");
  const doc::DocumentView before = small.view();
  const auto allows = [&](Operation operation) {
    return compiled->rule(operation)->checkWrite({caller, &before, before, Timestamp{}}).has_value();
  };
  EXPECT_FALSE(allows(Operation::read));
  EXPECT_FALSE(allows(Operation::list));
  EXPECT_TRUE(allows(Operation::remove));
  EXPECT_TRUE(compiled->rule(Operation::read)->validates());
  EXPECT_FALSE(compiled->rule(Operation::update)->validates());
  EXPECT_EQ(nullptr, compiled->rule(Operation::create));
}

TEST(FileRules, WhatIsNotKnownYetRefusesNothing) {
  const auto compiled = rules(R"({"create": {"validate": "file.size < 9 && file.path == 'a'"}})");
  const Caller caller = endUser();
  const auto allows = [&](std::string_view record, bool partial) {
    const doc::Document after = json(record);
    Rule::Check check{caller, nullptr, after.view(), Timestamp{}};
    check.partial = partial;
    return compiled->rule(Operation::create)->checkWrite(check).has_value();
  };
  EXPECT_TRUE(allows(R"({"path": "a"})", true));
  EXPECT_FALSE(allows(R"({"path": "b"})", true));
  EXPECT_FALSE(allows(R"({"path": "a"})", false));
  EXPECT_FALSE(allows(R"({"path": "a", "size": 9})", true));
  EXPECT_TRUE(allows(R"({"path": "a", "size": 8})", false));
}

}  // namespace
}  // namespace mb::policy
