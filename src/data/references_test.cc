#include <algorithm>

#include "data/data_fixture.h"
#include "identity/realm.h"

namespace mb::data {
namespace {

constexpr std::string_view kOpen = R"({"read":{},"list":{},"create":{},"update":{},"delete":{}})";

std::string schemaOf(std::string_view reference) {
  return fmt::format(
      R"({{"type":"object","properties":{{"n":{{"type":"integer"}},"post":{{"type":"string","x-ref":{}}}}}}})",
      reference);
}
std::string listSchemaOf(std::string_view reference) {
  return fmt::format(
      R"({{"type":"object","properties":{{"posts":{{"type":"array","items":{{"type":"string","x-ref":{}}}}}}}}})",
      reference);
}

class ReferencesTest : public DataTest {
 protected:
  ReferencesTest() {
    collection("posts", kOpen);
    collection("comments", kOpen);
  }
  void index(const std::string& name, std::string_view keys) {
    NewIndex index;
    index.keys = json(keys);
    expectOk(run(data_->collections().createIndex(managing(), name, index)));
  }
  Result<> schema(const std::string& name, std::string_view schema) {
    return run(data_->collections().setSchema(managing(), name, json(schema)));
  }
  // comments.post -> posts with this onDelete.
  void refer(std::string_view onDelete) {
    index("comments", R"({"post":1})");
    expectOk(schema("comments", schemaOf(fmt::format(R"({{"collection":"posts","onDelete":"{}"}})", onDelete))));
  }
  template <class T>
  void expectDetail(const Result<T>& result, std::string_view path) {
    expectError(ErrorCode::validation, result);
    ASSERT_FALSE(result.error().details().empty());
    EXPECT_EQ(path, result.error().details().front().path);
  }
  uint64_t countOf(const std::string& name) {
    const Access access = asAdmin();
    return *run(data_->documents().count(access, name, {}));
  }
  std::vector<doc::Document> queued() { return store_.all({store::kControlProject, jobs::kJobs, 0}); }
  // Runs the jobs of the queue once each; returns how many.
  size_t runJobs(bool last = false) {
    const std::vector<doc::Document> rows = queued();
    for (const doc::Document& row : rows) {
      jobs::JobRun job;
      job.id = row.view().stringOr("id");
      job.kind = row.view().stringOr("kind");
      job.project = project_;
      job.payload = doc::Document(row.view().find("payload")->asDocument());
      job.last = last;
      outcome_ = run(data_->referenceJobs().run(std::move(job)));
    }
    return rows.size();
  }
  std::vector<ReferenceJobView> jobViews() { return *run(data_->referenceJobs().list(snapshot(), 1000, 0)); }

