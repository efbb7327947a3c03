#include "data/data_fixture.h"

namespace mb::data {
namespace {

class UpdateTest : public DataTest {
 protected:
  void notes(std::string_view policy, std::string_view schema = "") {
    collection("notes", policy, schema);
    put("notes", R"({"id":"a","ownerId":"user_alice","title":"one","n":1,"tags":["x"],"deep":{"k":1}})");
    clock_.advance(1000);
  }
  std::string at(const std::string& key) {
    const doc::Document document = stored("notes", "a");
    const auto value = document.view().find(key);
    if (!value) return "absent";
    std::string text;
    doc::writeJsonValue(text, *value);
    return text;
  }
};

constexpr std::string_view kWritable = R"({"read":{},"update":{},"delete":{}})";

TEST_F(UpdateTest, FieldsAndOperators) {
  notes(kWritable);
  expectOk(patch(alice_, "notes", "a", R"({"title":"two","deep.k":2})"));
  EXPECT_EQ(R"("two")", at("title"));
  EXPECT_EQ(R"({"k":2})", at("deep"));
  expectOk(patch(alice_, "notes", "a", R"({"$inc":{"n":4},"$push":{"tags":"y"},"$unset":{"deep":1}})"));
  EXPECT_EQ("5", at("n"));
  EXPECT_EQ(R"(["x","y"])", at("tags"));
  EXPECT_EQ("absent", at("deep"));
  EXPECT_EQ("\"" + toRfc3339(clock_.now()) + "\"", at("updatedAt"));
  EXPECT_EQ("\"" + toRfc3339({kStart}) + "\"", at("createdAt"));
}

TEST_F(UpdateTest, AChangeThatChangesNothingIsNoWrite) {
  notes(kWritable);
  // As the server writes it.
  expectOk(patch(alice_, "notes", "a", R"({"n":2})"));
  const std::string before = doc::toJson(stored("notes", "a"));
  clock_.advance(1000);
  for (const char* body : {R"({})", R"({"n":2})", R"({"deep.k":1})", R"({"updatedAt":"x","createdAt":1,"id":"b"})",
                           R"({"$inc":{"n":0}})", R"({"$addToSet":{"tags":"x"}})", R"({"$unset":{"nothing":1}})"}) {
    SCOPED_TRACE(body);
    expectOk(patch(alice_, "notes", "a", body));
    EXPECT_EQ(before, doc::toJson(stored("notes", "a")));
  }
  expectOk(replace(alice_, "notes", "a", R"({"title":"one","n":2,"tags":["x"],"deep":{"k":1}})"));
  EXPECT_EQ(before, doc::toJson(stored("notes", "a")));
  expectOk(patch(alice_, "notes", "a", R"({"n":3})"));
  EXPECT_EQ("\"" + toRfc3339(clock_.now()) + "\"", at("updatedAt"));
}

TEST_F(UpdateTest, NamingAHiddenFieldIsAlwaysAWrite) {
  notes(R"({"read":{"deniedReadFields":["n","deep.k"]},"update":{}})");
  expectOk(patch(alice_, "notes", "a", R"({"title":"two"})"));
  for (const char* body : {R"({"n":1})", R"({"n":1})", R"({"$set":{"deep.k":1}})", R"({"$set":{"deep":{"k":1}}})"}) {
    SCOPED_TRACE(body);
    clock_.advance(1000);
    expectOk(patch(alice_, "notes", "a", body));
    EXPECT_EQ("\"" + toRfc3339(clock_.now()) + "\"", at("updatedAt"));
  }
  const std::string before = at("updatedAt");
  clock_.advance(1000);
  expectOk(patch(alice_, "notes", "a", R"({"title":"two"})"));
  EXPECT_EQ(before, at("updatedAt"));
  // A replacement puts hidden fields last, so it is one too, whether it names them or not.
  for (const char* body : {R"({"title":"two","n":1,"tags":["x"]})", R"({"title":"two"})", R"({"title":"two"})"}) {
    SCOPED_TRACE(body);
    clock_.advance(1000);
    expectOk(replace(alice_, "notes", "a", body));
    EXPECT_EQ("\"" + toRfc3339(clock_.now()) + "\"", at("updatedAt"));
  }
}

TEST_F(UpdateTest, BadBodiesChangeNothing) {
  notes(kWritable);
  const std::string before = doc::toJson(stored("notes", "a"));
  for (const char* body :
       {R"({"$set":{"a":1},"b":2})", R"({"$where":{"a":1}})", R"({"$set":1})", R"({"$inc":{"title":1}})",
        R"({"$set":{"n.x":1}})", R"({"$set":{"a":1,"a.b":2}})", R"({"$push":{"tags.$[]":1}})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::invalidUpdate, patch(alice_, "notes", "a", body));
  }
  for (const char* body : {R"({"$set":{"a":{"$gt":1}}})", R"({"a":{"$ne":""}})", R"({"$push":{"tags":{"a.b":1}}})"}) {
    SCOPED_TRACE(body);
    EXPECT_FALSE(patch(alice_, "notes", "a", body));
  }
  for (const char* body : {R"({"$set":{"a":1}})", R"({"a":1,"$x":2})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::invalidBody, replace(alice_, "notes", "a", body));
  }
  EXPECT_EQ(before, doc::toJson(stored("notes", "a")));
}

TEST_F(UpdateTest, ServerFieldsStayWhateverTheBodySays) {
  notes(kWritable);
  for (const char* body :
       {R"({"id":"z","ownerId":"user_bob","createdAt":"2001-01-01T00:00:00Z","updatedAt":1})",
        R"({"$set":{"id":"z","ownerId":"user_bob","createdAt":1,"updatedAt":2}})",
        R"({"$unset":{"id":1,"ownerId":1,"createdAt":1,"updatedAt":1}})", R"({"$rename":{"title":"ownerId"}})",
        R"({"$rename":{"ownerId":"was"}})", R"({"$currentDate":{"createdAt":true,"id":true}})"}) {
    SCOPED_TRACE(body);
    expectOk(patch(alice_, "notes", "a", body));
    EXPECT_EQ(R"("a")", at("id"));
    EXPECT_EQ(R"("user_alice")", at("ownerId"));
    EXPECT_EQ("\"" + toRfc3339({kStart}) + "\"", at("createdAt"));
    const std::string updated = at("updatedAt");  // moves only where something else did
    EXPECT_TRUE(updated == "\"" + toRfc3339({kStart}) + "\"" || updated == "\"" + toRfc3339(clock_.now()) + "\"");
  }
  expectOk(replace(alice_, "notes", "a", R"({"id":"z","ownerId":"user_bob","createdAt":1,"title":"t"})"));
  EXPECT_EQ(R"("a")", at("id"));
  EXPECT_EQ(R"("user_alice")", at("ownerId"));
  EXPECT_EQ("absent", at("n"));
}

TEST_F(UpdateTest, WhatWasReadCanBePutBack) {
  notes(R"({"read":{},"update":{"immutableFields":["createdAt","ownerId","id","n"]}})");
  const auto read = get(alice_, "notes", "a");
  expectOk(replace(alice_, "notes", "a", *read));
  expectOk(patch(alice_, "notes", "a", *read));
  expectOk(patch(alice_, "notes", "a", "{}"));
  const doc::FieldSet times({"updatedAt"});
  EXPECT_EQ(doc::toJson(times.strip(json(*read))), doc::toJson(times.strip(stored("notes", "a"))));
}

TEST_F(UpdateTest, OnlyWhatTheFilterShowsCanBeChanged) {
  const char* own =
      R"({"read":{},"update":{"filter":{"ownerId":"$auth.uid"}},"delete":{"filter":{"ownerId":"$auth.uid"}}})";
  notes(own);
  expectError(ErrorCode::notFound, patch(bob_, "notes", "a", R"({"title":"mine"})"));
  expectError(ErrorCode::notFound, replace(bob_, "notes", "a", R"({"title":"mine"})"));
  expectError(ErrorCode::notFound, remove(bob_, "notes", "a"));
  expectError(ErrorCode::notFound, patch(alice_, "notes", "zz", R"({"title":"mine"})"));
  expectError(ErrorCode::notFound, remove(alice_, "notes", "zz"));
  EXPECT_EQ(R"("one")", at("title"));
  expectOk(patch(alice_, "notes", "a", R"({"title":"two"})"));
  expectOk(remove(alice_, "notes", "a"));
  expectError(ErrorCode::notFound, remove(alice_, "notes", "a"));
}

TEST_F(UpdateTest, AHiddenDocumentGivesNothingAwayByItsErrors) {
  notes(R"({"update":{"filter":{"ownerId":"$auth.uid"}}})");
  expectError(ErrorCode::notFound, patch(bob_, "notes", "a", R"({"$inc":{"title":1}})"));
  expectError(ErrorCode::notFound, patch(bob_, "notes", "a", R"({"$set":{"n.x":1}})"));
}

TEST_F(UpdateTest, EachOperationNeedsItsPermissionAndRule) {
  notes(R"({"read":{}})");
  expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", R"({"n":2})"));
  expectError(ErrorCode::forbidden, replace(alice_, "notes", "a", R"({"n":2})"));
  expectError(ErrorCode::forbidden, remove(alice_, "notes", "a"));
  expectOk(run(data_->collections().setPolicy(managing(), "notes", json(kWritable))));
  policy::Caller writer = user("user_w");
  writer.permissions = permissions({"data:notes:update"});
  expectOk(patch(writer, "notes", "a", R"({"n":2})"));
  expectError(ErrorCode::forbidden, remove(writer, "notes", "a"));
}

TEST_F(UpdateTest, FieldRulesJudgeTheChangeNotTheWords) {
  notes(R"({"read":{},"update":{"immutableFields":["n","deep"],"allowedWriteFields":["title","n","deep","tags"]}})");
  for (const char* body : {R"({"n":2})", R"({"$inc":{"n":1}})", R"({"$mul":{"n":3}})", R"({"$unset":{"n":1}})",
                           R"({"$rename":{"n":"title"}})", R"({"$rename":{"title":"n"}})", R"({"$max":{"n":9}})",
                           R"({"deep.k":2})", R"({"$set":{"deep":{"k":2}}})", R"({"$set":{"deep.new":1}})",
                           R"({"other":1})", R"({"$push":{"list":1}})", R"({"$currentDate":{"n":true}})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", body));
  }
  expectError(ErrorCode::forbidden, replace(alice_, "notes", "a", R"({"title":"x"})"));
  expectOk(replace(alice_, "notes", "a", R"({"title":"x","n":1,"deep":{"k":1},"tags":[]})"));
  expectOk(patch(alice_, "notes", "a", R"({"n":1,"title":"y"})"));
}

TEST_F(UpdateTest, ExpressionsSeeBeforeAndAfter) {
  notes(R"({"read":{},"update":{"validate":"document.n > previous.n && auth.uid == document.ownerId"}})");
  expectOk(patch(alice_, "notes", "a", R"({"n":2})"));
  expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", R"({"n":1})"));
  expectError(ErrorCode::forbidden, patch(bob_, "notes", "a", R"({"n":3})"));
  expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", R"({"$unset":{"n":1}})"));
}

TEST_F(UpdateTest, TheSchemaHoldsForEveryWay) {
  notes(kWritable,
        R"({"type":"object","properties":{"n":{"type":"integer","maximum":3},"title":{"type":"string","default":"d"},
    "tags":{"type":"array","maxItems":2},"deep":{"type":"object"}},"additionalProperties":false})");
  expectError(ErrorCode::validation, patch(alice_, "notes", "a", R"({"$inc":{"n":5}})"));
  expectError(ErrorCode::validation, patch(alice_, "notes", "a", R"({"$push":{"tags":{"$each":[1,2]}}})"));
  expectError(ErrorCode::validation, patch(alice_, "notes", "a", R"({"other":1})"));
  expectError(ErrorCode::validation, replace(alice_, "notes", "a", R"({"n":"x"})"));
  const Access access = asAdmin();
  expectError(ErrorCode::validation, run(data_->documents().update(access, "notes", "a", json(R"({"n":9})"))));
  expectOk(patch(alice_, "notes", "a", R"({"$unset":{"title":1}})"));
  EXPECT_EQ("absent", at("title"));
}

TEST_F(UpdateTest, AdminsChangeTheOwner) {
  notes(R"({"update":{},"admin":{}})");
  const Access access = asAdmin();
  const auto changed = run(data_->documents().update(access, "notes", "a", json(R"({"ownerId":"user_bob"})")));
  EXPECT_EQ("user_bob", changed->document.view().stringOr("ownerId"));
  expectOk(run(data_->documents().replace(access, "notes", "a", json(R"({"title":"x"})"))));
  EXPECT_EQ(R"("user_bob")", at("ownerId"));
  expectOk(patch(owner_, "notes", "a", R"({"ownerId":"user_alice"})"));
  EXPECT_EQ(R"("user_alice")", at("ownerId"));
  expectOk(run(data_->documents().update(access, "notes", "a", json(R"({"$unset":{"ownerId":1,"id":1}})"))));
  EXPECT_EQ("absent", at("ownerId"));
  EXPECT_EQ(R"("a")", at("id"));
  expectError(ErrorCode::validation, run(data_->documents().update(access, "notes", "a", json(R"({"ownerId":5})"))));
}

TEST_F(UpdateTest, TheAdminPlaneNeedsItsPermission) {
  notes(kWritable);
  policy::Caller viewer = owner_;
  viewer.permissions = permissions({"data:*:read", "data:*:list"});
  const Access access{viewer, snapshot(), Authority::admin, soon()};
  expectError(ErrorCode::forbidden, run(data_->documents().update(access, "notes", "a", json(R"({"n":2})"))));
  expectError(ErrorCode::forbidden, run(data_->documents().remove(access, "notes", "a")));
}

TEST_F(UpdateTest, AnIdThatNoDocumentCanHaveIsNotFound) {
  notes(R"({"read":{},"update":{},"delete":{}})");
  for (const std::string& id :
       {std::string("a b"), std::string("../x"), std::string(65, 'a'), std::string(5000, 'a')}) {
    SCOPED_TRACE(id.substr(0, 70));
    expectError(ErrorCode::notFound, get(alice_, "notes", id));
    expectError(ErrorCode::notFound, patch(alice_, "notes", id, R"({"title":"t"})"));
    expectError(ErrorCode::notFound, replace(alice_, "notes", id, R"({"title":"t"})"));
    expectError(ErrorCode::notFound, remove(alice_, "notes", id));
  }
}

}  // namespace
}  // namespace mb::data
