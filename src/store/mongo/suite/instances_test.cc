// Several instances on one server: what each learns of the others' commits, and what becomes of commits whose outcome
// is lost.
#include <boost/asio/co_spawn.hpp>
#include <latch>
#include <thread>

#include "document/fields.h"
#include "document/json.h"
#include "store/mongo/connection.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/sessions.h"
#include "store/mongo/suite/cut_proxy.h"
#include "store/mongo/suite/test_server.h"
#include "store/mongo/uri.h"
#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store {

namespace {

using namespace std::chrono_literals;
using suite::json;

class InstancesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cores_.start();
    a_ = open(uriOfServer());
    b_ = open(uriOfServer());
    project_ = must(a_->allocateProject());
    collection_ = refOf(must(a_->createCollection(project_, "books", json("{}"), {})));
  }
  void TearDown() override {
    a_.reset();
    b_.reset();
    cores_.stop();
    cores_.join();
    dropDatabases(prefix_);
  }

  std::unique_ptr<MongoStore> open(const std::string& address, MongoSettings settings = {}) {
    const auto uri = parseMongoUri(address);
    if (!uri) throw std::runtime_error(uri.error().message());
    settings.uri = uri->uri;
    settings.prefix = prefix_;
    settings.threads = 8;
    auto opened = MongoStore::open(std::move(settings), suite::systemCollections(), clock_);
    if (!opened) throw std::runtime_error(opened.error().message() + " " + opened.error().cause());
    return *std::move(opened);
  }
  // The second instance, which reaches the server through the proxy.
  void openThrough(const CutProxy& proxy) {
    b_.reset();
    b_ = open(uriThrough(proxy.port()));
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return testing::runOn(cores_, 0, std::move(task));
  }
  template <class T>
  T must(Task<T> task) {
    auto result = run(std::move(task));
    if (!result) throw std::runtime_error(result.error().message() + " " + result.error().cause());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }
  CollectionRef refOf(const CollectionInfo& info) const { return {project_, info.number, info.version}; }

  static bool within(std::chrono::seconds time, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }
  int64_t numberAt(MongoStore& store, const std::string& id) {
    const auto found = must(store.get(collection_, id, {}));
    return found ? doc::integerOr(found->view(), "n") : -1;
  }
  // Adds one to the number in a document.
  Task<> increment(MongoStore& store, std::string id, int times) {
    for (int i = 0; i < times; ++i) {
      Write write(suite::writeOptions());
      const Target counter = write.change(collection_, id);
      CO_RETURN_IF_ERROR(
          co_await store.write(std::move(write), [id, counter](const PreImages& before, Changes& changes) -> Result<> {
            const int64_t n = before[counter] ? doc::integerOr(before[counter]->view(), "n") : 0;
            changes.put(counter, json(fmt::format(R"({{"id":"{}","n":{}}})", id, n + 1)));
            return {};
          }));
    }
    co_return Result<>();
  }
  std::vector<ChangeEntry> changesSince(MongoStore& store, uint64_t position) {
    std::vector<ChangeEntry> all;
    while (true) {
      ChangeBatch batch = must(store.changes(project_, position, kMaxChanges));
      if (batch.entries.empty()) return all;
      position = batch.through;
      for (ChangeEntry& each : batch.entries) all.push_back(std::move(each));
    }
  }

  // Makes an index that is not ready, as a crash leaves it between the two commits of the catalogue. `by`: the instance
  // that builds it, as registered.
  IndexInfo makeUnreadyIndex(const std::string& by) {
    must(testing::put(*a_, collection_, "d", json(R"({"id":"d","slug":"x"})"), suite::writeOptions()));
    IndexInfo made = must(a_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
    collection_ = refOf(must(a_->collections(project_)).front());
    mongo::Connection connection(uriOfServer());
    if (!by.empty()) {
      const std::string row = fmt::format(R"({{"insert":"builds","documents":[{{"p":{},"c":{},"i":{},"by":"{}"}}]}})",
                                          project_, collection_.number, made.number, by);
      if (!connection.run(prefix_, doc::parseJson(row)->view())) throw std::runtime_error("no row");
    }
    doc::BsonWriter drop;
    drop.appendString("dropIndexes", fmt::format("c{}", collection_.number));
    drop.appendString("index", fmt::format("i{}", made.number));
    EXPECT_TRUE(connection.run(fmt::format("{}_p{}", prefix_, project_), drop.finish()));
    EXPECT_TRUE(connection.run(
        prefix_, doc::parseJson(R"({"update":"catalogue","updates":[{"q":{},"u":{"$set":{"indexes.0.ready":false}}}]})")
                     ->view()));
    EXPECT_TRUE(connection.run(
        prefix_,
        doc::parseJson(R"({"update":"heads","updates":[{"q":{},"u":{"$inc":{"cat":1}},"multi":true}]})")->view()));
    return made;
  }
  std::string onServer();
  bool isReady(MongoStore& store) { return must(store.collections(project_)).front().indexes.front().ready; }

  SystemClock clock_;
  Cores cores_{2};
  const std::string prefix_ = newPrefix();
  ProjectNo project_ = 0;
  CollectionRef collection_;
  std::unique_ptr<MongoStore> a_;
  std::unique_ptr<MongoStore> b_;
};

