#include "data/vector_counts.h"

#include <thread>

#include "data/collection_config.h"
#include "data/data_fixture.h"

namespace mb::data {
namespace {

constexpr std::string_view kTwoFields = R"({"fields":[
  {"id":"vec_v","config":{"name":"v","dimensions":2,"mode":"manual"}},
  {"id":"vec_w","config":{"name":"w","dimensions":2}},
  {"id":"vec_t","config":{"name":"t","dimensions":2,"mode":"auto","source":{"fields":["title"]}}}]})";
constexpr std::string_view kOneField = R"({"fields":[{"id":"vec_w","config":{"name":"w","dimensions":2}}]})";

class VectorCountsTest : public DataTest {
 protected:
  CollectionPtr found(const std::string& name) { return *snapshot()->get(data_->slot()).find(name); }
  // Sets the vector config as vectors/ does, or removes it ("").
  void configure(const std::string& name, std::string_view vectors) {
    const CollectionPtr collection = found(name);
    CollectionConfig config = CollectionConfig::read(collection->info.config);
    config.vectors.reset();
    if (!vectors.empty()) config.vectors = json(vectors);
    const doc::Document after = config.write();
    auto jobs = data_->vectorCounts().jobsOf(collection->ref, collection->info.config, after.view());
    ASSERT_TRUE(jobs);
    expectOk(run(store_.alterCollection(collection->ref, {.name = {}, .config = after}, std::move(*jobs))));
  }
  // A collection with fields in mode manual and no waiting job.
  void space(const std::string& name = "posts", std::string_view vectors = kTwoFields) {
    collection(name);
    configure(name, vectors);
    finishJobs();
  }
  std::vector<doc::Document> queued() {
    std::vector<doc::Document> jobs;
    for (const doc::Document& row : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      if (row.view().stringOr("kind") == "vector-counts") jobs.push_back(row);
    }
    return jobs;
  }
  void removeRow(store::CollectionRef rows, const std::string& id) {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    const store::Target row = write.change(rows, id);
    expectOk(run(store_.write(std::move(write), store::removing({row}))));
  }
  // Runs the jobs of the queue to their ends; returns how many there were.
  size_t finishJobs() {
    const std::vector<doc::Document> rows = queued();
    for (const doc::Document& row : rows) {
      jobs::JobRun job;
      job.id = row.view().stringOr("id");
      job.project = project_;
      job.payload = doc::Document(row.view().find("payload")->asDocument());
      job.repetition = std::make_shared<std::optional<jobs::Repetition>>();
      for (int turns = 0; turns < 100; ++turns) {
        job.repetition->reset();
        expectOk(run(data_->vectorCounts().run(job)));
        if (!*job.repetition) break;
        job.payload = (*job.repetition)->payload;
      }
      EXPECT_FALSE(*job.repetition);
      removeRow({store::kControlProject, jobs::kJobs, 0}, job.id);
    }
    return rows.size();
  }
  std::map<std::string, int64_t> rows() {
    std::map<std::string, int64_t> all;
    for (const doc::Document& row : store_.all(vectorCountsOf(project_))) {
      all[std::string(row.view().stringOr("id"))] = vectorsIn(row);
    }
    return all;
  }
  std::string rowId(std::string_view document, const std::string& name = "posts") {
    return vectorCountId(found(name)->ref.number, document);
  }
  Result<> putOr(const std::string& name, std::string_view document) {
    const Access access = asAdmin();
    auto made = run(data_->documents().create(access, name, json(document)));
    return made ? Result<>() : fail(std::move(made).error());
  }
  Result<> patchOr(const std::string& id, std::string_view body) {
    const Access access = asAdmin();
    auto made = run(data_->documents().update(access, "posts", id, json(body)));
    return made ? Result<>() : fail(std::move(made).error());
  }
  Result<> replaceOr(const std::string& id, std::string_view body) {
    const Access access = asAdmin();
    auto made = run(data_->documents().replace(access, "posts", id, json(body)));
    return made ? Result<>() : fail(std::move(made).error());
  }
  Result<> removeOr(const std::string& id, const std::string& name = "posts") {
    const Access access = asAdmin();
    return run(data_->documents().remove(access, name, id));
  }
  template <class T>
  void expectFull(const Result<T>& result, int64_t max, int64_t use) {
    expectError(ErrorCode::planLimit, result);
    EXPECT_EQ(fmt::format("plan limit: vectors: the plan Tiny allows {} vectors, in use are {}", max, use),
              result.error().message());
  }
};

// ---- rows follow documents

