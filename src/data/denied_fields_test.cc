// Attempts to read denied fields by means of writes.
#include "data/data_fixture.h"

namespace mb::data {
namespace {

class DeniedFieldsTest : public DataTest {
 protected:
  void notes(std::string_view update) {
    collection("notes", R"({"read":{"deniedReadFields":["secret","profile.ssn","items.cost"]},"create":{},"update":)" +
                            std::string(update) + "}");
    put("notes", R"({"id":"a","title":"one","secret":5,"profile":{"ssn":"123","city":"x"},
                     "items":[{"name":"n","cost":7},{"name":"m","cost":3}]})");
  }
  std::string whole() { return doc::toJson(doc::FieldSet({"updatedAt"}).strip(stored("notes", "a"))); }
};

TEST_F(DeniedFieldsTest, OperatorsThatLookAtTheValueAreRefused) {
  notes("{}");
  const std::string before = whole();
  for (const char* body : {R"({"$rename":{"secret":"title"}})",
                           R"({"$rename":{"profile":"open"}})",
                           R"({"$rename":{"items":"open"}})",
                           R"({"$rename":{"profile.ssn":"open"}})",
                           R"({"$inc":{"secret":1}})",
                           R"({"$mul":{"secret":2}})",
                           R"({"$min":{"secret":1}})",
                           R"({"$max":{"secret":9}})",
                           R"({"$bit":{"secret":{"and":1}}})",
                           R"({"$pull":{"items":{"cost":{"$gt":5}}}})",
                           R"({"$pullAll":{"items":[{"name":"n","cost":7}]}})",
                           R"({"$addToSet":{"items":{"name":"n","cost":7}}})",
                           R"({"$push":{"secret":1}})",
                           R"({"$pop":{"secret":1}})",
                           R"({"$pop":{"items":1}})",
                           R"({"$pop":{"items":-1}})",
                           R"({"$push":{"items":{"$each":[],"$sort":{"cost":1}}}})",
                           R"({"$push":{"items":{"$each":[],"$sort":{"name":1}}}})",
                           R"({"$push":{"items":{"$each":[{"name":"o"}],"$slice":-1}}})",
                           R"({"$push":{"items":{"$each":[{"name":"o"}],"$position":0}}})",
                           R"({"$set":{"secret.x":1}})",
                           R"({"secret.x":1})",
                           R"({"$unset":{"profile.ssn.x":1}})",
                           R"({"$inc":{"items.0.cost":1}})",
                           R"({"$set":{"items.0.cost.x":1}})",
                           R"({"$currentDate":{"secret.at":true}})",
                           R"({"$rename":{"title":"secret.x"}})",
                           R"({"$rename":{"title":"secret"}})",
                           R"({"$rename":{"title":"items"}})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", body));
    // The same if the document does not exist.
    expectError(ErrorCode::forbidden, patch(alice_, "notes", "zz", body));
  }
  EXPECT_EQ(before, whole());
}

TEST_F(DeniedFieldsTest, TheyCanBeWrittenBlindly) {
  notes("{}");
  for (const char* body :
       {R"({"secret":6})", R"({"$set":{"profile.ssn":"9"}})", R"({"$unset":{"secret":1}})",
        R"({"$push":{"items":{"name":"o","cost":1}}})", R"({"$push":{"items":{"$each":[{"name":"p"},{"cost":2}]}}})",
        R"({"$set":{"items.0.name":"q"}})", R"({"$set":{"items.0.cost":8}})", R"({"$inc":{"visible":1}})"}) {
    SCOPED_TRACE(body);
    const auto changed = patch(alice_, "notes", "a", body);
    expectOk(changed);
    EXPECT_EQ(std::string::npos, changed->find("secret"));
    EXPECT_EQ(std::string::npos, changed->find("ssn"));
    EXPECT_EQ(std::string::npos, changed->find("cost"));
  }
}

TEST_F(DeniedFieldsTest, RightAndWrongGuessesOfAFixedFieldAnswerAlike) {
  for (const char* rule :
       {R"({"immutableFields":["secret"]})", R"({"allowedWriteFields":["title","profile","items"]})"}) {
    SCOPED_TRACE(rule);
    notes(rule);
    for (const char* guess : {"5", "6"}) {
      const std::string value(guess);
      expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", R"({"secret":)" + value + "}"));
      expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", R"({"$set":{"secret":)" + value + "}}"));
      expectError(ErrorCode::forbidden, replace(alice_, "notes", "a", R"({"title":"one","secret":)" + value + "}"));
    }
    expectOk(patch(alice_, "notes", "a", R"({"title":"two"})"));
    expectOk(run(data_->collections().drop(managing(), "notes")));
  }
}