TEST_F(InstancesTest, EpochsReachTheOther) {
  ASSERT_TRUE(within(5s, [&] { return b_->epoch(project_).value == a_->epoch(project_).value; }));
  EXPECT_TRUE(b_->epoch(project_).fresh);
  WriteOptions options = suite::writeOptions();
  options.bumpEpochs = {project_, kControlProject};
  const uint64_t control = a_->epoch(kControlProject).value;
  must(testing::put(*a_, {project_, suite::kThings, 0}, "x", json(R"({"id":"x"})"), options));
  EXPECT_GT(a_->epoch(kControlProject).value, control);
  for (const ProjectNo project : {project_, kControlProject}) {
    EXPECT_TRUE(within(5s, [&] { return b_->epoch(project).value == a_->epoch(project).value; })) << project;
    EXPECT_EQ(must(b_->epochNow(project)), a_->epoch(project).value);
  }
}

TEST_F(InstancesTest, NoticesAndMarksReachTheOtherOnce) {
  std::array<std::atomic<int>, 2> heard{};
  const auto listenTo = [](MongoStore& store, std::atomic<int>& count) {
    return store.notices().add([&count](const Notice& notice) {
      if (notice.key == std::string("session\0one", 11)) ++count;
    });
  };
  const auto first = listenTo(*a_, heard[0]);
  const auto second = listenTo(*b_, heard[1]);
  const doc::Document owned = json(R"({"owner":"ada"})");
  const Mark mark = b_->mark(project_, suite::kMeasured, "owner", *owned.view().find("owner"));
  WriteOptions options = suite::writeOptions();
  options.notices = {{project_, NoticeKind::sessionEnded, std::string("session\0one", 11)}};
  must(testing::put(*a_, {project_, suite::kMeasured, 0}, "m", json(R"({"id":"m","owner":"ada","size":1})"), options));
  EXPECT_EQ(heard[0], 1);
  EXPECT_TRUE(within(5s, [&] { return heard[1] == 1 && mark.changed(); }));
  // A later commit comes after all of it.
  must(testing::put(*a_, collection_, "d", json(R"({"id":"d"})"), suite::writeOptions()));
  ASSERT_TRUE(within(5s, [&] { return b_->lastPosition(project_) == a_->lastPosition(project_); }));
  EXPECT_EQ(heard[0], 1);
  EXPECT_EQ(heard[1], 1);
}

TEST_F(InstancesTest, MarksOfDocumentsChangeWithTheOther) {
  must(b_->markPath(project_, collection_.number, "owner"));
  const doc::Document owned = json(R"({"owner":"ada"})");
  const Mark mark = b_->mark(project_, collection_.number, "owner", *owned.view().find("owner"));
  must(testing::put(*a_, collection_, "d", json(R"({"id":"d","owner":"ada"})"), suite::writeOptions()));
  EXPECT_TRUE(within(5s, [&] { return mark.changed(); }));
}