TEST_F(VectorCountsTest, ADocumentCountsItsValuesThatAreNotNull) {
  space();
  put("posts", R"({"id":"a","v":[1,2],"w":[3,4]})");
  put("posts", R"({"id":"b","v":[1,2],"w":null})");
  put("posts", R"({"id":"c","title":"none"})");
  EXPECT_EQ((std::map<std::string, int64_t>{{rowId("a"), 2}, {rowId("b"), 1}}), rows());
  EXPECT_EQ(3, vectors());
}

TEST_F(VectorCountsTest, ARowChangesWithItsDocument) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  expectOk(patchOr("a", R"({"$set":{"v":[5,6]}})"));
  EXPECT_EQ(1, vectors());
  expectOk(patchOr("a", R"({"$set":{"v":null}})"));
  EXPECT_EQ(0, vectors());
  EXPECT_TRUE(rows().empty());
  expectOk(patchOr("a", R"({"$set":{"v":[1,2],"w":[1,2]}})"));
  EXPECT_EQ(2, vectors());
  expectOk(patchOr("a", R"({"$unset":{"w":1}})"));
  EXPECT_EQ(1, vectors());
  expectOk(replaceOr("a", R"({"w":[1,2],"v":[1,2]})"));
  EXPECT_EQ(2, vectors());
  expectOk(replaceOr("a", R"({"n":1})"));
  EXPECT_EQ(0, vectors());
  expectOk(replaceOr("a", R"({"v":[1,2]})"));
  expectOk(removeOr("a"));
  EXPECT_EQ(0, vectors());
  EXPECT_TRUE(rows().empty());
}

TEST_F(VectorCountsTest, OtherCollectionsHaveNoRows) {
  collection("posts");
  put("posts", R"({"id":"a","v":[1,2]})");
  expectOk(removeOr("a"));
  put("posts", R"({"id":"b","v":[1,2]})");
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(0, vectors());
}

TEST_F(VectorCountsTest, ARefusedWriteChangesNoRow) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  expectError(ErrorCode::conflict, putOr("posts", R"({"id":"a","v":[1,2],"w":[1,2]})"));
  expectError(ErrorCode::validation, patchOr("a", R"({"$set":{"w":[1]}})"));
  EXPECT_EQ(1, vectors());
}

TEST_F(VectorCountsTest, ExpiredDocumentsCountNoLonger) {
  space();
  NewIndex index;
  index.keys = json(R"({"createdAt":1})");
  index.expireAfterSeconds = 60;
  expectOk(run(data_->collections().createIndex(managing(), "posts", index)));
  put("posts", R"({"id":"a","v":[1,2]})");
  clock_.advance(61'000);
  put("posts", R"({"id":"b","v":[1,2]})");
  EXPECT_EQ(1u, *run(data_->expiry().pass()));
  EXPECT_EQ((std::map<std::string, int64_t>{{rowId("b"), 1}}), rows());
}

TEST_F(VectorCountsTest, DocumentsThatGoWithOthersCountNoLonger) {
  for (const char* onDelete : {"cascade", "unset"}) {
    const bool cascade = std::string_view(onDelete) == "cascade";
    const std::string authors = fmt::format("authors_{}", onDelete);
    const std::string posts = fmt::format("posts_{}", onDelete);
    collection(authors);
    space(posts);
    NewIndex index;
    index.keys = json(R"({"author":1})");
    expectOk(run(data_->collections().createIndex(managing(), posts, index)));
    const std::string schema = fmt::format(
        R"({{"properties":{{"author":{{"type":"string","x-ref":{{"collection":"{}","onDelete":"{}"}}}}}}}})", authors,
        onDelete);
    expectOk(run(data_->collections().setSchema(managing(), posts, json(schema))));
    const int64_t before = vectors();
    put(authors, R"({"id":"x"})");
    put(posts, R"({"id":"a","v":[1,2],"author":"x"})");
    put(posts, R"({"id":"b","v":[1,2]})");
    EXPECT_EQ(before + 2, vectors());
    expectOk(removeOr("x", authors));
    for (const doc::Document& row : store_.all({store::kControlProject, jobs::kJobs, 0})) {
      jobs::JobRun job;
      job.id = row.view().stringOr("id");
      job.project = project_;
      job.payload = doc::Document(row.view().find("payload")->asDocument());
      expectOk(run(data_->referenceJobs().run(std::move(job))));
    }
    EXPECT_EQ(before + (cascade ? 1 : 2), vectors());
  }
}

// A document with referrers goes through Deletion.
TEST_F(VectorCountsTest, ADeletedDocumentWithReferrersCountsNoLonger) {
  space();
  collection("comments");
  NewIndex index;
  index.keys = json(R"({"post":1})");
  expectOk(run(data_->collections().createIndex(managing(), "comments", index)));
  expectOk(run(data_->collections().setSchema(
      managing(), "comments",
      json(R"({"properties":{"post":{"type":"string","x-ref":{"collection":"posts","onDelete":"cascade"}}}})"))));
  put("posts", R"({"id":"a","v":[1,2]})");
  EXPECT_EQ(1, vectors());
  expectOk(removeOr("a"));
  EXPECT_EQ(0, vectors());
}

// ---- rows follow configs

TEST_F(VectorCountsTest, AConfigCountsTheDocumentsFromBeforeIt) {
  collection("posts");
  for (int i = 0; i < 250; ++i) put("posts", fmt::format(R"({{"id":"d{:03}","v":[1,2],"w":[{},0]}})", i, i));
  configure("posts", kTwoFields);
  EXPECT_EQ(1u, queued().size());
  expectOk(removeOr("d000"));
  expectOk(patchOr("d001", R"({"$set":{"w":null}})"));
  finishJobs();
  EXPECT_EQ(497, vectors());
  configure("posts", kOneField);
  put("posts", R"({"id":"later","v":[1,2],"w":[1,2]})");
  finishJobs();
  EXPECT_EQ(249, vectors());
  configure("posts", "");
  expectOk(removeOr("d002"));
  EXPECT_EQ(1u, finishJobs());
  EXPECT_EQ(0, vectors());
  EXPECT_TRUE(rows().empty());
  EXPECT_TRUE(store_.all({project_, kVectorCountWalks, 0}).empty());
}

TEST_F(VectorCountsTest, AConfigThatComesBackBeforeTheSweepKeepsWhatItCounts) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  put("posts", R"({"id":"b","v":[1,2]})");
  configure("posts", "");
  expectOk(removeOr("a"));
  configure("posts", kTwoFields);
  EXPECT_EQ(2u, finishJobs());
  EXPECT_EQ((std::map<std::string, int64_t>{{rowId("b"), 1}}), rows());
}

