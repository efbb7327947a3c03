#include "data/event_view.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class EventViewTest : public DataTest {
 protected:
  EventViewTest() {
    collection("memberships");
    NewIndex index;
    index.keys = json(R"({"userId": 1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    expectOk(run(
        data_->policySets().set(managing(), {"teams", "memberships", json(R"({"userId": "$auth.uid"})"), "teamId"})));
    put("memberships", R"({"userId": "user_alice", "teamId": ["red", "0123456789abcdef01234567"]})");
  }
  Result<EventView> view(const policy::Caller& caller, const std::string& name) {
    return run(eventViewFor(data_->grants(), caller, snapshot(), name));
  }
};

TEST_F(EventViewTest, ASetStandsBesideTheFilter) {
  collection("tasks", R"({"read": {"filter": {"teamId": {"$in": "$auth.sets.teams"}, "open": true}}})");
  const auto alice = view(alice_, "tasks");
  ASSERT_TRUE(alice && alice->inSet);
  EXPECT_EQ(alice->inSet->path.dotted(), "teamId");
  EXPECT_EQ(alice->inSet->values->list().asDocument().count(), 2u);
  EXPECT_EQ(alice->filter.paths(), (std::vector<std::string>{"open"}));
  EXPECT_EQ(alice->reader, policy::ReaderKind::signedIn);
  const auto bob = view(bob_, "tasks");
  ASSERT_TRUE(bob && bob->inSet);
  EXPECT_EQ(bob->inSet->values->list().asDocument().count(), 0u);
}

TEST_F(EventViewTest, OrIsPartOfTheFilter) {
  collection("other", R"({"read": {"filter": {"teamId": {"$nin": "$auth.sets.teams"}}}})");
  // The text of an object id is stored as an object id, so the values are no longer those of the set.
  collection("typed", R"({"read": {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}})",
             R"({"type": "object", "properties": {"teamId": {"type": "string", "x-bson": "objectId"}}})");
  for (const char* name : {"other", "typed"}) {
    const auto seen = view(alice_, name);
    ASSERT_TRUE(seen) << name;
    EXPECT_FALSE(seen->inSet) << name;
    EXPECT_EQ(seen->filter.paths(), (std::vector<std::string>{"teamId"})) << name;
    EXPECT_FALSE(seen->sets.empty()) << name;
  }
}

TEST_F(EventViewTest, AdminsSeeAllPastThePolicy) {
  collection("bare");
  collection("posts", R"({"read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["notes"]}})");
  const auto viewAsAdmin = [&](const policy::Caller& caller, const std::string& name) {
    return run(eventViewFor(data_->grants(), caller, snapshot(), name, Authority::admin));
  };
  policy::Caller member = owner_;
  member.permissions = permissions({"data:posts:admin"});
  for (const auto& [caller, name] :
       {std::pair(owner_, "bare"), std::pair(owner_, "posts"), std::pair(member, "posts")}) {
    const auto seen = viewAsAdmin(caller, name);
    ASSERT_TRUE(seen) << name;
    EXPECT_TRUE(seen->filter.matchesAll());
    EXPECT_FALSE(seen->inSet);
    EXPECT_TRUE(seen->denied().empty());
  }
  expectError(ErrorCode::forbidden, viewAsAdmin(member, "bare"));
  expectError(ErrorCode::notFound, viewAsAdmin(owner_, "unknown"));
  policy::Caller nobody;
  nobody.project = project_;
  expectError(ErrorCode::forbidden, viewAsAdmin(nobody, "posts"));
  // An end user is not an admin of documents, whatever the role grants.
  policy::Caller user = alice_;
  user.permissions = permissions({"data:posts:admin"});
  expectError(ErrorCode::forbidden, viewAsAdmin(user, "posts"));
  // A key of the scope `write` holds no admin permission by its wildcards.
  policy::Caller key = owner_;
  key.kind = policy::CallerKind::apiKey;
  key.scopes = {"write"};
  key.permissions = permissions({"data:*"});
  expectError(ErrorCode::forbidden, viewAsAdmin(key, "posts"));
  key.scopes = {"admin"};
  EXPECT_TRUE(viewAsAdmin(key, "posts"));
}

TEST_F(EventViewTest, WithoutATokenPublicRulesAlone) {
  collection("posts", R"({"read": {"deniedReadFields": ["notes"]},
                          "public": {"read": {"filter": {"published": true}, "deniedReadFields": ["views"]}}})");
  collection("closed", R"({"read": {}})");
  policy::Caller nobody;
  nobody.project = project_;
  const auto seen = view(nobody, "posts");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->reader, policy::ReaderKind::anonymous);
  EXPECT_EQ(seen->denied().paths(), (std::vector<std::string>{"notes", "views"}));
  expectError(ErrorCode::unauthenticated, view(nobody, "closed"));
  EXPECT_EQ(view(alice_, "posts")->denied().paths(), (std::vector<std::string>{"notes"}));
}

}  // namespace
}  // namespace mb::data