TEST_F(InstancesTest, FeedsOfBothHaveAllChangesInOneOrder) {
  std::atomic<uint64_t> heard{0};
  const auto listener = b_->listen([&](ProjectNo project, uint64_t position) {
    if (project == project_) heard = std::max<uint64_t>(heard, position);
  });
  constexpr int kWriters = 8;
  constexpr int kTimes = 40;
  std::latch left(kWriters);
  for (int i = 0; i < kWriters; ++i) {
    MongoStore& store = i % 2 == 0 ? *a_ : *b_;
    asio::co_spawn(cores_.at(i / 2 % 2).get_executor(), increment(store, i < 4 ? "shared" : "other", kTimes),
                   [&left](std::exception_ptr exception, Result<> result) {
                     EXPECT_FALSE(exception);
                     EXPECT_TRUE(result) << (result ? "" : result.error().message());
                     left.count_down();
                   });
  }
  left.wait();
  EXPECT_EQ(numberAt(*a_, "shared"), 4 * kTimes);
  EXPECT_EQ(numberAt(*b_, "other"), 4 * kTimes);
  EXPECT_EQ(must(b_->frontier(project_)), kWriters * kTimes);
  const std::vector<ChangeEntry> changes = changesSince(*a_, 0);
  ASSERT_EQ(changes.size(), kWriters * kTimes);
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].position, i + 1);
    EXPECT_EQ(doc::integerOr(changes[i].after->view(), "n"), ++numbers[changes[i].id]);
  }
  EXPECT_EQ(changesSince(*b_, 0).size(), changes.size());
  EXPECT_TRUE(within(5s, [&] { return heard == changes.size(); }));
}

