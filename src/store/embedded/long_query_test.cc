// Queries that outlive their iterators: minimal slices renew them constantly, while the data changes.
#include <set>
#include <thread>

#include "document/json.h"
#include "store/embedded/scan_pool.h"
#include "store/embedded/slow_queries.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

constexpr int kDocuments = 3000;

doc::Document longDocument(std::string_view text) {
  return doc::parseJson(text).value();
}

EmbeddedSettings shortSlices() {
  EmbeddedSettings settings;
  settings.scanSliceMs = 0;
  // With data in files, almost nothing of it is in memory.
  settings.blockCacheBytes = 64 << 10;
  settings.documentCacheBytes = 64;
  return settings;
}

class LongQueryTest : public ::testing::Test {
 protected:
  LongQueryTest() : opened_({}, shortSlices()) {
    const ProjectNo project = opened_.must(opened_.store().allocateProject());
    const CollectionInfo info = opened_.must(opened_.store().createCollection(project, "rows", {}, {}));
    rows_ = {project, info.number, info.version};
    for (int i = 0; i < kDocuments; i += 100) putRows(i, i + 100);
  }

  // Rows with n, and third = row number modulo 3.
  void putRows(int from, int to) {
    std::vector<doc::Document> rows;
    for (int i = from; i < to; ++i) {
      rows.push_back(longDocument(fmt::format(R"({{"id":"{:05}","n":{},"third":{}}})", i, i, i % 3)));
    }
    opened_.must(testing::putAll(opened_.store(), rows_, std::move(rows)));
  }
  void addIndex(std::vector<IndexKey> keys) {
    IndexSpec spec;
    spec.keys = std::move(keys);
    opened_.must(opened_.store().createIndex(rows_, std::move(spec), {}));
    rows_.version = opened_.must(opened_.store().collections(rows_.project)).front().version;
  }
  Query query(std::string_view filter, std::vector<SortKey> sort = {}) {
    Query query;
    query.collection = rows_;
    query.filter = doc::Filter::parse(longDocument(filter)).value();
    query.sort = std::move(sort);
    query.limit = 10'000;
    query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    query.explain = true;
    return query;
  }
  std::vector<std::string> idsOf(const QueryResult& found) {
    std::vector<std::string> ids;
    for (const doc::Document& document : found.documents) ids.emplace_back(document.view().stringOr("id"));
    return ids;
  }

  void expectEveryReading();

  OpenedStore opened_;
  CollectionRef rows_;
};

void LongQueryTest::expectEveryReading() {
  struct Case {
    const char* filter;
    std::vector<SortKey> sort;
    const char* index;
    int count;
    int first;
    int last;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"none":{"$exists":false}})", {}, "", 3000, 0, 2999},
           {R"({"none":{"$exists":false}})", {{"id", -1}}, "", 3000, 2999, 0},
           {R"({"n":{"$gte":0}})", {{"n", 1}}, "n_1", 3000, 0, 2999},
           {R"({"n":{"$gte":0}})", {{"n", -1}}, "n_1", 3000, 2999, 0},
           {R"({"n":{"$gte":100}})", {}, "n_1", 2900, 100, 2999},
           {R"({"third":2})", {}, "third_1", 1000, 2, 2999},
           {R"({"third":{"$in":[0,2]}})", {}, "third_1", 2000, 0, 2999},
           {R"({"third":{"$gte":0}})", {{"third", -1}}, "third_1", 3000, 2, 2997},
           {R"({"third":{"$gte":0}})", {{"third", -1}, {"n", -1}}, "third_1", 3000, 2999, 0},
           {R"({"$or":[{"third":1},{"n":{"$lt":1500}}]})", {}, "third_1, n_1", 2000, 0, 2998},
       }) {
    const QueryResult found = opened_.must(opened_.store().find(query(c.filter, c.sort)));
    const std::vector<std::string> ids = idsOf(found);
    EXPECT_EQ(found.explain.index, c.index) << c.filter;
    ASSERT_EQ(ids.size(), static_cast<size_t>(c.count)) << c.filter;
    EXPECT_EQ(ids.front(), fmt::format("{:05}", c.first)) << c.filter;
    EXPECT_EQ(ids.back(), fmt::format("{:05}", c.last)) << c.filter;
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << c.filter;
    EXPECT_EQ(opened_.must(opened_.store().count(rows_, query(c.filter).filter, query(c.filter).deadline)),
              static_cast<uint64_t>(c.count));
  }
}

Async<void> stoppedScan(ScanPool& pool, ScanPool::Slice slice, std::atomic<int>& answers) {
  const bool through = co_await pool.run(7, std::move(slice));
  EXPECT_FALSE(through);
  ++answers;
}

}  // namespace

TEST_F(LongQueryTest, GoesOnWhereItWasWhateverTheReading) {
  addIndex({{"n", 1}});
  addIndex({{"third", 1}});
  expectEveryReading();
  opened_.reopen();
  expectEveryReading();
}

TEST_F(LongQueryTest, AShortListGoesToTheDiskForItsDocuments) {
  addIndex({{"third", 1}});
  opened_.reopen();
  for (int skip = 0; skip < 900; skip += 37) {
    Query asked = query(R"({"third":1})");
    asked.skip = static_cast<uint64_t>(skip);
    asked.limit = 3;
    const auto ids = idsOf(opened_.must(opened_.store().find(std::move(asked))));
    const std::vector<std::string> expected = {fmt::format("{:05}", skip * 3 + 1), fmt::format("{:05}", skip * 3 + 4),
                                               fmt::format("{:05}", skip * 3 + 7)};
    EXPECT_EQ(ids, expected);
  }
}

