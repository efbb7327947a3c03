#include "data/data_fixture.h"

namespace mb::data {
namespace {

class CreateTest : public DataTest {};

TEST_F(CreateTest, TheServerFillsItsOwnFields) {
  collection("notes", R"({"create":{},"read":{}})");
  const auto made =
      create(alice_, "notes", R"({"title":"x","ownerId":"user_bob","createdAt":"2001-01-01T00:00:00Z","updatedAt":7})");
  expectOk(made);
  const doc::Document document = json(*made);
  EXPECT_EQ("user_alice", document.view().stringOr("ownerId"));
  EXPECT_EQ(toRfc3339(clock_.now()), document.view().stringOr("createdAt"));
  EXPECT_EQ(toRfc3339(clock_.now()), document.view().stringOr("updatedAt"));
  const std::string id(document.view().stringOr("id"));
  EXPECT_EQ(20u, id.size());
  EXPECT_EQ(*made, *get(alice_, "notes", id));
  EXPECT_EQ(doc::BsonType::date, stored("notes", id).view().find("createdAt")->type());
}

TEST_F(CreateTest, IdsOfClients) {
  collection("notes", R"({"create":{}})");
  expectOk(create(alice_, "notes", R"({"id":"my-id_1"})"));
  expectError(ErrorCode::conflict, create(bob_, "notes", R"({"id":"my-id_1","title":"again"})"));
  for (const char* body :
       {R"({"id":""})", R"({"id":7})", R"({"id":null})", R"({"id":{"$ne":1}})", R"({"id":"a b"})", R"({"id":"../x"})",
        R"({"id":["a"]})", R"({"id":"0123456789012345678901234567890123456789012345678901234567890123x"})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::validation, create(alice_, "notes", body));
  }
}

TEST_F(CreateTest, NeedsThePermissionAndARule) {
  collection("notes", R"({"read":{}})");
  expectError(ErrorCode::forbidden, create(alice_, "notes", "{}"));
  collection("open", R"({"create":{}})");
  policy::Caller reader = user("user_r");
  reader.permissions = permissions({"data:*:read"});
  expectError(ErrorCode::forbidden, create(reader, "open", "{}"));
  expectError(ErrorCode::notFound, create(alice_, "nope", "{}"));
}

TEST_F(CreateTest, TheRulesFilterMustMatchWhatIsStored) {
  collection("notes", R"({"create":{"filter":{"team":"red","ownerId":"$auth.uid"}}})");
  expectOk(create(alice_, "notes", R"({"team":"red"})"));
  expectOk(create(alice_, "notes", R"({"team":"red","ownerId":"user_bob"})"));
  expectError(ErrorCode::forbidden, create(alice_, "notes", R"({"team":"blue"})"));
  expectError(ErrorCode::forbidden, create(alice_, "notes", R"({})"));
}

TEST_F(CreateTest, NamesThatNoFieldCanHave) {
  collection("notes", R"({"create":{}})");
  for (const char* body :
       {R"({"$set":{"a":1}})", R"({"a":{"$gt":1}})", R"({"a.b":1})", R"({"":1})", R"({"a":[{"b":{"c.d":1}}]})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::validation, create(alice_, "notes", body));
  }
  const auto refused = create(alice_, "notes", R"({"a":[{"b":{"c.d":1}}]})");
  ASSERT_EQ(1u, refused.error().details().size());
  EXPECT_EQ("/a/0/b/c.d", refused.error().details().front().path);
}

TEST_F(CreateTest, SchemaDefaultsAndBreaches) {
  collection("notes", R"({"create":{},"read":{}})",
             R"({"type":"object","required":["title"],"additionalProperties":false,
                 "properties":{"title":{"type":"string","maxLength":5},"state":{"type":"string","default":"new"}}})");
  const auto made = create(alice_, "notes", R"({"title":"x"})");
  expectOk(made);
  EXPECT_EQ("new", json(*made).view().stringOr("state"));
  const auto refused = create(alice_, "notes", R"({"title":"too long","x":1})");
  expectError(ErrorCode::validation, refused);
  EXPECT_EQ(2u, refused.error().details().size());
  expectError(ErrorCode::validation, create(alice_, "notes", "{}"));
}

TEST_F(CreateTest, FieldRulesAndExpressions) {
  collection("notes", R"({"create":{"allowedWriteFields":["title","stars"],"validate":"document.stars <= 5"}})");
  expectOk(create(alice_, "notes", R"({"title":"x","stars":5})"));
  expectError(ErrorCode::forbidden, create(alice_, "notes", R"({"title":"x","stars":6})"));
  expectError(ErrorCode::forbidden, create(alice_, "notes", R"({"title":"x"})"));
  expectError(ErrorCode::forbidden, create(alice_, "notes", R"({"stars":1,"role":"boss"})"));
}

TEST_F(CreateTest, TheAnswerHidesDeniedFields) {
  collection("notes", R"({"create":{},"read":{"deniedReadFields":["secret"]}})");
  const auto made = create(alice_, "notes", R"({"id":"n","secret":"s","title":"x"})");
  EXPECT_EQ(std::string::npos, made->find("secret"));
  EXPECT_EQ("s", stored("notes", "n").view().stringOr("secret"));
}

TEST_F(CreateTest, UniqueValuesNameTheIndexUnlessItIsHidden) {
  expectUniqueRefusals("notes");
}

TEST_F(CreateTest, AdminsSetTheOwner) {
  collection("notes", R"({"create":{},"admin":{}})");
  const Access access = asAdmin();
  auto owned = run(data_->documents().create(access, "notes", json(R"({"id":"a","ownerId":"user_bob"})")));
  EXPECT_EQ("user_bob", owned->document.view().stringOr("ownerId"));
  auto nobodys = run(data_->documents().create(access, "notes", json(R"({"id":"b","ownerId":null})")));
  EXPECT_EQ(doc::BsonType::null, nobodys->document.view().find("ownerId")->type());
  auto own = run(data_->documents().create(access, "notes", json(R"({"id":"c"})")));
  EXPECT_EQ("user_owner", own->document.view().stringOr("ownerId"));
  expectError(ErrorCode::validation, run(data_->documents().create(access, "notes", json(R"({"ownerId":{"a":1}})"))));

  expectOk(create(owner_, "notes", R"({"id":"d","ownerId":"user_bob"})"));
  EXPECT_EQ("user_bob", stored("notes", "d").view().stringOr("ownerId"));
  expectOk(create(alice_, "notes", R"({"id":"e","ownerId":"user_bob"})"));
  EXPECT_EQ("user_alice", stored("notes", "e").view().stringOr("ownerId"));
}

TEST_F(CreateTest, AnAdminWithoutAnAdminRuleIsOneOfMany) {
  collection("notes", R"({"create":{}})");
  expectOk(create(owner_, "notes", R"({"id":"d","ownerId":"user_bob"})"));
  EXPECT_EQ("user_owner", stored("notes", "d").view().stringOr("ownerId"));
}

}  // namespace
}  // namespace mb::data