TEST_F(VectorCountsTest, OtherChangesOfACollectionStartNoJob) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  expectOk(run(data_->collections().rename(managing(), "posts", "articles")));
  expectOk(run(data_->collections().setSchema(managing(), "articles", json(R"({"properties":{}})"))));
  put("articles", R"({"id":"b","v":[1,2]})");
  EXPECT_TRUE(queued().empty());
  EXPECT_EQ(2, vectors());
}

TEST_F(VectorCountsTest, ADroppedCollectionCountsNoLonger) {
  space();
  space("others");
  for (int i = 0; i < 120; ++i) put("posts", R"({"v":[1,2]})");
  put("others", R"({"v":[1,2]})");
  expectOk(run(data_->collections().drop(managing(), "posts")));
  EXPECT_EQ(1u, finishJobs());
  EXPECT_EQ(1, vectors());
  collection("plain");
  expectOk(run(data_->collections().drop(managing(), "plain")));
  EXPECT_TRUE(queued().empty());
}

TEST_F(VectorCountsTest, DataWithoutRowsIsCountedOnce) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  put("posts", R"({"id":"b","v":[1,2],"w":[1,2]})");
  for (const auto& [id, count] : rows()) removeRow(vectorCountsOf(project_), id);
  removeRow({project_, kVectorCountWalks, 0}, fmt::to_string(found("posts")->ref.number));
  EXPECT_EQ(0, vectors());
  expectOk(run(data_->vectorCounts().resume(snapshot())));
  expectOk(run(data_->vectorCounts().resume(snapshot())));
  EXPECT_EQ(1u, finishJobs());
  EXPECT_EQ(3, vectors());
  expectOk(run(data_->vectorCounts().resume(snapshot())));
  EXPECT_TRUE(queued().empty());
}

TEST_F(VectorCountsTest, RowsWithoutACollectionAreSwept) {
  space();
  put("posts", R"({"id":"a","v":[1,2]})");
  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  for (const char* id : {"1/x", "999/x", "99999/x", "99999/y"}) {
    write.insert(store::Insert{vectorCountsOf(project_), *vectorCountRow(id, 1)});
  }
  expectOk(run(store_.write(std::move(write), nullptr)));
  EXPECT_EQ(5, vectors());
  expectOk(run(data_->vectorCounts().resume(snapshot())));
  EXPECT_EQ(3u, finishJobs());
  EXPECT_EQ((std::map<std::string, int64_t>{{rowId("a"), 1}}), rows());
}

// ---- the limit

