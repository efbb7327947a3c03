#include "data/caller_sets.h"

#include "data/data_fixture.h"
#include "data/event_view.h"
#include "store/configuration_limits.h"

namespace mb::data {
namespace {

class CallerSetsTest : public DataTest {
 protected:
  using Ids = std::vector<std::string>;

  // Teams by membership, and tasks that teams see.
  void teams() {
    collection("memberships");
    index("memberships", R"({"userId": 1})");
    expectOk(set({"teams", "memberships", json(R"({"userId": "$auth.uid", "active": true})"), "teamId"}));
    collection("tasks", R"({
      "read": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}, "list": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}},
      "create": {"validate": "document.teamId in auth.sets.teams"},
      "update": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}, "validate": "document.teamId in auth.sets.teams"}})");
    put("tasks", R"({"id": "r1", "teamId": "red"})");
    put("tasks", R"({"id": "b1", "teamId": "blue"})");
    put("memberships", R"({"id": "ar", "userId": "user_alice", "teamId": "red", "active": true})");
    put("memberships", R"({"id": "ab", "userId": "user_alice", "teamId": "blue", "active": false})");
    put("memberships", R"({"id": "bb", "userId": "user_bob", "teamId": "blue", "active": true})");
  }
  void index(const std::string& name, std::string_view keys) {
    NewIndex index;
    index.keys = json(keys);
    expectOk(run(data_->collections().createIndex(managing(), name, index)));
  }
  Result<> set(PolicySet set) { return run(data_->policySets().set(managing(), std::move(set))); }
  void change(const std::string& id, std::string_view update) {
    expectOk(run(data_->documents().update(asAdmin(), "memberships", id, json(update))));
  }
  Ids seen(const policy::Caller& caller) {
    const auto found = list(caller, "tasks");
    if (!found) return {found.error().message()};
    Ids ids;
    for (const std::string& text : *found) ids.emplace_back(json(text).view().stringOr("id"));
    return ids;
  }
};

TEST_F(CallerSetsTest, DecideWhatACallerSees) {
  teams();
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
  EXPECT_EQ(seen(bob_), (Ids{"b1"}));
  EXPECT_EQ(seen(user("user_nobody")), Ids{});
  expectOk(get(alice_, "tasks", "r1"));
  expectError(ErrorCode::notFound, get(alice_, "tasks", "b1"));
  expectOk(create(alice_, "tasks", R"({"teamId": "red"})"));
  expectError(ErrorCode::forbidden, create(alice_, "tasks", R"({"teamId": "blue"})"));
  expectError(ErrorCode::forbidden, patch(alice_, "tasks", "r1", R"({"teamId": "blue"})"));
  expectError(ErrorCode::notFound, patch(alice_, "tasks", "b1", R"({"teamId": "red"})"));
}

TEST_F(CallerSetsTest, FollowEachChangeOfAMembership) {
  teams();
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
  change("ab", R"({"active": true})");
  EXPECT_EQ(seen(alice_), (Ids{"b1", "r1"}));
  change("ar", R"({"teamId": "green"})");
  EXPECT_EQ(seen(alice_), (Ids{"b1"}));
  change("ar", R"({"teamId": ["red", 5, "green"]})");
  EXPECT_EQ(seen(alice_), (Ids{"b1", "r1"}));
  change("ar", R"({"userId": "user_bob"})");
  EXPECT_EQ(seen(alice_), (Ids{"b1"}));
  EXPECT_EQ(seen(bob_), (Ids{"b1", "r1"}));
  expectOk(run(data_->documents().remove(asAdmin(), "memberships", "ab")));
  EXPECT_EQ(seen(alice_), Ids{});
  put("memberships", R"({"userId": "user_alice", "teamId": "blue", "active": true})");
  EXPECT_EQ(seen(alice_), (Ids{"b1"}));
}

TEST_F(CallerSetsTest, FollowADefinition) {
  teams();
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
  expectOk(set({"teams", "memberships", json(R"({"userId": "$auth.uid", "active": false})"), "teamId"}));
  EXPECT_EQ(seen(alice_), (Ids{"b1"}));
  expectOk(run(data_->collections().rename(managing(), "memberships", "members")));
  EXPECT_EQ(seen(alice_), (Ids{"b1"}));
  EXPECT_EQ(data_->policySets().list(*snapshot()).front().collection, "members");
}

TEST_F(CallerSetsTest, AreReadOnlyWhereARuleNamesThem) {
  teams();
  collection("notes", R"({"list": {}})");
  const Grants& grants = data_->grants();
  const Access access = as(alice_);
  EXPECT_FALSE(grants.find(access, "notes", policy::Operation::list)->awaitsSets);
  EXPECT_TRUE(grants.find(access, "tasks", policy::Operation::list)->awaitsSets) << "not cached on this thread";
}