  Result<> outcome_;
};

// ---- saves

TEST_F(ReferencesTest, AnOnDeleteNeedsAnIndexThatBeginsWithItsField) {
  const std::string restricts = schemaOf(R"({"collection":"posts","onDelete":"restrict"})");
  const auto without = schema("comments", restricts);
  expectDetail(without, "/properties/post/x-ref/onDelete");
  EXPECT_NE(std::string::npos, without.error().message().find("post_1")) << without.error().message();
  index("comments", R"({"n":1,"post":1})");
  expectDetail(schema("comments", restricts), "/properties/post/x-ref/onDelete");
  NewIndex partial;
  partial.keys = json(R"({"post":1})");
  partial.partialFilter = json(R"({"n":1})");
  partial.name = "some";
  expectOk(run(data_->collections().createIndex(managing(), "comments", partial)));
  expectDetail(schema("comments", restricts), "/properties/post/x-ref/onDelete");
  index("comments", R"({"post":1,"n":1})");
  expectOk(schema("comments", restricts));
}

TEST_F(ReferencesTest, TheLastIndexOfAnOnDeleteStays) {
  refer("restrict");
  expectError(ErrorCode::conflict, run(data_->collections().dropIndex(managing(), "comments", "post_1")));
  index("comments", R"({"post":1,"n":1})");
  expectOk(run(data_->collections().dropIndex(managing(), "comments", "post_1")));
  expectError(ErrorCode::conflict, run(data_->collections().dropIndex(managing(), "comments", "post_1_n_1")));
  expectOk(run(data_->collections().clearSchema(managing(), "comments")));
  expectOk(run(data_->collections().dropIndex(managing(), "comments", "post_1_n_1")));
}

TEST_F(ReferencesTest, CyclesOfCascadesAreRefusedWithTheirPlace) {
  refer("cascade");
  index("posts", R"({"post":1})");
  const auto back = schema("posts", schemaOf(R"({"collection":"comments","onDelete":"cascade"})"));
  expectDetail(back, "/properties/post/x-ref/onDelete");
  EXPECT_NE(std::string::npos, back.error().message().find(R"("posts" -> "comments" -> "posts")"))
      << back.error().message();
  expectDetail(schema("posts", schemaOf(R"({"collection":"posts","onDelete":"cascade"})")),
               "/properties/post/x-ref/onDelete");
  expectOk(schema("posts", schemaOf(R"({"collection":"comments","onDelete":"unset"})")));
}

TEST_F(ReferencesTest, UsersExistAndAreNeverDeleted) {
  expectDetail(schema("comments", schemaOf(R"({"collection":"users","check":"readable"})")),
               "/properties/post/x-ref/check");
  expectDetail(schema("comments", schemaOf(R"({"collection":"users","onDelete":"unset"})")),
               "/properties/post/x-ref/onDelete");
  expectOk(schema("comments", schemaOf(R"({"collection":"users","check":"exists"})")));
  expectDetail(create(alice_, "comments", R"({"post":"user_x"})"), "/post");
  store::WriteOptions options;
  options.deadline = soon();
  store::Write write(std::move(options));
  write.insert({{project_, identity::kUsers, 0}, json(R"({"id":"user_x"})")});
  expectOk(run(store_.write(std::move(write), nullptr)));
  expectOk(create(alice_, "comments", R"({"post":"user_x"})"));
}

TEST_F(ReferencesTest, AnUnknownCollectionIsRefusedInEitherForm) {
  expectDetail(schema("comments", schemaOf(R"({"collection":"nothing"})")), "/properties/post/x-ref");
}

// ---- checks

TEST_F(ReferencesTest, AWriteThatSetsAReferenceNeedsItsDocument) {
  expectOk(schema("comments", schemaOf(R"({"collection":"posts","check":"exists"})")));
  put("posts", R"({"id":"p"})");
  expectDetail(create(alice_, "comments", R"({"id":"c","post":"none"})"), "/post");
  expectDetail(create(alice_, "comments", R"({"id":"c","post":"not an id"})"), "/post");
  expectOk(create(alice_, "comments", R"({"id":"c","post":"p"})"));
  expectDetail(patch(alice_, "comments", "c", R"({"post":"none"})"), "/post");
  expectDetail(patch(alice_, "comments", "c", R"({"$set":{"post":"none"}})"), "/post");
  expectDetail(replace(alice_, "comments", "c", R"({"post":"none"})"), "/post");
  put("posts", R"({"id":"q"})");
  expectOk(patch(alice_, "comments", "c", R"({"$set":{"post":"q"}})"));
  expectOk(replace(alice_, "comments", "c", R"({"post":"p"})"));
  // What it had stays, though that document was deleted.
  expectOk(remove(alice_, "posts", "p"));
  expectOk(patch(alice_, "comments", "c", R"({"n":1})"));
  expectOk(replace(alice_, "comments", "c", R"({"n":2,"post":"p"})"));
  expectOk(patch(alice_, "comments", "c", R"({"$unset":{"post":1}})"));
  expectDetail(patch(alice_, "comments", "c", R"({"post":"p"})"), "/post");
}

TEST_F(ReferencesTest, EachElementOfAnArrayHolds) {
  expectOk(schema("comments", listSchemaOf(R"({"collection":"posts","check":"exists"})")));
  put("posts", R"({"id":"a"})");
  put("posts", R"({"id":"b"})");
  const auto refused = create(alice_, "comments", R"({"id":"c","posts":["a","x","b","y"]})");
  expectError(ErrorCode::validation, refused);
  ASSERT_EQ(2u, refused.error().details().size());
  EXPECT_EQ("/posts/1", refused.error().details()[0].path);
  EXPECT_EQ("/posts/3", refused.error().details()[1].path);
  expectOk(create(alice_, "comments", R"({"id":"c","posts":["a","b","a"]})"));
  expectDetail(patch(alice_, "comments", "c", R"({"$push":{"posts":"x"}})"), "/posts/3");
  expectOk(patch(alice_, "comments", "c", R"({"$pull":{"posts":"a"}})"));
  expectOk(patch(alice_, "comments", "c", R"({"$push":{"posts":"a"}})"));
}

TEST_F(ReferencesTest, AWriteSetsAHundredReferences) {
  expectOk(schema("comments", listSchemaOf(R"({"collection":"posts","check":"exists"})")));
  std::string hundred;
  for (int i = 0; i < 100; ++i) {
    put("posts", fmt::format(R"({{"id":"p{}"}})", i));
    hundred += fmt::format(R"("p{}",)", i);
  }
  put("posts", R"({"id":"more"})");
  expectDetail(create(alice_, "comments", fmt::format(R"({{"id":"c","posts":[{}"more"]}})", hundred)), "/posts/100");
  hundred.pop_back();
  expectOk(create(alice_, "comments", fmt::format(R"({{"id":"c","posts":[{}]}})", hundred)));
  expectOk(patch(alice_, "comments", "c", R"({"$push":{"posts":"more"}})"));
}

TEST_F(ReferencesTest, ReadableIsWhatTheCallerMayRead) {
  collection("notes", R"({"read":{"filter":{"ownerId":"$auth.uid"}},"create":{}})");
  expectOk(schema("comments", schemaOf(R"({"collection":"notes","check":"readable"})")));
  expectOk(create(alice_, "notes", R"({"id":"hers"})"));
  expectOk(create(alice_, "comments", R"({"post":"hers"})"));
  const auto hidden = create(bob_, "comments", R"({"post":"hers"})");
  const auto missing = create(bob_, "comments", R"({"post":"none"})");
  expectDetail(hidden, "/post");
  EXPECT_EQ(hidden.error().message(), missing.error().message());
  policy::Caller writer = alice_;
  writer.permissions = permissions({"data:comments:create"});
  expectDetail(create(writer, "comments", R"({"post":"hers"})"), "/post");
  put("comments", R"({"post":"hers"})");
}

TEST_F(ReferencesTest, ADocumentMayReferToItself) {
  index("posts", R"({"post":1})");
  expectOk(schema("posts", schemaOf(R"({"collection":"posts","onDelete":"restrict"})")));
  expectOk(create(alice_, "posts", R"({"id":"p","post":"p"})"));
  expectOk(create(alice_, "posts", R"({"id":"q","post":"p"})"));
  expectError(ErrorCode::conflict, remove(alice_, "posts", "p"));
  expectOk(remove(alice_, "posts", "q"));
  expectOk(remove(alice_, "posts", "p"));
}

TEST_F(ReferencesTest, ADeniedFieldIsNotNamed) {
  expectOk(schema("comments", schemaOf(R"({"collection":"posts","check":"exists"})")));
  expectOk(run(data_->collections().setPolicy(
      managing(), "comments", json(R"({"read":{"deniedReadFields":["post"]},"create":{},"update":{}})"))));
  put("comments", R"({"id":"c"})");
  const auto refused = patch(alice_, "comments", "c", R"({"post":"none"})");
  expectError(ErrorCode::validation, refused);
  EXPECT_TRUE(refused.error().details().empty());
}

TEST_F(ReferencesTest, ARenamedCollectionIsMeantAsBefore) {
  refer("restrict");
  put("posts", R"({"id":"p"})");
  put("comments", R"({"post":"p"})");
  expectOk(run(data_->collections().rename(managing(), "posts", "articles")));
  const auto saved = data_->collections().schema(*snapshot(), "comments");
  ASSERT_TRUE(saved && *saved);
  EXPECT_NE(std::string::npos, doc::toJson(**saved).find(R"({"collection":"articles","onDelete":"restrict"})"));
  expectError(ErrorCode::conflict, remove(alice_, "articles", "p"));
  expectDetail(create(alice_, "comments", R"({"post":"none"})"), "/post");
  expectOk(run(data_->collections().drop(managing(), "articles")));
  expectDetail(create(alice_, "comments", R"({"post":"p"})"), "/post");
}

// ---- deletions

TEST_F(ReferencesTest, ARestrictedDocumentStays) {
  refer("restrict");
  put("posts", R"({"id":"p"})");
  put("comments", R"({"id":"c","post":"p"})");
  const auto refused = remove(alice_, "posts", "p");
  expectError(ErrorCode::conflict, refused);
  EXPECT_NE(std::string::npos, refused.error().message().find("comments"));
  expectError(ErrorCode::notFound, remove(alice_, "posts", "q"));
  expectOk(remove(alice_, "comments", "c"));
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(0u, queued().size());
}

TEST_F(ReferencesTest, ARestrictedDocumentThatIsHiddenIsNotThere) {
  refer("restrict");
  put("posts", R"({"id":"p","ownerId":"user_bob"})");
  put("comments", R"({"post":"p"})");
  expectOk(run(
      data_->collections().setPolicy(managing(), "posts", json(R"({"delete":{"filter":{"ownerId":"$auth.uid"}}})"))));
  expectError(ErrorCode::notFound, remove(alice_, "posts", "p"));
  expectError(ErrorCode::conflict, remove(bob_, "posts", "p"));
}

TEST_F(ReferencesTest, ACascadeDeletesWhatRefers) {
  collection("likes", kOpen);
  refer("cascade");
  index("likes", R"({"post":1})");
  expectOk(schema("likes", schemaOf(R"({"collection":"comments","onDelete":"cascade"})")));
  put("posts", R"({"id":"p"})");
  put("posts", R"({"id":"q"})");
  for (int i = 0; i < 250; ++i) put("comments", fmt::format(R"({{"id":"c{}","post":"p"}})", i));
  put("comments", R"({"id":"other","post":"q"})");
  put("likes", R"({"id":"l","post":"c7"})");
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(251u, countOf("comments"));
  const std::vector<ReferenceJobView> views = jobViews();
  ASSERT_EQ(1u, views.size());
  EXPECT_EQ("cascade", views[0].kind);
  EXPECT_EQ("posts", views[0].collection);
  EXPECT_EQ("p", views[0].documentId);
  EXPECT_EQ("waiting", views[0].state);
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  EXPECT_EQ(1u, countOf("comments"));
  EXPECT_EQ(250u, jobViews().size());
  EXPECT_EQ(250u, runJobs());
  EXPECT_EQ(0u, countOf("likes"));
  EXPECT_EQ(0u, jobViews().size());
  EXPECT_EQ(0u, queued().size());
}

TEST_F(ReferencesTest, AnUnsetRemovesTheReferences) {
  index("comments", R"({"posts":1})");
  expectOk(schema("comments", listSchemaOf(R"({"collection":"posts","onDelete":"unset"})")));
  collection("drafts", kOpen);
  index("drafts", R"({"post":1})");
  expectOk(schema("drafts", schemaOf(R"({"collection":"posts","onDelete":"unset"})")));
  put("posts", R"({"id":"p"})");
  put("posts", R"({"id":"q"})");
  put("comments", R"({"id":"c","posts":["p","q","p"],"text":"p"})");
  put("drafts", R"({"id":"d","post":"p","n":1})");
  clock_.advance(1000);
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  const doc::Document comment = stored("comments", "c");
  EXPECT_NE(std::string::npos, doc::toJson(comment).find(R"("posts":["q"],"text":"p")")) << doc::toJson(comment);
  EXPECT_EQ(kStart + 1000, comment.view().find("updatedAt")->asDate().ms);
  EXPECT_FALSE(stored("drafts", "d").view().find("post"));
  EXPECT_EQ(0u, jobViews().size());
  bool asServer = false;
  for (const store::ChangeEntry& each : run(store_.feed().changes(project_, 0, 100))->entries) {
    asServer = asServer || (each.id == "c" && each.before && each.actor.kind == store::ActorKind::server);
  }
  EXPECT_TRUE(asServer);
}

TEST_F(ReferencesTest, AJobOfADocumentThatIsThereAgainEnds) {
  refer("cascade");
  put("posts", R"({"id":"p"})");
  put("comments", R"({"post":"p"})");
  expectOk(remove(alice_, "posts", "p"));
  put("posts", R"({"id":"p"})");
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  EXPECT_EQ(1u, countOf("comments"));
  EXPECT_EQ(0u, jobViews().size());
}

TEST_F(ReferencesTest, AJobThatIsRefusedFailsAndIsTriedAgain) {
  collection("likes", kOpen);
  refer("cascade");
  index("likes", R"({"post":1})");
  expectOk(schema("likes", schemaOf(R"({"collection":"comments","onDelete":"restrict"})")));
  put("posts", R"({"id":"p"})");
  for (const char* id : {"c1", "c2", "c3"}) put("comments", fmt::format(R"({{"id":"{}","post":"p"}})", id));
  put("likes", R"({"id":"l","post":"c2"})");
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(1u, runJobs());
  expectError(ErrorCode::conflict, outcome_);
  EXPECT_EQ(1u, countOf("comments"));
  EXPECT_EQ("waiting", jobViews().at(0).state);
  EXPECT_EQ(2, jobViews().at(0).done);
  expectError(ErrorCode::conflict, run(data_->referenceJobs().retry(managing(), std::string(jobViews().at(0).id))));
  EXPECT_EQ(1u, runJobs(true));
  expectOk(outcome_);
  EXPECT_EQ("failed", jobViews().at(0).state);
  EXPECT_NE(std::string::npos, jobViews().at(0).error->find("likes"));
  EXPECT_EQ(0u, queued().size());
  expectOk(remove(alice_, "likes", "l"));
  expectOk(run(data_->referenceJobs().retry(managing(), std::string(jobViews().at(0).id))));
  EXPECT_EQ("waiting", jobViews().at(0).state);
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  EXPECT_EQ(0u, countOf("comments"));
  EXPECT_EQ(0u, jobViews().size());
  expectError(ErrorCode::notFound, run(data_->referenceJobs().retry(managing(), "job_none")));
}

// More of them than one page of the job has.
TEST_F(ReferencesTest, RefusedDocumentsDoNotStopTheOthers) {
  collection("likes", kOpen);
  refer("cascade");
  index("likes", R"({"post":1})");
  expectOk(schema("likes", schemaOf(R"({"collection":"comments","onDelete":"restrict"})")));
  put("posts", R"({"id":"p"})");
  for (int i = 0; i < 230; ++i) put("comments", fmt::format(R"({{"id":"c{:03}","post":"p"}})", i));
  for (int i = 0; i < 110; ++i) put("likes", fmt::format(R"({{"id":"l{}","post":"c{:03}"}})", i, i));
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(1u, runJobs());
  expectError(ErrorCode::conflict, outcome_);
  EXPECT_EQ(110u, countOf("comments"));
  EXPECT_EQ(120, jobViews().at(0).done);
}

// One collection of the cascade holds the documents of another.
TEST_F(ReferencesTest, ACascadeTakesWhatIsFreedOnItsWay) {
  collection("likes", kOpen);
  refer("cascade");
  index("likes", R"({"post":1})");
  index("likes", R"({"comment":1})");
  expectOk(schema("likes", R"({"type":"object","properties":{
      "post":{"type":"string","x-ref":{"collection":"posts","onDelete":"cascade"}},
      "comment":{"type":"string","x-ref":{"collection":"comments","onDelete":"restrict"}}}})"));
  put("posts", R"({"id":"p"})");
  put("comments", R"({"id":"c","post":"p"})");
  put("likes", R"({"id":"l","post":"p","comment":"c"})");
  expectOk(remove(alice_, "posts", "p"));
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  EXPECT_EQ(0u, countOf("comments"));
  EXPECT_EQ(0u, countOf("likes"));
}

TEST_F(ReferencesTest, AnActionThatTheSchemaNoLongerHasIsNotTaken) {
  refer("cascade");
  put("posts", R"({"id":"p"})");
  put("comments", R"({"post":"p"})");
  expectOk(remove(alice_, "posts", "p"));
  expectOk(schema("comments", schemaOf(R"("posts")")));
  EXPECT_EQ(1u, runJobs());
  expectOk(outcome_);
  EXPECT_EQ(1u, countOf("comments"));
  EXPECT_EQ(0u, jobViews().size());
}

// ---- other ways to delete and to write

TEST_F(ReferencesTest, ExpiryKeepsWhatIsRestricted) {
  refer("restrict");
  NewIndex expiring;
  expiring.keys = json(R"({"createdAt":1})");
  expiring.expireAfterSeconds = 1;
  expectOk(run(data_->collections().createIndex(managing(), "posts", expiring)));
  for (int i = 0; i < 20; ++i) put("posts", fmt::format(R"({{"id":"p{:02}"}})", i));
  put("comments", R"({"id":"c","post":"p03"})");
  clock_.advance(5'000);
  EXPECT_EQ(19u, *run(data_->expiry().pass()));
  EXPECT_EQ("p03", stored("posts", "p03").view().stringOr("id"));
  EXPECT_EQ(0u, *run(data_->expiry().pass()));
  expectOk(remove(alice_, "comments", "c"));
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
}

TEST_F(ReferencesTest, ExpiryStartsCascades) {
  refer("cascade");
  NewIndex expiring;
  expiring.keys = json(R"({"createdAt":1})");
  expiring.expireAfterSeconds = 3;
  expectOk(run(data_->collections().createIndex(managing(), "posts", expiring)));
  put("posts", R"({"id":"p"})");
  put("comments", R"({"post":"p"})");
  clock_.advance(5'000);
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
  EXPECT_EQ(1u, runJobs());
  EXPECT_EQ(0u, countOf("comments"));
}

class ServiceReferencesTest : public ReferencesTest {
 protected:
  ServiceAccess access(bool logged = true) {
    table_ = snapshot();
    finder_.emplace(table_->get(data_->slot()));
    return {*finder_, {store::ActorKind::function, "f"}, soon(), {}, logged};
  }
  ServiceDocuments& documents() { return data_->serviceDocuments(); }
  snapshot::SnapshotPtr table_;
  std::optional<TableFinder> finder_;
};

TEST_F(ServiceReferencesTest, CodeOfTheProjectIsHeldToReferences) {
  expectOk(schema("comments", listSchemaOf(R"({"collection":"posts","check":"readable"})")));
  put("posts", R"({"id":"p"})");
  expectDetail(run(documents().insertOne(access(), "comments", json(R"({"posts":["p","x"]})"))), "/posts/1");
  expectOk(run(documents().insertOne(access(), "comments", json(R"({"id":"c","posts":["p"]})"))));
  expectDetail(run(documents().updateMany(access(), "comments", json("{}"), json(R"({"$push":{"posts":"x"}})"), {})),
               "/posts/1");
  const auto pushed =
      run(documents().updateMany(access(), "comments", json("{}"), json(R"({"$push":{"posts":{"$each":["p"]}}})"), {}));
  ASSERT_TRUE(pushed) << pushed.error().message();
  EXPECT_EQ(1, pushed->modified);
  expectOk(run(documents().insertOne(access(false), "comments", json(R"({"posts":["x"]})"))));
}

// Together they refer to more documents than one commit holds.
TEST_F(ServiceReferencesTest, AnUpdateOfManyIsDividedByItsReferences) {
  for (int i = 0; i < 150; ++i) {
    put("posts", fmt::format(R"({{"id":"a{}"}})", i));
    put("posts", fmt::format(R"({{"id":"b{}"}})", i));
    put("comments", fmt::format(R"({{"id":"c{:03}","x":"a{}","y":"b{}"}})", i, i, i));
  }
  put("comments", R"({"id":"d","x":"none","y":"a1"})");
  const std::string reference = R"({"type":"string","x-ref":{"collection":"posts","check":"exists"}})";
  expectOk(schema("comments", fmt::format(R"({{"type":"object","properties":{{"a":{0},"b":{0}}}}})", reference)));
  const auto renamed =
      run(documents().updateMany(access(), "comments", json("{}"), json(R"({"$rename":{"x":"a","y":"b"}})"), {}));
  expectDetail(renamed, "/a");
  const auto left = run(documents().count(access(), "comments", json(R"({"x":{"$exists":true}})")));
  EXPECT_EQ(1u, *left);
  EXPECT_EQ("b149", stored("comments", "c149").view().stringOr("b"));
}

TEST_F(ServiceReferencesTest, ADeletionOfManyEndsAtTheFirstThatIsRestricted) {
  refer("restrict");
  for (int i = 0; i < 130; ++i) put("posts", fmt::format(R"({{"id":"p{:03}"}})", i));
  put("comments", R"({"id":"c","post":"p042"})");
  expectError(ErrorCode::conflict, run(documents().deleteMany(access(), "posts", json("{}"))));
  EXPECT_EQ(88u, countOf("posts"));
  expectOk(remove(alice_, "comments", "c"));
  EXPECT_EQ(88, *run(documents().deleteMany(access(), "posts", json("{}"))));
}

TEST_F(ServiceReferencesTest, ADeletionOfManyStartsAJobForEach) {
  refer("cascade");
  for (int i = 0; i < 3; ++i) {
    put("posts", fmt::format(R"({{"id":"p{}"}})", i));
    put("comments", fmt::format(R"({{"post":"p{}"}})", i));
  }
  EXPECT_EQ(2, *run(documents().deleteMany(access(), "posts", json(R"({"id":{"$ne":"p1"}})"))));
  EXPECT_EQ(2u, runJobs());
  EXPECT_EQ(1u, countOf("comments"));
}

}  // namespace
}  // namespace mb::data
