#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

TEST_P(StoreSuite, CollectionsAreListedWithWhatTheyHold) {
  const CollectionInfo made = must(store().createCollection(project_, "Posts", json(R"({"schema":{"a":1}})"), {}));
  EXPECT_GE(made.number, kFirstUserCollection);
  CollectionRef posts{project_, made.number, made.version};
  IndexSpec spec = uniqueIndex({{"a.b", 1}, {"c", -1}});
  spec.sparse = true;
  spec.partialFilter = json(R"({"on":true})");
  makeIndex(posts, spec);
  IndexSpec expiring = index({{"at", 1}});
  expiring.name = "old";
  expiring.expireAfterSeconds = 60;
  expiring.covering = true;
  makeIndex(posts, expiring);
  IndexSpec including = uniqueIndex({{"x", 1}});
  including.include = {"b", "a.c"};
  makeIndex(posts, including);
  for (int round = 0; round < 2; ++round) {
    const auto all = must(store().collections(project_));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].name, "Posts");
    EXPECT_EQ(text(all[0].config), R"({"schema":{"a":1}})");
    ASSERT_EQ(all[0].indexes.size(), 3u);
    EXPECT_EQ(all[0].indexes[2].spec.include, including.include);
    EXPECT_TRUE(all[0].indexes[0].spec.include.empty());
    EXPECT_EQ(all[0].indexes[0].spec.name, "a.b_1_c_-1");
    EXPECT_TRUE(all[0].indexes[0].spec.unique && all[0].indexes[0].spec.sparse && all[0].indexes[0].ready);
    EXPECT_EQ(text(*all[0].indexes[0].spec.partialFilter), R"({"on":true})");
    EXPECT_EQ(all[0].indexes[1].spec.name, "old");
    EXPECT_EQ(all[0].indexes[1].spec.expireAfterSeconds, 60);
    EXPECT_TRUE(all[0].indexes[1].spec.covering && !all[0].indexes[0].spec.covering);
    engine().reopen();
  }
}

TEST_P(StoreSuite, NamesAreUniqueWithoutRegardToCase) {
  const CollectionRef posts = makeCollection("Posts");
  EXPECT_EQ(run(store().createCollection(project_, "pOSTS", {}, {})).error().code(), ErrorCode::conflict);
  const CollectionRef other = makeCollection("other");
  EXPECT_EQ(run(store().alterCollection(other, {.name = "POSTS", .config = {}}, {})).error().code(),
            ErrorCode::conflict);
  EXPECT_TRUE(run(store().alterCollection(posts, {.name = "POSTS", .config = {}}, {})));
  EXPECT_TRUE(run(store().createCollection(must(store().allocateProject()), "posts", {}, {})));
  EXPECT_EQ(run(store().createCollection(project_, "", {}, {})).error().code(), ErrorCode::validation);
}

TEST_P(StoreSuite, NamesThatBecomeOneTypeClash) {
  makeCollection("a-b");
  for (const char* name : {"a_b", "A_B", "A-b"}) {
    EXPECT_EQ(run(store().createCollection(project_, name, {}, {})).error().code(), ErrorCode::conflict) << name;
  }
  EXPECT_TRUE(run(store().createCollection(project_, "ab", {}, {})));
  const CollectionRef other = makeCollection("other");
  EXPECT_EQ(run(store().alterCollection(other, {.name = "a_b", .config = {}}, {})).error().code(), ErrorCode::conflict);
  EXPECT_TRUE(run(store().alterCollection(current(other), {.name = "o_ther", .config = {}}, {})));
  EXPECT_TRUE(run(store().alterCollection(current(other), {.name = "o-ther", .config = {}}, {})));
}

TEST_P(StoreSuite, AProjectHoldsAThousandCollections) {
  for (size_t i = 0; i < kMaxCollections; ++i) makeCollection("c" + std::to_string(i));
  EXPECT_EQ(run(store().createCollection(project_, "one_more", {}, {})).error().code(), ErrorCode::conflict);
  EXPECT_TRUE(run(store().createCollection(must(store().allocateProject()), "one_more", {}, {})));
  const std::vector<CollectionInfo> all = must(store().collections(project_));
  ASSERT_TRUE(run(store().dropCollection({project_, all.front().number, all.front().version}, {})));
  EXPECT_TRUE(run(store().createCollection(project_, "one_more", {}, {})));
}

TEST_P(StoreSuite, AnAlterationMakesTheOldVersionStale) {
  const CollectionRef old = makeCollection("posts");
  ASSERT_TRUE(put(old, R"({"id":"a"})"));
  const uint64_t epoch = store().epoch(project_).value;
  const CollectionInfo altered =
      must(store().alterCollection(old, {.name = "articles", .config = json(R"({"v":2})")}, {}));
  EXPECT_GT(altered.version, old.version);
  EXPECT_GT(store().epoch(project_).value, epoch);
  EXPECT_EQ(put(old, R"({"id":"b"})").error().code(), ErrorCode::staleCatalogue);
  EXPECT_EQ(run(store().alterCollection(old, {.name = "x", .config = {}}, {})).error().code(),
            ErrorCode::staleCatalogue);
  EXPECT_EQ(run(store().dropCollection(old, {})).error().code(), ErrorCode::staleCatalogue);
  EXPECT_EQ(run(store().createIndex(old, index({{"a", 1}}), {})).error().code(), ErrorCode::staleCatalogue);
  const CollectionRef now = current(old);
  EXPECT_TRUE(put(now, R"({"id":"b"})"));
  EXPECT_EQ(ids(now, "{}"), "a b");
  EXPECT_EQ(text(must(store().collections(project_)).front().config), R"({"v":2})");
}