TEST_F(CallerSetsTest, ValuesBeyondTheLimitDeny) {
  teams();
  for (size_t i = 0; i < policy::kMaxSetValues - 1; ++i) {
    put("memberships", fmt::format(R"({{"userId": "user_alice", "teamId": "t{}", "active": true}})", i));
  }
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
  put("memberships", R"({"id": "last", "userId": "user_alice", "teamId": "one more", "active": true})");
  expectError(ErrorCode::forbidden, list(alice_, "tasks"));
  expectError(ErrorCode::forbidden, create(alice_, "tasks", R"({"teamId": "red"})"));
  EXPECT_EQ(seen(bob_), (Ids{"b1"}));
  change("last", R"({"teamId": "red"})");
  EXPECT_EQ(seen(alice_), (Ids{"r1"})) << "equal values count once";
}

TEST_F(CallerSetsTest, AnEventViewWithTooManyValuesIsRefusedUntilTheyChange) {
  teams();
  const auto view = [&] { return run(eventViewFor(data_->grants(), alice_, snapshot(), "tasks")); };
  std::string all;
  for (size_t i = 0; i <= policy::kMaxSetValues; ++i) all += fmt::format(R"({}"t{}")", i == 0 ? "" : ",", i);
  put("memberships", fmt::format(R"({{"id": "many", "userId": "user_alice", "teamId": [{}], "active": true}})", all));
  const auto refused = view();
  expectOk(refused);
  EXPECT_TRUE(refused->refused);
  EXPECT_FALSE(refused->sets.changed());
  change("bb", R"({"active": false})");
  EXPECT_FALSE(refused->sets.changed()) << "of another caller";
  change("many", R"({"teamId": "red"})");
  EXPECT_TRUE(refused->sets.changed());
  EXPECT_FALSE(view()->refused);
}

TEST_F(CallerSetsTest, WhatASaveRefuses) {
  collection("memberships", "", R"({"type": "object", "additionalProperties": false,
                                    "properties": {"userId": {"type": "string"}, "teamId": {"type": "string"}}})");
  const PolicySet valid{"teams", "memberships", json(R"({"userId": "$auth.uid"})"), "teamId"};
  const auto refused = [&](const PolicySet& given, std::string_view pointer) {
    const auto done = set(given);
    ASSERT_FALSE(done) << pointer;
    EXPECT_EQ(done.error().code(), ErrorCode::validation);
    ASSERT_FALSE(done.error().details().empty());
    EXPECT_EQ(done.error().details().front().path, pointer) << done.error().message();
  };
  refused(valid, "/where");
  index("memberships", R"({"teamId": 1, "userId": 1})");
  refused(valid, "/where");
  index("memberships", R"({"userId": 1, "teamId": 1})");
  refused({"Teams", "memberships", valid.where, "teamId"}, "/name");
  refused({"teams", "nowhere", valid.where, "teamId"}, "/collection");
  refused({"teams", "memberships", valid.where, "team"}, "/value");
  refused({"teams", "memberships", json(R"({"user": "$auth.uid"})"), "teamId"}, "/where/user");
  EXPECT_TRUE(data_->policySets().list(*snapshot()).empty());
  expectOk(set(valid));
  for (size_t i = 1; i < store::kMaxPolicySets; ++i) {
    expectOk(set({fmt::format("set{}", i), "memberships", valid.where, "teamId"}));
  }
  expectError(ErrorCode::conflict, set({"oneMore", "memberships", valid.where, "teamId"}));
  expectOk(set(valid));
}

TEST_F(CallerSetsTest, WhatIsUsedStays) {
  teams();
  const auto remove = [&](const std::string& name) { return run(data_->policySets().remove(managing(), name)); };
  expectError(ErrorCode::conflict, remove("teams"));
  expectError(ErrorCode::notFound, remove("other"));
  expectError(ErrorCode::conflict, run(data_->collections().dropIndex(managing(), "memberships", "userId_1")));
  expectError(ErrorCode::conflict, run(data_->collections().drop(managing(), "memberships")));
  index("memberships", R"({"userId": 1, "teamId": 1})");
  expectOk(run(data_->collections().dropIndex(managing(), "memberships", "userId_1")));
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
  expectError(ErrorCode::validation,
              run(data_->collections().setPolicy(managing(), "tasks",
                                                 json(R"({"read": {"filter": {"a": {"$in": "$auth.sets.b"}}}})"))));
  expectOk(run(data_->collections().setPolicy(managing(), "tasks", json(R"({"read": {}})"))));
  expectOk(remove("teams"));
  expectOk(run(data_->collections().drop(managing(), "memberships")));
}