TEST_F(InstancesTest, ACatalogueThatTheOtherChangedIsUsed) {
  must(testing::put(*b_, collection_, "d", json(R"({"id":"d"})"), suite::writeOptions()));
  Alteration renamed;
  renamed.name = "volumes";
  const CollectionRef now = refOf(must(a_->alterCollection(collection_, std::move(renamed), {})));
  const auto refused = run(testing::put(*b_, collection_, "e", json(R"({"id":"e"})"), suite::writeOptions()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::staleCatalogue);
  must(testing::put(*b_, now, "e", json(R"({"id":"e"})"), suite::writeOptions()));
  EXPECT_EQ(must(b_->collections(project_)).front().name, "volumes");
}

TEST_F(InstancesTest, ALogIsTrimmedToItsSizeAndTheOtherLearnsOfIt) {
  const std::string text(1000, 'x');
  for (int i = 0; i < 60; ++i) {
    must(testing::put(*b_, collection_, fmt::format("d{}", i),
                      json(fmt::format(R"({{"id":"d{}","text":"{}"}})", i, text)), suite::writeOptions()));
  }
  EXPECT_EQ(changesSince(*b_, 0).size(), 60U);
  const auto trimming = open(uriOfServer(), {.logLimits = {.bytes = 20'000}, .housekeeping = 100ms});
  uint64_t lost = 0;
  ASSERT_TRUE(within(20s, [&] {
    lost = must(b_->changes(project_, 0, 1)).lostUpTo;
    return lost > 0;
  }));
  EXPECT_GT(lost, 35U);
  EXPECT_LT(lost, 50U);
  const std::vector<ChangeEntry> kept = changesSince(*b_, 0);
  ASSERT_EQ(kept.size(), 60 - lost);
  EXPECT_EQ(kept.front().position, lost + 1);
  EXPECT_EQ(kept.back().position, 60U);
  EXPECT_EQ(must(a_->changes(project_, lost, 1)).lostUpTo, 0U);
  // What comes later is kept by the same limit.
  must(testing::put(*a_, collection_, "last", json(R"({"id":"last"})"), suite::writeOptions()));
  EXPECT_EQ(changesSince(*b_, 60).size(), 1U);
}

TEST_F(InstancesTest, ABuildWhoseInstanceEndedIsContinued) {
  const IndexInfo made = makeUnreadyIndex({});
  EXPECT_FALSE(isReady(*a_));
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  ASSERT_TRUE(within(20s, [&] { return isReady(*a_); }));
  collection_ = refOf(must(a_->collections(project_)).front());
  const auto refused =
      run(testing::put(*b_, collection_, "e", json(R"({"id":"e","slug":"x"})"), suite::writeOptions()));
  EXPECT_EQ(suite::refusingIndex(refused), made.spec.name);
}

// It lost the database between the two commits of the catalogue.
TEST_F(InstancesTest, ABuildOfItsOwnThatRunsNoMoreIsContinued) {
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  makeUnreadyIndex(keeping->peers()->self());
  ASSERT_TRUE(within(20s, [&] { return isReady(*a_); }));
}

TEST_F(InstancesTest, ASecondIndexOfTheSameFieldsIsRefused) {
  must(a_->createIndex(collection_, suite::index({{"n", 1}}), {}));
  collection_ = refOf(must(a_->collections(project_)).front());
  IndexSpec again = suite::index({{"n", 1}});
  again.name = "again";
  const auto refused = run(a_->createIndex(collection_, again, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  EXPECT_EQ(must(a_->collections(project_)).front().indexes.size(), 1U);
}

// The server's names of the indexes of the collection, but for that of `_id`, and the number of drops that wait.
std::string InstancesTest::onServer() {
  mongo::Connection connection(uriOfServer());
  std::string all;
  const auto list = doc::parseJson(fmt::format(R"({{"listIndexes":"c{}"}})", collection_.number));
  if (const auto reply = connection.run(fmt::format("{}_p{}", prefix_, project_), list->view())) {
    for (const doc::DocumentView each : mongo::batchOf(*reply).documents) {
      if (each.stringOr("name") != "_id_") all += std::string(each.stringOr("name")) + " ";
    }
  }
  const auto drops = connection.run(prefix_, doc::parseJson(R"({"find":"drops"})")->view());
  return all + std::to_string(drops ? mongo::batchOf(*drops).documents.size() : 0);
}

TEST_F(InstancesTest, ADropThatTheServerDidNotGetIsRepeated) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  const IndexInfo made = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  collection_ = refOf(must(b_->collections(project_)).front());
  proxy.lose(CutProxy::Loses::indexDrops);
  must(b_->dropIndex(collection_, made.spec.name, {}));
  EXPECT_GT(proxy.lost(), 0);
  EXPECT_EQ(onServer(), fmt::format("i{} 1", made.number));
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  EXPECT_TRUE(within(20s, [&] { return onServer() == "0"; })) << onServer();
}

// Else the server would keep the second one out by the first.
TEST_F(InstancesTest, AnIndexOfTheSameFieldsFollowsOneThatIsStillOnTheServer) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  const IndexInfo first = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  collection_ = refOf(must(b_->collections(project_)).front());
  proxy.lose(CutProxy::Loses::indexDrops);
  must(b_->dropIndex(collection_, first.spec.name, {}));
  proxy.lose(CutProxy::Loses::nothing);
  collection_ = refOf(must(b_->collections(project_)).front());
  const IndexInfo second = must(b_->createIndex(collection_, suite::index({{"slug", 1}, {"id", 1}}), {}));
  EXPECT_EQ(onServer(), fmt::format("i{} i{} 1", first.number, second.number));
  collection_ = refOf(must(b_->collections(project_)).front());
  const IndexInfo third = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  EXPECT_EQ(onServer(), fmt::format("i{} i{} 0", second.number, third.number));
}

TEST_F(InstancesTest, WhatIsDroppedLeavesTheServer) {
  const IndexInfo made = must(a_->createIndex(collection_, suite::index({{"n", 1}}), {}));
  collection_ = refOf(must(a_->collections(project_)).front());
  EXPECT_EQ(onServer(), fmt::format("i{} 0", made.number));
  must(a_->dropIndex(collection_, made.spec.name, {}));
  EXPECT_EQ(onServer(), "0");
  collection_ = refOf(must(a_->collections(project_)).front());
  must(a_->dropCollection(collection_, {}));
  mongo::Connection connection(uriOfServer());
  const auto names = [&] {
    const auto reply =
        connection.run(fmt::format("{}_p{}", prefix_, project_), doc::parseJson(R"({"listCollections":1})")->view());
    return reply ? mongo::batchOf(*reply).documents.size() : 0;
  };
  EXPECT_EQ(names(), 0U);
  must(a_->createCollection(project_, "others", json("{}"), {}));
  EXPECT_EQ(names(), 1U);
  must(a_->dropProject(project_));
  EXPECT_TRUE(within(20s, [&] { return names() == 0 && onServer() == "0"; }));
}

TEST_F(InstancesTest, AStartEndsTheTransactionsOfAKilledInstance) {
  must(testing::put(*a_, collection_, "d", json(R"({"id":"d"})"), suite::writeOptions()));
  const mongo::Names names(prefix_);
  const auto note = [&](mongo::Connection& connection, doc::DocumentView session) {
    return mongo::noteSession(connection, names, "killed", session);
  };
  mongo::Connection killed(uriOfServer(), note);
  ASSERT_TRUE(killed.begin());
  const auto written = killed.inTransaction(
      prefix_, doc::parseJson(R"({"update":"counts","updates":[{"q":{},"u":{"$inc":{"n":1}},"multi":true}]})")->view());
  ASSERT_TRUE(written) << written.error().message;
  WriteOptions options = suite::writeOptions();
  options.deadline = std::chrono::steady_clock::now() + 1s;
  EXPECT_FALSE(run(testing::put(*a_, collection_, "e", json(R"({"id":"e"})"), options)));
  const auto started = open(uriOfServer());
  EXPECT_TRUE(run(testing::put(*started, collection_, "e", json(R"({"id":"e"})"), suite::writeOptions())));
  EXPECT_TRUE(run(testing::put(*a_, collection_, "f", json(R"({"id":"f"})"), suite::writeOptions())));
  EXPECT_EQ(must(a_->stats(collection_)).documents, 3U);
}

TEST_F(InstancesTest, OthersEndTheTransactionsOfAKilledInstance) {
  must(testing::put(*a_, collection_, "d", json(R"({"id":"d"})"), suite::writeOptions()));
  const mongo::Names names(prefix_);
  const auto note = [&](mongo::Connection& connection, doc::DocumentView session) {
    return mongo::noteSession(connection, names, "killed", session);
  };
  mongo::Connection killed(uriOfServer(), note);
  const auto beat = R"({"insert":"beats","documents":[{"_id":"killed","n":1}]})";
  ASSERT_TRUE(killed.run(prefix_, doc::parseJson(beat)->view()));
  ASSERT_TRUE(killed.begin());
  const auto written = killed.inTransaction(
      prefix_, doc::parseJson(R"({"update":"counts","updates":[{"q":{},"u":{"$inc":{"n":1}},"multi":true}]})")->view());
  ASSERT_TRUE(written) << written.error().message;
  // The server itself would end it after a minute.
  EXPECT_TRUE(within(30s, [&] {
    WriteOptions options = suite::writeOptions();
    options.deadline = std::chrono::steady_clock::now() + 1s;
    return run(testing::put(*a_, collection_, "e", json(R"({"id":"e"})"), options)).has_value();
  }));
  EXPECT_EQ(must(a_->stats(collection_)).documents, 2U);
}

TEST_F(InstancesTest, AWriteMovesTheHeadOfAProjectThatOthersWrite) {
  std::atomic<int> writers{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (run(increment(*a_, fmt::format("d{}", i), 1))) ++writers;
      }
    });
  }
  ASSERT_TRUE(within(20s, [&] { return writers > 20; }));
  WriteOptions options = suite::writeOptions();
  options.bumpEpochs = {project_};
  for (int i = 0; i < 10; ++i) {
    for (MongoStore* store : {a_.get(), b_.get()}) {
      const uint64_t before = must(store->epochNow(project_));
      must(testing::put(*store, {kControlProject, suite::kThings, 0}, "x", json(R"({"id":"x"})"), options));
      EXPECT_GT(store->epoch(project_).value, before);
    }
  }
}

TEST_F(InstancesTest, WhoIsCutOffTrustsNothingThatItKnows) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  EXPECT_TRUE(b_->epoch(project_).fresh);
  proxy.lose(CutProxy::Loses::everything);
  ASSERT_TRUE(within(5s, [&] { return !b_->epoch(project_).fresh; }));
  EXPECT_FALSE(b_->healthy());
  WriteOptions options = suite::writeOptions();
  options.bumpEpochs = {project_};
  options.notices = {{project_, NoticeKind::sessionEnded, "s"}};
  std::atomic<int> heard{0};
  const auto listener = b_->notices().add([&](const Notice&) { ++heard; });
  must(testing::put(*a_, {project_, suite::kThings, 0}, "x", json(R"({"id":"x"})"), options));
  const auto unknown = run(b_->epochNow(project_));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::unavailable);
  proxy.lose(CutProxy::Loses::nothing);
  ASSERT_TRUE(within(20s, [&] { return b_->epoch(project_).fresh; }));
  EXPECT_EQ(b_->epoch(project_).value, a_->epoch(project_).value);
  EXPECT_TRUE(within(5s, [&] { return heard > 0; }));
  EXPECT_TRUE(b_->healthy());
}

