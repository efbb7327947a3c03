#include "data/data_fixture.h"

namespace mb::data {
namespace {

constexpr std::string_view kOwn =
    R"({"read":{"filter":{"ownerId":"$auth.uid"}},"list":{"filter":{"ownerId":"$auth.uid"}}})";

class ReadTest : public DataTest {
 protected:
  void notes(std::string_view policy) {
    collection("notes", policy);
    put("notes", R"({"id":"a1","ownerId":"user_alice","title":"one","secret":"s1","profile":{"ssn":"1","city":"x"}})");
    put("notes", R"({"id":"b1","ownerId":"user_bob","title":"two","secret":"s2"})");
    put("notes", R"({"id":"a2","ownerId":"user_alice","title":"three","secret":"s3"})");
  }
  static std::vector<std::string> idsOf(const Result<std::vector<std::string>>& found) {
    std::vector<std::string> ids;
    if (!found) return {found.error().message()};
    for (const std::string& text : *found) ids.emplace_back(json(text).view().stringOr("id"));
    return ids;
  }
  using Ids = std::vector<std::string>;
};

TEST_F(ReadTest, NothingIsReadWithoutAPolicy) {
  collection("notes");
  expectError(ErrorCode::forbidden, list(alice_, "notes"));
  expectError(ErrorCode::forbidden, get(alice_, "notes", "x"));
  expectError(ErrorCode::forbidden, list(owner_, "notes"));
}

TEST_F(ReadTest, NothingIsReadWithoutThePermission) {
  notes(R"({"read":{},"list":{}})");
  policy::Caller reader = user("user_r");
  reader.permissions = permissions({"data:notes:read"});
  expectOk(get(reader, "notes", "a1"));
  expectError(ErrorCode::forbidden, list(reader, "notes"));
  reader.permissions = permissions({"data:other:list", "data:notes:create"});
  expectError(ErrorCode::forbidden, list(reader, "notes"));
  expectError(ErrorCode::forbidden, get(reader, "notes", "a1"));
  expectError(ErrorCode::unauthenticated, get(policy::Caller(), "notes", "a1"));
}

TEST_F(ReadTest, AnUnknownCollectionIsNotFoundForThoseWhoMayRead) {
  expectError(ErrorCode::notFound, list(alice_, "nope"));
  policy::Caller nobody = user("user_n");
  nobody.permissions = permissions({});
  expectError(ErrorCode::forbidden, list(nobody, "nope"));
  expectError(ErrorCode::notFound, list(owner_, "__policies"));
}

TEST_F(ReadTest, ThePolicyFilterHidesAndCannotBeWidened) {
  notes(kOwn);
  EXPECT_EQ((Ids{"a1", "a2"}), idsOf(list(alice_, "notes")));
  EXPECT_EQ((Ids{"b1"}), idsOf(list(bob_, "notes")));
  EXPECT_EQ((Ids{}), idsOf(list(owner_, "notes")));
  EXPECT_EQ((Ids{"a2"}), idsOf(listWhere(alice_, "notes", R"({"title":"three"})")));
  EXPECT_EQ((Ids{}), idsOf(listWhere(alice_, "notes", R"({"ownerId":"user_bob"})")));
  EXPECT_EQ((Ids{"a1", "a2"}), idsOf(listWhere(alice_, "notes", R"({"$or":[{"ownerId":{"$exists":true}},{"x":1}]})")));
  expectError(ErrorCode::notFound, get(alice_, "notes", "b1"));
  expectError(ErrorCode::notFound, get(alice_, "notes", "zz"));
  expectOk(get(alice_, "notes", "a1"));
}

TEST_F(ReadTest, AnEmptyPlaceholderDenies) {
  settings(R"({"tokenClaims":["team"]})");
  collection("notes",
             R"({"read":{"filter":{"team":"$auth.token.team"}},"list":{"filter":{"team":"$auth.token.team"}}})");
  put("notes", R"({"id":"n1","title":"no team at all"})");
  put("notes", R"({"id":"n2","team":null})");
  expectError(ErrorCode::forbidden, list(alice_, "notes"));
  expectError(ErrorCode::forbidden, get(alice_, "notes", "n1"));
  for (const char* claims : {R"({"team":""})", R"({"team":null})", R"({"team":{"$ne":1}})", R"({"team":[]})"}) {
    policy::Caller caller = user("user_c");
    caller.claims = json(claims);
    EXPECT_FALSE(list(caller, "notes")) << claims;
  }
}

TEST_F(ReadTest, PagesInAscendingId) {
  notes(R"({"list":{}})");
  ReadQuery query;
  query.limit = 2;
  EXPECT_EQ((Ids{"a1", "a2"}), idsOf(list(alice_, "notes", query)));
  query.skip = 2;
  EXPECT_EQ((Ids{"b1"}), idsOf(list(alice_, "notes", query)));
  query.skip = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((Ids{}), idsOf(list(alice_, "notes", query)));
  query.skip = 0;
  query.limit = 0;
  EXPECT_EQ((Ids{}), idsOf(list(alice_, "notes", query)));
  query.limit = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ((Ids{"a1", "a2", "b1"}), idsOf(list(alice_, "notes", query)));
}

TEST_F(ReadTest, ListsInTheOrderAskedFor) {
  collection("posts", R"({"list": {"deniedReadFields": ["pin", "place.street"]}})");
  put("posts", R"({"id": "a", "n": 2, "pin": 1})");
  put("posts", R"({"id": "b", "n": 1, "pin": 2})");
  const auto sorted = [&](std::vector<store::SortKey> sort) {
    ReadQuery query;
    query.sort = std::move(sort);
    return list(alice_, "posts", std::move(query));
  };
  const auto byN = sorted({{"n", 1}});
  ASSERT_TRUE(byN);
  EXPECT_TRUE(byN->front().starts_with(R"({"id":"b")")) << byN->front();
  ASSERT_TRUE(sorted({{"n", -1}}));
  EXPECT_TRUE(sorted({{"n", -1}})->front().starts_with(R"({"id":"a")"));
  for (const char* path : {"pin", "pin.0", "pin.deep", "place", "place.street"}) {
    expectError(ErrorCode::forbidden, sorted({{"n", 1}, {path, 1}}));
  }
}

TEST_F(ReadTest, BringsWhatTheReadRuleShowsOfIds) {
  collection("posts", R"({"read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["pin"]}})");
  put("posts", R"({"id": "a", "ownerId": "user_alice", "pin": 1})");
  put("posts", R"({"id": "b", "ownerId": "user_bob"})");
  collection("closed");
  const Access access = as(alice_);
  const std::vector<std::string> ids{"b", "missing", "a"};
  const auto found = run(data_->documents().byIds(access, "posts", ids));
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), 3u);
  EXPECT_FALSE((*found)[0]);
  EXPECT_FALSE((*found)[1]);
  ASSERT_TRUE((*found)[2]);
  EXPECT_FALSE((*found)[2]->view().find("pin"));
  expectError(ErrorCode::forbidden, run(data_->documents().byIds(access, "closed", ids)));
}