// A guess in an element must not be compared with the existing element.
TEST_F(DeniedFieldsTest, GuessesInElementsAnswerAlike) {
  for (const char* rule : {R"({"immutableFields":["items.cost"]})", R"({"immutableFields":["items"]})",
                           R"({"allowedWriteFields":["title","items.name"]})"}) {
    SCOPED_TRACE(rule);
    notes(rule);
    for (const char* guess : {"3", "4"}) {
      const std::string element = R"({"name":"m","cost":)" + std::string(guess) + "}";
      for (const std::string& body :
           {R"({"$push":{"items":{"$each":[)" + element + R"(],"$slice":-2}}})",
            R"({"$push":{"items":{"$each":[{"name":"n","cost":7},)" + element + R"(],"$slice":-2}}})",
            R"({"$push":{"items":)" + element + "}}", R"({"$set":{"items.1":)" + element + "}}",
            R"({"$addToSet":{"items":)" + element + "}}", R"({"$set":{"items.1.cost":)" + std::string(guess) + "}}",
            R"({"items":[{"name":"n","cost":7},)" + element + "]}"}) {
        SCOPED_TRACE(body);
        expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", body));
      }
      expectError(ErrorCode::forbidden,
                  replace(alice_, "notes", "a", R"({"items":[{"name":"n","cost":7},)" + element + "]}"));
    }
    expectOk(run(data_->collections().drop(managing(), "notes")));
  }
}

// Denied positions of lists: no operation moves them to a readable position, and none counts them.
TEST_F(DeniedFieldsTest, DeniedPositionsStayWhereTheyAre) {
  collection("notes", R"({"read":{"deniedReadFields":["items.1.secret","list.0","grid.0.1","box.list.0"]},"create":{},
                          "update":{}})");
  put("notes", R"({"id":"a","items":[{"n":1,"secret":1},{"n":2,"secret":2}],"list":["h","v"],"grid":[["v","h"],["w"]],
                   "box":{"list":["h","v"],"open":[1,2]}})");
  const std::string before = whole();
  for (const std::string path : {"items", "list", "grid", "grid.0", "grid.1", "box.list"}) {
    for (const char* body :
         {R"({"$push":{"PATH":1}})", R"({"$push":{"PATH":{"$each":[1],"$position":0}}})",
          R"({"$push":{"PATH":{"$each":[],"$slice":-1}}})", R"({"$pop":{"PATH":-1}})", R"({"$pop":{"PATH":1}})",
          R"({"$pull":{"PATH":"h"}})", R"({"$pullAll":{"PATH":["h"]}})", R"({"$addToSet":{"PATH":"h"}})",
          R"({"$set":{"PATH.5":1}})", R"({"$set":{"PATH.$[]":1}})", R"({"$unset":{"PATH.0":1}})",
          R"({"$inc":{"PATH.0":1}})", R"({"$rename":{"PATH":"open"}})"}) {
      std::string asked = body;
      asked.replace(asked.find("PATH"), 4, path);
      SCOPED_TRACE(asked);
      expectError(ErrorCode::forbidden, patch(alice_, "notes", "a", asked));
    }
  }
  EXPECT_EQ(before, whole());
  expectOk(patch(alice_, "notes", "a", R"({"$set":{"items.0.n":3,"list":["x","y"]},"$push":{"box.open":3}})"));
  EXPECT_NE(std::string::npos, get(alice_, "notes", "a")->find(R"("list":["y"])"));
}

TEST_F(DeniedFieldsTest, AReplacementKeepsWhatItsWriterCannotSee) {
  notes(R"({"immutableFields":["secret"]})");
  const auto read = get(alice_, "notes", "a");
  expectOk(replace(alice_, "notes", "a", *read));
  const doc::Document after = stored("notes", "a");
  EXPECT_EQ(5, after.view().find("secret")->toInteger());
  EXPECT_EQ("123", after.view().findPath("profile.ssn")->asString());
  expectOk(replace(alice_, "notes", "a", R"({"profile":{"ssn":"new"}})"));
  EXPECT_EQ("new", stored("notes", "a").view().findPath("profile.ssn")->asString());
  EXPECT_FALSE(stored("notes", "a").view().find("title"));
  expectOk(replace(alice_, "notes", "a", R"({"profile":"gone"})"));
  EXPECT_EQ("gone", stored("notes", "a").view().stringOr("profile"));
}

TEST_F(DeniedFieldsTest, AReplacementDoesNotTellWhetherTheyAreThere) {
  const std::string_view holdings[] = {R"({"id":"a","profile":{"ssn":"1","city":"x"},"items":[{"name":"n","cost":7}]})",
                                       R"({"id":"a","profile":{"city":"x"},"items":[{"name":"n"}]})"};
  const std::string_view rules[] = {"{}", R"({"immutableFields":["profile.ssn","items.cost"]})",
                                    R"({"allowedWriteFields":["title","profile.city","items.name"]})"};
  const std::string_view bodies[] = {"{}",
                                     R"({"profile":{},"items":[{"name":"n"}]})",
                                     R"({"profile":{"city":"y"}})",
                                     R"({"profile":[{"city":"y"}]})",
                                     R"({"profile":5})",
                                     R"({"items":[{"name":"m"}]})",
                                     R"({"items":[]})",
                                     R"({"items":{"name":"n"}})"};
  for (const std::string_view rule : rules) {
    for (const std::string_view body : bodies) {
      SCOPED_TRACE(std::string(rule) + " " + std::string(body));
      std::vector<std::string> answers;
      for (const std::string_view holding : holdings) {
        notes(rule);
        expectOk(run(data_->documents().remove(asAdmin(), "notes", "a")));
        put("notes", holding);
        const auto answer = replace(alice_, "notes", "a", body);
        answers.push_back(answer ? *answer : answer.error().message());
        answers.back() += *get(alice_, "notes", "a");
        expectOk(run(data_->collections().drop(managing(), "notes")));
      }
      EXPECT_EQ(answers[0], answers[1]);
    }
  }
}