TEST_F(VectorCountsTest, VectorsStopAtTheLimitExactly) {
  space();
  limitVectors(3);
  expectOk(putOr("posts", R"({"id":"a","v":[1,2],"w":[1,2]})"));
  expectFull(putOr("posts", R"({"id":"b","v":[1,2],"w":[1,2]})"), 3, 2);
  expectOk(putOr("posts", R"({"id":"b","v":[1,2]})"));
  expectFull(putOr("posts", R"({"id":"c","v":[1,2]})"), 3, 3);
  expectFull(patchOr("b", R"({"$set":{"w":[1,2]}})"), 3, 3);
  expectFull(replaceOr("b", R"({"v":[1,2],"w":[1,2]})"), 3, 3);
  EXPECT_EQ(3, vectors());
  expectOk(putOr("posts", R"({"id":"c","n":1})"));
  expectOk(patchOr("b", R"({"$set":{"v":[7,8]}})"));
  expectOk(patchOr("a", R"({"$set":{"v":null}})"));
  expectOk(patchOr("c", R"({"$set":{"w":[1,2]}})"));
  expectOk(removeOr("c"));
  expectOk(putOr("posts", R"({"id":"d","v":[1,2]})"));
  expectFull(patchOr("a", R"({"$set":{"v":[1,2]}})"), 3, 3);
  limitVectors(std::nullopt);
  expectOk(patchOr("a", R"({"$set":{"v":[1,2]}})"));
  EXPECT_EQ(4, vectors());
}

TEST_F(VectorCountsTest, ALowerLimitRefusesOnlyMore) {
  space();
  for (const char* id : {"a", "b", "c"}) put("posts", fmt::format(R"({{"id":"{}","v":[1,2]}})", id));
  limitVectors(1);
  expectFull(putOr("posts", R"({"id":"d","v":[1,2]})"), 1, 3);
  expectOk(patchOr("a", R"({"$set":{"v":[3,4],"n":1}})"));
  EXPECT_EQ("a", stored("posts", "a").view().stringOr("id"));
  expectOk(removeOr("a"));
  expectOk(removeOr("b"));
  expectFull(putOr("posts", R"({"id":"d","v":[1,2]})"), 1, 1);
  expectOk(removeOr("c"));
  expectOk(putOr("posts", R"({"id":"d","v":[1,2]})"));
}

// A document from before the config is left to its walk where a write does not raise it.
TEST_F(VectorCountsTest, ADocumentThatIsNotCountedYetMayChangeAtTheLimit) {
  collection("posts");
  put("posts", R"({"id":"a","v":[1,2]})");
  put("posts", R"({"id":"b","v":[1,2],"w":[1,2]})");
  configure("posts", kTwoFields);
  limitVectors(0);
  expectOk(patchOr("a", R"({"$set":{"n":1}})"));
  expectOk(patchOr("b", R"({"$set":{"w":null}})"));
  expectFull(patchOr("a", R"({"$set":{"w":[1,2]}})"), 0, 0);
  finishJobs();
  EXPECT_EQ(2, vectors());
}

TEST_F(VectorCountsTest, WritesAtOnceStopAtTheLimit) {
  space();
  limitVectors(10);
  std::atomic<int> passed{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 20; ++i) {
    writers.emplace_back([&] {
      if (putOr("posts", R"({"v":[1,2]})")) ++passed;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(10, passed);
  EXPECT_EQ(10, vectors());
}

// ---- the project's own code

TEST_F(VectorCountsTest, CodeOfTheProjectMeetsTheLimitToo) {
  space();
  limitVectors(3);
  const snapshot::SnapshotPtr project = snapshot();
  TableFinder finder(project->get(data_->slot()));
  const auto access = [&](bool logged) {
    ServiceAccess service{finder, {store::ActorKind::function, "fn_1/2"}, soon()};
    service.logged = logged;
    return service;
  };
  ServiceDocuments& documents = data_->serviceDocuments();
  for (const char* id : {"a", "b"}) {
    expectOk(run(documents.insertOne(access(true), "posts", json(fmt::format(R"({{"id":"{}","v":[1,2]}})", id)))));
  }
  expectOk(run(documents.insertOne(access(true), "posts", json(R"({"id":"c","n":1})"))));
  EXPECT_EQ(2, vectors());
  // The first document passes, and stays.
  expectFull(run(documents.updateMany(access(true), "posts", {}, json(R"({"$set":{"w":[1,2]}})"), {})), 3, 3);
  EXPECT_EQ((std::map<std::string, int64_t>{{rowId("a"), 2}, {rowId("b"), 1}}), rows());
  expectFull(run(documents.insertOne(access(true), "posts", json(R"({"v":[1,2]})"))), 3, 3);
  EXPECT_EQ(2, *run(documents.deleteMany(access(true), "posts", json(R"({"v":[1,2]})"))));
  EXPECT_EQ(0, vectors());
  // A scratch database is not counted.
  expectOk(run(documents.insertOne(access(false), "posts", json(R"({"id":"s","v":[1,2]})"))));
  EXPECT_EQ(0, vectors());
}

}  // namespace
}  // namespace mb::data