TEST_F(LongQueryTest, FindsWhatStaysWhileOtherThingsChange) {
  addIndex({{"n", 1}});
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    // Rows that match nothing are added and removed, one of them with several values in n; an index is created and
    // dropped.
    for (int round = 0; !stop; ++round) {
      std::vector<doc::Document> rows;
      for (int i = 0; i < 20; ++i) {
        const std::string id = fmt::format("{:05}x", (round * 37 + i * 149) % kDocuments);
        rows.push_back(longDocument(fmt::format(R"({{"id":"{}","n":[-1,-{}]}})", id, round + 2)));
      }
      static_cast<void>(testing::runOn(opened_.cores(), 1, testing::putAll(opened_.store(), rows_, std::move(rows))));
    }
  });
  for (int round = 0; round < 10; ++round) {
    for (const char* filter : {R"({"n":{"$gte":0}})", R"({"none":{"$exists":false},"n":{"$gte":0}})"}) {
      const auto ids = idsOf(opened_.must(opened_.store().find(query(filter))));
      EXPECT_EQ(ids.size(), static_cast<size_t>(kDocuments)) << filter;
      EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << filter;
    }
    const auto down = idsOf(opened_.must(opened_.store().find(query(R"({"n":{"$gte":0}})", {{"n", -1}}))));
    EXPECT_EQ(down.size(), static_cast<size_t>(kDocuments));
  }
  stop = true;
  writer.join();
}

TEST_F(LongQueryTest, SurvivesItsIndexBeingDropped) {
  for (int round = 0; round < 5; ++round) {
    addIndex({{"n", 1}});
    std::thread dropper(
        [&] { static_cast<void>(testing::runOn(opened_.cores(), 1, opened_.store().dropIndex(rows_, "n_1", {}))); });
    const auto ids = idsOf(opened_.must(opened_.store().find(query(R"({"n":{"$gte":0}})"))));
    EXPECT_EQ(ids.size(), static_cast<size_t>(kDocuments));
    dropper.join();
    rows_.version = opened_.must(opened_.store().collections(rows_.project)).front().version;
  }
}

TEST_F(LongQueryTest, ClosingEndsThem) {
  std::vector<std::thread> readers;
  std::atomic<int> running{0};
  std::atomic<int> ended{0};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      ++running;
      while (true) {
        const auto found = testing::runOn(opened_.cores(), i % 2, opened_.store().find(query(R"({"none":1})")));
        if (found) continue;
        EXPECT_EQ(found.error().code(), ErrorCode::unavailable);
        ++ended;
        return;
      }
    });
  }
  while (running < 4) std::this_thread::yield();
  opened_.store().close();
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(ended, 4);
}

TEST(ScanPoolTest, StopEndsTheSliceUnderWayAndWhatWaits) {
  Cores cores(1);
  cores.start();
  ScanPool pool(1, 8, std::chrono::hours(1));
  std::atomic<bool> inside{false};
  std::atomic<int> answers{0};
  const auto endless = [&](const std::function<bool()>& expired) {
    inside = true;
    while (!expired()) std::this_thread::yield();
    return false;
  };
  for (int i = 0; i < 3; ++i) {
    asio::co_spawn(cores.at(0).get_executor(), stoppedScan(pool, endless, answers), asio::detached);
  }
  while (!inside) std::this_thread::yield();
  pool.stop();
  while (answers < 3) std::this_thread::yield();
  cores.stop();
  cores.join();
}

TEST(SlowQueriesTest, TheShapeHoldsPathsAndOperatorsButNoValue) {
  struct Case {
    const char* filter;
    const char* shape;
  };
  for (const Case& c : std::vector<Case>{
           {"{}", ""},
           {R"({"ownerId":"secret"})", "ownerId $eq"},
           {R"({"n":{"$gte":41,"$lt":42},"s":{"$regex":"^secret"}})", "n $gte, n $lt, s $regex"},
           {R"({"$or":[{"a":1,"b":2},{"c":{"$in":["x","y"]}}],"d":{"$not":{"$gt":5}}})",
            "$or(a $eq, b $eq | c $in), d $not(d $gt)"},
           {R"({"items":{"$elemMatch":{"sku":"secret"}}})", "items $elemMatch(sku $eq)"},
       }) {
    EXPECT_EQ(shapeOf(doc::Filter::parse(longDocument(c.filter)).value()), c.shape) << c.filter;
  }
  std::string many = "{";
  for (int i = 0; i < 90; ++i) many += fmt::format(R"({}"a.rather.long.path.{}":1)", i > 0 ? "," : "", i);
  EXPECT_LT(shapeOf(doc::Filter::parse(longDocument(many + "}")).value()).size(), 520u);
}

TEST(SlowQueriesTest, LogsWhatIsSlowWithoutValuesAndNotTooOften) {
  SlowQueries slow(std::chrono::milliseconds(50));
  Query query;
  query.collection = {12, 1007, 3};
  query.filter = doc::Filter::parse(longDocument(R"({"name":"hush","n":{"$gt":4711}})")).value();
  query.sort = {{"n", -1}};
  Explain explain;
  explain.index = "name_1";
  explain.keysExamined = 88;
  ::testing::internal::CaptureStderr();
  slow.record(query, explain, std::chrono::milliseconds(49), "find");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");

  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) slow.record(query, explain, std::chrono::milliseconds(50 + i), "find");
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 20);
  for (const char* part : {"slow query", "name $eq, n $gt", "n -1", "name_1", "88", "12", "1007", "50"}) {
    EXPECT_NE(lines.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(lines.find("hush"), std::string::npos);
  EXPECT_EQ(lines.find("4711"), std::string::npos);

  ::testing::internal::CaptureStderr();
  SlowQueries off(std::chrono::milliseconds(0));
  off.record(query, explain, std::chrono::hours(1), "find");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace mb::store::embedded