// Refusals must not depend on a document, not even by the time they take: on a snapshot of a collection that was
// dropped from the store, an operation that reads a document fails with another error.
TEST_F(DeniedFieldsTest, RefusalsComeBeforeAnyDocumentIsRead) {
  notes("{}");
  const Access access = as(alice_);
  expectOk(run(data_->collections().drop(managing(), "notes")));
  for (const char* filter :
       {R"({"secret":5})", R"({"title":"one","secret":{"$gt":1}})", R"({"profile.ssn":"123"})",
        R"({"$or":[{"title":"none"},{"items.0.cost":7}]})", R"({"items":{"$elemMatch":{"$nor":[{"cost":1}]}}})"}) {
    SCOPED_TRACE(filter);
    ReadQuery query;
    query.filter = json(filter);
    expectError(ErrorCode::forbidden, run(data_->documents().get(access, "notes", "a", query)));
    expectError(ErrorCode::forbidden, run(data_->documents().list(access, "notes", query, policy::Operation::read)));
  }
  for (const char* body : {R"({"$inc":{"secret":1}})", R"({"$rename":{"secret":"title"}})", R"({"secret.x":1})",
                           R"({"$pull":{"items":{"cost":7}}})"}) {
    SCOPED_TRACE(body);
    expectError(ErrorCode::forbidden, run(data_->documents().update(access, "notes", "a", json(body))));
  }
  ReadQuery allowed;
  allowed.filter = json(R"({"title":"one"})");
  const auto asked = run(data_->documents().get(access, "notes", "a", allowed));
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().code(), ErrorCode::forbidden);
}

// Field rules refuse updates with too many changes to check. A right guess changes nothing, and must not make a
// difference.
TEST_F(DeniedFieldsTest, GuessesDoNotShowInTheNumberOfChanges) {
  notes(R"({"immutableFields":["title"]})");
  const auto answer = [&](int fields, int guess) {
    put("notes", R"({"id":"b","title":"one","secret":5})");
    std::string body = fmt::format(R"({{"secret":{},"v":{{)", guess);
    for (int i = 0; i < fields; ++i) body += fmt::format("{}\"k{}\":1", i == 0 ? "" : ",", i);
    const auto changed = patch(alice_, "notes", "b", body + "}}");
    const Access access = asAdmin();
    expectOk(run(data_->documents().remove(access, "notes", "b")));
    return changed.has_value();
  };
  EXPECT_TRUE(answer(9'000, 5));
  EXPECT_FALSE(answer(10'001, 6));
  for (int fields = 9'995; fields <= 10'001; ++fields) {
    EXPECT_EQ(answer(fields, 5), answer(fields, 6)) << fields;
  }
}

TEST_F(DeniedFieldsTest, SchemaErrorsDoNotTellOfThem) {
  collection("notes", R"({"read":{"deniedReadFields":["secret"]},"create":{},"update":{}})");
  put("notes", R"({"id":"a","secret":"far too long","title":"x"})");
  expectOk(run(data_->collections().setSchema(
      managing(), "notes",
      json(R"({"type":"object","properties":{"secret":{"type":"string","maxLength":3},"title":{"type":"string"}}})"))));
  const auto refused = patch(alice_, "notes", "a", R"({"title":"y"})");
  expectError(ErrorCode::validation, refused);
  EXPECT_TRUE(refused.error().details().empty());
  EXPECT_EQ(std::string::npos, refused.error().message().find("secret"));
  const auto both = patch(alice_, "notes", "a", R"({"title":1})");
  ASSERT_EQ(1u, both.error().details().size());
  EXPECT_EQ("/title", both.error().details().front().path);
  const auto made = create(alice_, "notes", R"({"secret":"far too long"})");
  ASSERT_EQ(1u, made.error().details().size());
  EXPECT_EQ("/secret", made.error().details().front().path);
}

TEST_F(DeniedFieldsTest, TheAdminPlaneIsFree) {
  notes(R"({"immutableFields":["secret"]})");
  const Access access = asAdmin();
  expectOk(run(data_->documents().update(access, "notes", "a", json(R"({"$inc":{"secret":1}})"))));
  expectOk(run(data_->documents().update(access, "notes", "a", json(R"({"$rename":{"secret":"open"}})"))));
  EXPECT_EQ(6, stored("notes", "a").view().find("open")->toInteger());
}

}  // namespace
}  // namespace mb::data