TEST_P(StoreSuite, ADroppedCollectionIsGoneAndItsNumberToo) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, index({{"n", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  must(store().dropCollection(posts, {}));
  EXPECT_EQ(get(posts, "a"), "");
  EXPECT_EQ(ids(posts, "{}"), "");
  EXPECT_EQ(count(posts, "{}"), 0u);
  EXPECT_EQ(put(posts, R"({"id":"b"})").error().code(), ErrorCode::staleCatalogue);
  EXPECT_TRUE(must(store().collections(project_)).empty());
  const CollectionRef again = makeCollection("posts");
  EXPECT_GT(again.number, posts.number);
  EXPECT_EQ(get(again, "a"), "");
  engine().reopen();
  EXPECT_EQ(get(posts, "a"), "");
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ADroppedProjectIsGone) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a"})"));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"t"})"));
  must(store().dropProject(project_));
  EXPECT_EQ(get(posts, "a"), "");
  EXPECT_EQ(get({project_, kThings, 0}, "t"), "");
  EXPECT_EQ(put(posts, R"({"id":"b"})").error().code(), ErrorCode::notFound);
  EXPECT_EQ(put({project_, kThings, 0}, R"({"id":"u"})").error().code(), ErrorCode::notFound);
  EXPECT_EQ(run(store().createCollection(project_, "x", {}, {})).error().code(), ErrorCode::notFound);
  EXPECT_EQ(run(store().dropProject(project_)).error().code(), ErrorCode::notFound);
  EXPECT_FALSE(run(store().dropProject(kControlProject)));
  engine().reopen();
  EXPECT_EQ(get(posts, "a"), "");
  EXPECT_GT(must(store().allocateProject()), project_);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, WhatIsWrittenAlongsideStandsOrFallsWithTheAlteration) {
  const CollectionRef audit{project_, kAudit, 0};
  const auto entry = [&](std::string_view id) {
    std::vector<Insert> inserts;
    inserts.push_back({audit, json(fmt::format(R"({{"id":"{}"}})", id))});
    return inserts;
  };
  const CollectionInfo made = must(store().createCollection(project_, "posts", {}, entry("1")));
  CollectionRef posts{project_, made.number, made.version};
  must(store().alterCollection(posts, {.name = {}, .config = json("{}")}, entry("2")));
  posts = current(posts);
  ASSERT_TRUE(putAll(posts, {R"({"id":"a","n":1})", R"({"id":"b","n":1})"}));
  must(store().createIndex(posts, index({{"n", 1}}), entry("3")));
  posts = current(posts);
  EXPECT_FALSE(run(store().createIndex(posts, uniqueIndex({{"n", -1}}), entry("4"))));
  posts = current(posts);
  must(store().dropIndex(posts, "n_1", entry("5")));
  posts = current(posts);
  EXPECT_FALSE(run(store().createCollection(project_, "POSTS", {}, entry("6"))));
  EXPECT_FALSE(run(store().createCollection(project_, "more", {}, entry("1"))));
  EXPECT_EQ(must(store().collections(project_)).size(), 1u);
  must(store().dropCollection(posts, entry("7")));
  EXPECT_EQ(ids(audit, "{}"), "1 2 3 5 7");
}

TEST_P(StoreSuite, EpochsAscendWithTheCommitsThatBumpThem) {
  const ProjectNo other = must(store().allocateProject());
  const uint64_t mine = store().epoch(project_).value;
  const uint64_t others = store().epoch(other).value;
  WriteOptions options = writeOptions();
  options.bumpEpochs = {project_, kControlProject};
  const uint64_t control = store().epoch(kControlProject).value;
  must(testing::put(store(), {kControlProject, kThings, 0}, "t", json(R"({"id":"t"})"), options));
  EXPECT_EQ(store().epoch(project_).value, mine + 1);
  EXPECT_EQ(store().epoch(kControlProject).value, control + 1);
  EXPECT_EQ(store().epoch(other).value, others);
  EXPECT_EQ(store().epoch(4'000'000'000).value, 0u);
  engine().reopen();
  EXPECT_EQ(store().epoch(project_).value, mine + 1);
}

TEST_P(StoreSuite, SystemCollectionsAreFixed) {
  EXPECT_FALSE(run(store().dropCollection({project_, kThings, 0}, {})));
  EXPECT_FALSE(run(store().alterCollection({project_, kThings, 0}, {.name = "x", .config = {}}, {})));
  EXPECT_FALSE(run(store().createIndex({project_, kThings, 0}, index({{"x", 1}}), {})));
}

}  // namespace mb::store::suite