// A collection to which others refer is compiled once more for them.
TEST_F(CallerSetsTest, WhatIsUsedAndReferredToStays) {
  teams();
  collection("notes");
  index("notes", R"({"membership": 1})");
  expectOk(run(data_->collections().setSchema(managing(), "notes", json(R"({"type": "object", "properties": {
      "membership": {"type": "string", "x-ref": {"collection": "memberships", "onDelete": "unset"}}}})"))));
  expectOk(run(data_->collections().setSchema(managing(), "memberships", json(R"({"type": "object"})"))));
  expectError(ErrorCode::conflict, run(data_->collections().drop(managing(), "memberships")));
  expectError(ErrorCode::conflict, run(data_->collections().dropIndex(managing(), "memberships", "userId_1")));
  EXPECT_EQ(seen(alice_), (Ids{"r1"}));
}

TEST_F(CallerSetsTest, OfTheDefaultPolicy) {
  teams();
  expectOk(run(data_->collections().setPolicy(
      managing(), "*", json(R"({"list": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}})"))));
  collection("more");
  put("more", R"({"id": "m", "teamId": "red"})");
  EXPECT_EQ(list(alice_, "more")->size(), 1U);
  EXPECT_EQ(list(bob_, "more")->size(), 0U);
  expectError(ErrorCode::conflict, run(data_->policySets().remove(managing(), "teams")));
  expectError(ErrorCode::validation,
              run(data_->collections().setPolicy(managing(), "*", json(R"({"public": {"read": {}}})"))));
}

TEST_F(CallerSetsTest, AreReadForExpandedReferences) {
  teams();
  collection("comments", R"({"read": {}, "list": {}})",
             R"({"type": "object", "properties": {"task": {"type": "string", "x-ref": "tasks"}}})");
  put("comments", R"({"id": "c1", "task": "r1"})");
  ReadQuery query;
  query.expand = {"task"};
  EXPECT_NE(get(alice_, "comments", "c1", query)->find(R"("teamId":"red")"), std::string::npos);
  EXPECT_EQ(get(bob_, "comments", "c1", query)->find(R"("teamId":"red")"), std::string::npos);
}

class PublicRulesTest : public CallerSetsTest {};

TEST_F(PublicRulesTest, ServeReadsAndCreates) {
  collection("posts", R"({
    "read": {"deniedReadFields": ["draft"]}, "list": {}, "update": {},
    "public": {"read": {"filter": {"published": true}, "deniedReadFields": ["views"]}, "list": {"filter": {"published": true}},
               "create": {"allowedWriteFields": ["text"], "validate": "auth == null"}}})");
  put("posts", R"({"id": "p1", "published": true, "views": 3, "draft": "x", "ownerId": "user_alice"})");
  put("posts", R"({"id": "p2", "published": false})");
  const policy::Caller nobody;
  const auto found = get(nobody, "posts", "p1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->find("views"), std::string::npos);
  EXPECT_EQ(found->find("draft"), std::string::npos);
  EXPECT_NE(get(alice_, "posts", "p1")->find("views"), std::string::npos);
  expectError(ErrorCode::notFound, get(nobody, "posts", "p2"));
  EXPECT_EQ(list(nobody, "posts")->size(), 1U);
  expectError(ErrorCode::forbidden, listWhere(nobody, "posts", R"({"views": 3})"));
  EXPECT_EQ(listWhere(alice_, "posts", R"({"views": 3})")->size(), 1U);
  const auto made = create(nobody, "posts", R"({"text": "hi"})");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->find("ownerId"), std::string::npos);
  expectError(ErrorCode::forbidden, create(nobody, "posts", R"({"text": "hi", "published": true})"));
  expectError(ErrorCode::unauthenticated, patch(nobody, "posts", "p1", R"({"a": 1})"));
  expectError(ErrorCode::unauthenticated, remove(nobody, "posts", "p1"));
  expectError(ErrorCode::unauthenticated, get(nobody, "unknown", "p1"));
  collection("closed", R"({"read": {}, "list": {}})");
  expectError(ErrorCode::unauthenticated, list(nobody, "closed"));
}

TEST_F(PublicRulesTest, SignedInCallersNeedThePermission) {
  collection("posts", R"({"public": {"list": {}}})");
  put("posts", R"({"id": "p1"})");
  EXPECT_EQ(list(alice_, "posts")->size(), 1U);
  policy::Caller unable = user("user_u");
  unable.permissions = permissions({});
  expectError(ErrorCode::forbidden, list(unable, "posts"));
}

}  // namespace
}  // namespace mb::data