TEST_F(ReadTest, DeniedFieldsAreLeftOutEverywhere) {
  notes(R"({"read":{"deniedReadFields":["secret"]},"list":{"deniedReadFields":["profile.ssn"]}})");
  for (const std::string& text : {*get(alice_, "notes", "a1"), list(alice_, "notes")->front()}) {
    EXPECT_EQ(std::string::npos, text.find("secret")) << text;
    EXPECT_EQ(std::string::npos, text.find("ssn")) << text;
    EXPECT_NE(std::string::npos, text.find("city")) << text;
  }
}

TEST_F(ReadTest, DeniedFieldsCannotBeGuessedByFilters) {
  notes(R"({"read":{"deniedReadFields":["secret","profile.ssn"]},"list":{}})");
  for (const char* filter :
       {R"({"secret":"s1"})", R"({"secret":{"$exists":true}})", R"({"secret.x":1})", R"({"profile.ssn":"1"})",
        R"({"profile":{"ssn":"1","city":"x"}})", R"({"profile.0.ssn":"1"})",
        R"({"profile":{"$elemMatch":{"ssn":"1"}}})", R"({"$or":[{"title":"one"},{"$nor":[{"secret":"s1"}]}]})",
        R"({"secret":{"$not":{"$regex":"^s"}}})"}) {
    SCOPED_TRACE(filter);
    expectError(ErrorCode::forbidden, listWhere(alice_, "notes", filter));
    ReadQuery query;
    query.filter = json(filter);
    expectError(ErrorCode::forbidden, get(alice_, "notes", "a1", query));
  }
}

TEST_F(ReadTest, BadFiltersAreInvalid) {
  notes(R"({"list":{}})");
  for (const char* filter : {R"({"$where":"1"})", R"({"title":{"$gte":1,"x":2}})", R"({"a":{"$regex":"("}})"}) {
    expectError(ErrorCode::invalidFilter, listWhere(alice_, "notes", filter));
  }
}

TEST_F(ReadTest, AFilterNarrowsASingleRead) {
  notes(R"({"read":{}})");
  ReadQuery query;
  query.filter = json(R"({"title":"one"})");
  expectOk(get(alice_, "notes", "a1", query));
  expectError(ErrorCode::notFound, get(alice_, "notes", "b1", query));
}

TEST_F(ReadTest, DatesOfTheServerCompareWithStrings) {
  notes(R"({"list":{}})");
  EXPECT_EQ(3u, listWhere(alice_, "notes", R"({"createdAt":{"$gt":"2020-01-01T00:00:00Z"}})")->size());
  EXPECT_EQ(0u, listWhere(alice_, "notes", R"({"createdAt":{"$lt":"2020-01-01T00:00:00Z"}})")->size());
}

TEST_F(ReadTest, TheAdminRuleServesAdminsOnly) {
  notes(R"({"read":{"filter":{"ownerId":"$auth.uid"}},"list":{"filter":{"ownerId":"$auth.uid"}},"admin":{}})");
  EXPECT_EQ(3u, list(owner_, "notes")->size());
  EXPECT_EQ(2u, list(alice_, "notes")->size());
  policy::Caller broad = user("user_w");
  broad.permissions = permissions({"data:*"});
  EXPECT_EQ(0u, list(broad, "notes")->size());
}

TEST_F(ReadTest, TheAdminPlaneSeesAndCountsEverything) {
  notes(kOwn);
  const Access access = asAdmin();
  ReadQuery query;
  query.limit = 1;
  EXPECT_EQ(1u, run(data_->documents().list(access, "notes", query))->documents.size());
  EXPECT_EQ(3u, *run(data_->documents().count(access, "notes", query)));
  query.filter = json(R"({"secret":"s2"})");
  EXPECT_EQ(1u, *run(data_->documents().count(access, "notes", query)));
  policy::Caller editor = owner_;
  editor.permissions = permissions({"data:other:*"});
  const Access elsewhere{editor, snapshot(), Authority::admin, soon()};
  expectError(ErrorCode::forbidden, run(data_->documents().list(elsewhere, "notes", query)));
}

}  // namespace
}  // namespace mb::data
