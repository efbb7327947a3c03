// Tests of this engine only: its folder, its housekeeping, its system indexes.
#include "store/embedded/embedded_store.h"

#include "document/json.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/change_log.h"
#include "store/embedded/commit_queue.h"
#include "store/embedded/database.h"
#include "store/embedded/keys.h"
#include "store/embedded/log_trim.h"
#include "store/embedded/sweeper.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

doc::Document storeDocument(std::string_view text) {
  return doc::parseJson(text).value();
}

CollectionRef makeCollection(OpenedStore& opened, ProjectNo project, std::string name) {
  const CollectionInfo info = opened.must(opened.store().createCollection(project, std::move(name), {}, {}));
  return {project, info.number, info.version};
}

void put(OpenedStore& opened, CollectionRef collection, std::string id, const std::string& text) {
  opened.must(testing::put(opened.store(), collection, std::move(id), storeDocument(text)));
}

SystemCollection things(std::vector<IndexSpec> indexes) {
  return {7, "__things", std::move(indexes)};
}

IndexSpec on(std::string path, bool unique = false) {
  IndexSpec spec;
  spec.keys = {{std::move(path), 1}};
  spec.unique = unique;
  return spec;
}

}  // namespace

TEST(EmbeddedStoreTest, RefusesAFolderInUse) {
  OpenedStore opened;
  SystemClock clock;
  Cores cores(1);
  const auto second = EmbeddedStore::open(opened.path(), {}, cores, {}, clock);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message(), "the data directory is in use by another process");
}

TEST(EmbeddedStoreTest, RefusesANewerFormat) {
  TemporaryFolder folder;
  EmbeddedSettings settings;
  SystemClock clock;
  Cores cores(1);
  {
    auto database = Database::open(folder.path() / "store", settings, [](ProjectNo) { return 0; }).value();
    rocksdb::WriteBatch batch;
    std::string version;
    appendU32(version, kFormatVersion + 1);
    batch.Put(database->family(Family::system), row::plain(row::kFormat), version);
    database->write(batch);
  }
  const auto opened = EmbeddedStore::open(folder.path(), settings, cores, {}, clock);
  ASSERT_FALSE(opened);
  for (const std::string_view part : {"newer version", "format 4, this one reads up to 3", "restore a backup"}) {
    EXPECT_NE(opened.error().message().find(part), std::string::npos) << opened.error().message();
  }
}

TEST(EmbeddedStoreTest, SystemIndexesFollowTheirSpecs) {
  OpenedStore opened({things({on("a")})});
  const CollectionRef ref{kControlProject, 7, 0};
  for (int i = 0; i < 20; ++i)
    put(opened, ref, fmt::format("{}", i), fmt::format(R"({{"id":"{}","a":{},"b":[{},-1]}})", i, i % 4, i));
  const auto explainOf = [&](std::string_view filter) {
    Query query;
    query.collection = ref;
    query.filter = doc::Filter::parse(storeDocument(filter)).value();
    query.explain = true;
    return opened.must(opened.store().find(query)).explain.index;
  };
  EXPECT_EQ(explainOf(R"({"a":1})"), "a_1");
  EXPECT_EQ(explainOf(R"({"b":1})"), "");
  opened.setSystem({things({on("b")})});
  opened.reopen();
  EXPECT_EQ(explainOf(R"({"a":1})"), "");
  EXPECT_EQ(explainOf(R"({"b":{"$gt":1,"$lt":3}})"), "b_1");
  // Different elements of b may satisfy the two bounds, so the index alone must not decide.
  EXPECT_EQ(opened.must(
                opened.store().count(ref, doc::Filter::parse(storeDocument(R"({"b":{"$gt":1,"$lt":3}})")).value(), {})),
            18u);
  EXPECT_EQ(opened.store().check().problems, std::vector<std::string>());
  put(opened, ref, "x", R"({"id":"x","b":500})");
  opened.reopen();
  EXPECT_EQ(explainOf(R"({"b":500})"), "b_1");
  EXPECT_EQ(opened.store().check().problems, std::vector<std::string>());
}

TEST(EmbeddedStoreTest, AUniqueSystemIndexOverDuplicatesStopsTheStart) {
  OpenedStore opened({things({})});
  const CollectionRef ref{kControlProject, 7, 0};
  put(opened, ref, "1", R"({"id":"1","a":1})");
  put(opened, ref, "2", R"({"id":"2","a":1})");
  opened.setSystem({things({on("a", true)})});
  EXPECT_THROW(opened.reopen(), std::runtime_error);
  opened.setSystem({things({})});
  opened.reopen();
}