TEST_F(InstancesTest, ACommitWhoseReplyIsLostCountsOnce) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  proxy.lose(CutProxy::Loses::repliesToCommits);
  std::jthread mend([&] {
    // Longer than commits are repeated.
    std::this_thread::sleep_for(7s);
    proxy.lose(CutProxy::Loses::nothing);
  });
  must(increment(*b_, "d", 1));
  EXPECT_GT(proxy.lost(), 0);
  EXPECT_EQ(numberAt(*a_, "d"), 1);
  EXPECT_EQ(changesSince(*a_, 0).size(), 1U);
  must(increment(*b_, "d", 1));
  EXPECT_EQ(numberAt(*a_, "d"), 2);
  EXPECT_TRUE(a_->check().problems.empty());
}

// A write that moves no head shows nowhere whether it was committed.
// Its event has come by then, and was taken for that of a commit that this instance knows.
TEST_F(InstancesTest, WhatAnUnknownCommitMayHaveChangedIsReadAgain) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  const doc::Document owned = json(R"({"owner":"ada"})");
  const Mark mark = b_->mark(project_, suite::kMeasured, "owner", *owned.view().find("owner"));
  std::atomic<int> heard{0};
  const auto listener = b_->notices().add([&](const Notice&) { ++heard; });
  WriteOptions options = suite::writeOptions();
  options.notices = {{project_, NoticeKind::sessionEnded, "s"}};
  proxy.lose(CutProxy::Loses::repliesToCommits);
  const auto unknown = run(
      testing::put(*b_, {project_, suite::kMeasured, 0}, "m", json(R"({"id":"m","owner":"ada","size":1})"), options));
  proxy.lose(CutProxy::Loses::nothing);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::unavailable);
  EXPECT_GT(heard, 0);
  EXPECT_TRUE(mark.changed());
  EXPECT_TRUE(must(a_->get({project_, suite::kMeasured, 0}, "m", {})));
}

TEST_F(InstancesTest, ACommitThatGetsLostIsRepeated) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  proxy.lose(CutProxy::Loses::commits);
  std::jthread mend([&] {
    std::this_thread::sleep_for(7s);
    proxy.lose(CutProxy::Loses::nothing);
  });
  must(increment(*b_, "d", 1));
  EXPECT_GT(proxy.lost(), 0);
  EXPECT_EQ(numberAt(*a_, "d"), 1);
  EXPECT_EQ(changesSince(*b_, 0).size(), 1U);
  EXPECT_TRUE(a_->check().problems.empty());
}

}  // namespace

}  // namespace mb::store