TEST(EmbeddedStoreTest, RemembersHowFarIdsWent) {
  OpenedStore opened;
  EXPECT_EQ(opened.store().idFloorMs(), 0);
  ManualClock clock(5'000'000);
  IdGenerator ids(clock);
  const std::string first = ids.next();
  opened.store().rememberIdsOf(ids);
  opened.must(opened.store().allocateProject());
  opened.reopen();
  EXPECT_GE(opened.store().idFloorMs(), 5'000'000);
  clock.set(1000);
  IdGenerator later(clock);
  later.startAbove(opened.store().idFloorMs());
  EXPECT_GT(later.next(), first);
}

TEST(EmbeddedStoreTest, KeepsTheOrderOfChangesWhenTheClockGoesBack) {
  const TemporaryFolder folder;
  Cores cores(1);
  cores.start();
  ManualClock clock(5'000'000);
  EmbeddedSettings settings;
  settings.minFreeDiskBytes = 0;
  for (const int64_t now : {5'000'000, 4'000'000, 1'000}) {
    clock.set(now);
    auto store = EmbeddedStore::open(folder.path(), settings, cores, {}, clock).value();
    if (now == 5'000'000) {
      testing::runOn(cores, 0, store->createCollection(kControlProject, "posts", {}, {})).value();
    }
    const CollectionInfo info = testing::runOn(cores, 0, store->collections(kControlProject)).value().front();
    const CollectionRef posts{kControlProject, info.number, info.version};
    const auto put = [&](std::string id) {
      testing::runOn(cores, 0, testing::put(*store, posts, id, idDocument(id))).value();
    };
    put(fmt::format("{}-a", now));
    clock.advance(-500);
    put(fmt::format("{}-b", now));
    EXPECT_EQ(store->check().problems, std::vector<std::string>()) << "at " << now;
    const ChangeBatch batch = testing::runOn(cores, 0, store->changes(kControlProject, 0, 100)).value();
    for (const ChangeEntry& entry : batch.entries) EXPECT_EQ(entry.at.ms, 5'000'000);
  }
  cores.stop();
  cores.join();
}

TEST(EmbeddedStoreTest, AnswersUnavailableOnceClosed) {
  OpenedStore opened;
  const ProjectNo project = opened.must(opened.store().allocateProject());
  const CollectionRef posts = makeCollection(opened, project, "posts");
  EXPECT_TRUE(opened.store().healthy());
  opened.store().close();
  EXPECT_FALSE(opened.store().healthy());
  const auto code = [](const auto& result) { return result ? ErrorCode::internal : result.error().code(); };
  EXPECT_EQ(code(testing::runOn(opened.cores(), 0, opened.store().get(posts, "a"))), ErrorCode::unavailable);
  EXPECT_EQ(code(testing::runOn(opened.cores(), 0, testing::put(opened.store(), posts, "a", {}))),
            ErrorCode::unavailable);
  EXPECT_EQ(code(testing::runOn(opened.cores(), 0, opened.store().allocateProject())), ErrorCode::unavailable);
}

TEST(EmbeddedStoreTest, RefusesWritesButNotRemovalsOnAFullDisk) {
  TemporaryFolder folder;
  SystemClock clock;
  Cores cores(1);
  cores.start();
  EmbeddedSettings settings;
  settings.minFreeDiskBytes = 0;
  CollectionRef posts;
  {
    auto store = EmbeddedStore::open(folder.path(), settings, cores, {}, clock).value();
    const auto info = testing::runOn(cores, 0, store->createCollection(kControlProject, "posts", {}, {})).value();
    posts = {kControlProject, info.number, info.version};
    EXPECT_TRUE(testing::runOn(cores, 0, testing::put(*store, posts, "a", idDocument("a"))));
  }
  settings.minFreeDiskBytes = INT64_MAX;
  auto store = EmbeddedStore::open(folder.path(), settings, cores, {}, clock).value();
  EXPECT_FALSE(store->healthy());
  const auto refused = testing::runOn(cores, 0, testing::put(*store, posts, "b", idDocument("b")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(testing::runOn(cores, 0, store->createCollection(kControlProject, "more", {}, {})));
  EXPECT_TRUE(testing::runOn(cores, 0, testing::remove(*store, posts, "a")));
}

TEST(EmbeddedStoreTest, CheckFindsWhatIsWrong) {
  OpenedStore opened;
  CollectionRef posts = makeCollection(opened, kControlProject, "posts");
  opened.must(opened.store().createIndex(posts, on("n"), {}));
  ++posts.version;
  for (int i = 0; i < 5; ++i) put(opened, posts, std::to_string(i), fmt::format(R"({{"id":"{}","n":{}}})", i, i));
  CheckReport report = opened.store().check();
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_EQ(report.documents, 5u);
  EXPECT_EQ(report.indexEntries, 5u);
  opened.store().close();
  {
    EmbeddedSettings settings;
    auto database = Database::open(opened.path() / "store", settings, [](ProjectNo) { return 0; }).value();
    rocksdb::WriteBatch batch;
    batch.Delete(database->family(Family::documents), documentKey(kControlProject, posts.number, "2"));
    std::string stray = rangePrefix(kControlProject, posts.number + 1) + "stray";
    std::string offset;
    appendU16(offset, 8);
    batch.Put(database->family(Family::indexes), stray, offset);
    batch.Delete(database->family(Family::log), logKey(kControlProject, 3));
    database->write(batch);
  }
  opened.reopen();
  report = opened.store().check();
  const auto reports = [&](std::string_view what) {
    return std::any_of(report.problems.begin(), report.problems.end(),
                       [&](const std::string& problem) { return problem.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(reports("5 documents"));
  EXPECT_TRUE(reports("document 2 does not have"));
  EXPECT_TRUE(reports("document stray does not have"));
  EXPECT_TRUE(reports("4 found where 3 was expected"));
}

TEST(SweeperTest, FreesWhatWasDroppedAndNothingBeside) {
  for (const int documents : {50, 12'000}) {
    TemporaryFolder folder;
    EmbeddedSettings settings;
    auto database = Database::open(folder.path() / "store", settings, [](ProjectNo) { return 0; }).value();
    rocksdb::WriteBatch batch;
    for (int i = 0; i < documents; ++i) {
      for (const ProjectNo project : {1u, 2u, 3u}) {
        batch.Put(database->family(Family::documents), documentKey(project, 1000, fmt::format("{:06}", i)), "x");
        batch.Put(database->family(Family::documents), documentKey(project, 1001, fmt::format("{:06}", i)), "x");
        batch.Put(database->family(Family::indexes), rangePrefix(project, 1002) + std::to_string(i), "x");
      }
    }
    batch.Put(database->family(Family::system), row::tombstone(1), "x");
    database->write(batch);
    const auto left = [&](Family family, const std::string& prefix) {
      int count = 0;
      const std::unique_ptr<rocksdb::Iterator> at(database->db().NewIterator({}, database->family(family)));
      for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) ++count;
      return count;
    };
    Sweeper sweeper(*database);
    const auto now = std::chrono::steady_clock::now();
    sweeper.add({1, 2, false, 1000, {1002}}, now);
    sweeper.add({2, 3, true, 0, {}}, now);
    sweeper.add({3, 1, true, 0, {}}, now + std::chrono::hours(1));
    sweeper.sweepDue([] { return true; });
    EXPECT_EQ(left(Family::documents, rangePrefix(2, 1000)), documents);
    sweeper.sweepDue([] { return false; });
    EXPECT_EQ(left(Family::documents, rangePrefix(2, 1000)), 0);
    EXPECT_EQ(left(Family::documents, rangePrefix(2, 1001)), documents);
    EXPECT_EQ(left(Family::indexes, rangePrefix(2, 1002)), 0);
    EXPECT_EQ(left(Family::documents, rangePrefix(3, 1000)) + left(Family::documents, rangePrefix(3, 1001)), 0);
    EXPECT_EQ(left(Family::indexes, rangePrefix(3, 1002)), 0);
    EXPECT_EQ(left(Family::documents, rangePrefix(1, 1000)), documents);
    EXPECT_EQ(left(Family::system, "T"), 0);
    EXPECT_FALSE(sweeper.idle());
  }
}

class LogTrimTest : public ::testing::Test {
 protected:
  // Entries of 100 logged bytes, one per second.
  void fill(ProjectNo project, uint64_t entries) {
    rocksdb::WriteBatch batch;
    for (uint64_t position = 1; position <= entries; ++position) {
      std::string value;
      appendU64(value, position * 1000);
      appendU64(value, position * 100);
      batch.Put(database_->family(Family::log), logKey(project, position), value);
    }
    std::string last;
    appendU64(last, entries);
    appendU64(last, entries * 100);
    appendU64(last, entries * 1000);
    batch.Put(database_->family(Family::system), row::of(row::kChangeLog, project), last);
    database_->write(batch);
  }
  std::vector<uint64_t> trim(EmbeddedSettings settings, int64_t nowMs, std::optional<uint64_t> neededOf3 = {}) {
    Catalogue catalogue;
    EXPECT_TRUE(catalogue.load(*database_, {{.number = kFollowers,
                                             .name = "__followers",
                                             .indexes = {},
                                             .logFloor = LogFloor{.project = "of", .position = "after"}}}));
    rocksdb::WriteBatch batch;
    for (const auto& [id, after] : {std::pair("a", neededOf3), std::pair("b", neededOf3.transform(later))}) {
      const std::string key = documentKey(kControlProject, kFollowers, id);
      if (after) {
        const auto document = doc::parseJson(fmt::format(R"({{"id":"{}","of":3,"after":{}}})", id, *after));
        batch.Put(database_->family(Family::documents), key, slice(document->bytes()));
      } else {
        batch.Delete(database_->family(Family::documents), key);
      }
    }
    database_->write(batch);
    LogTrimmer(*database_, catalogue, settings).run({nowMs});
    return {catalogue.lowWater(2), catalogue.lowWater(3)};
  }
  static constexpr CollectionNo kFollowers = 90;
  static uint64_t later(uint64_t position) { return position + 100; }
  TemporaryFolder folder_;
  std::unique_ptr<Database> database_ =
      Database::open(folder_.path() / "store", {}, [](ProjectNo) { return 0; }).value();
};

TEST_F(LogTrimTest, KeepsWhatTheSettingsSay) {
  fill(2, 1000);
  fill(3, 10'000);
  EmbeddedSettings settings;
  settings.changeLogHours = 1;
  EXPECT_EQ(trim(settings, 3'600'000), (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(trim(settings, 3'600'000 + 500'500), (std::vector<uint64_t>{500, 500}));
  settings.changeLogBytes = 900'000;
  EXPECT_EQ(trim(settings, 0), (std::vector<uint64_t>{500, 1000}));
  settings.changeLogTotalBytes = 200'000;
  EXPECT_EQ(trim(settings, 0), (std::vector<uint64_t>{500, 8499}));
  EXPECT_EQ(trim(EmbeddedSettings(), INT64_MAX / 2), (std::vector<uint64_t>{1000, 10'000}));
}

TEST_F(LogTrimTest, KeepsWhatDocumentsAskFor) {
  fill(2, 1000);
  fill(3, 10'000);
  EmbeddedSettings settings;
  settings.changeLogBytes = 10'000;
  EXPECT_EQ(trim(settings, 0, 0), (std::vector<uint64_t>{900, 0}));
  EXPECT_EQ(trim(settings, 0, 4'000), (std::vector<uint64_t>{900, 4'000}));
  EXPECT_EQ(trim(settings, INT64_MAX / 2, 4'500), (std::vector<uint64_t>{1000, 4'500}));
  EXPECT_EQ(trim(settings, 0, 20'000), (std::vector<uint64_t>{1000, 9'900}));
  EXPECT_EQ(trim(settings, INT64_MAX / 2), (std::vector<uint64_t>{1000, 10'000}));
}

// A lookup of a key between two keys of a newer file searches that file too, at the end of a block; one in a hundred
// passes the file's filter. A read from memory must not take such a key for found.
TEST(EmbeddedStoreTest, ReadsManyOfWhichSomeAreInMemory) {
  OpenedStore opened;
  const ProjectNo project = opened.must(opened.store().allocateProject());
  const CollectionRef pages = makeCollection(opened, project, "pages");
  constexpr size_t kPages = 2000;
  constexpr size_t kTogether = 100;
  const auto idsOf = [](size_t begin, std::string_view end) {
    std::vector<std::string> ids;
    for (size_t n = begin; n < begin + kTogether; ++n) ids.push_back(fmt::format("p{:05}{}", 2 * n, end));
    return ids;
  };
  const auto documentOf = [](const std::string& id) {
    return storeDocument(fmt::format(R"({{"id": "{}", "text": "{}"}})", id, std::string(5000, 'x')));
  };
  for (const std::string_view end : {"m", ""}) {
    for (size_t begin = 0; begin < kPages; begin += kTogether) {
      const std::vector<std::string> ids = idsOf(begin, end);
      std::vector<doc::Document> documents;
      for (const std::string& id : ids) documents.push_back(documentOf(id));
      opened.must(testing::putAll(opened.store(), pages, std::move(documents)));
    }
    opened.reopen();
  }
  // Nothing is in memory.
  const ReadOptions late{std::chrono::steady_clock::now()};
  const auto one = testing::runOn(opened.cores(), 0, opened.store().get(pages, idsOf(0, "m").front(), late));
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code(), ErrorCode::unavailable);
  const auto many = testing::runOn(opened.cores(), 0, opened.store().getMany(pages, idsOf(0, "m"), nullptr, late));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code(), ErrorCode::unavailable);
  for (size_t begin = 0; begin < kPages; begin += kTogether) {
    std::vector<std::string> ids = idsOf(begin, "m");
    // In memory, and the first key of the lookup.
    ids.push_back(fmt::format("a{}", begin));
    put(opened, pages, ids.back(), "{}");
    const auto found = opened.must(opened.store().getMany(pages, ids));
    ASSERT_EQ(found.size(), ids.size());
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      ASSERT_TRUE(found[i]) << ids[i];
      ASSERT_EQ(found[i]->bytes(), documentOf(ids[i]).bytes()) << ids[i];
    }
  }
}

}  // namespace mb::store::embedded
