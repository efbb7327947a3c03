// Several instances on one server: what each learns of the others' commits, and what becomes of commits whose outcome
// is lost.
#include <boost/asio/co_spawn.hpp>
#include <latch>

#include "store/mongo/sessions.h"
#include "store/mongo/suite/instances_fixture.h"

namespace mb::store {

namespace {

using namespace std::chrono_literals;
using suite::json;

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

// Makes commands of the server fail, as its tests do, while it exists; most servers know no such command.
class FailPoint {
 public:
  FailPoint(const std::string& mode, const std::string& data) {
    isSet_ = run(fmt::format(R"({{"configureFailPoint":"failCommand","mode":{},"data":{}}})", mode, data));
  }
  ~FailPoint() { end(); }
  FailPoint(const FailPoint&) = delete;
  FailPoint& operator=(const FailPoint&) = delete;
  bool isSet() const { return isSet_; }
  void end() { run(R"({"configureFailPoint":"failCommand","mode":"off"})"); }

 private:
  bool run(const std::string& command) { return connection_.run("admin", doc::parseJson(command)->view()).has_value(); }
  mongo::Connection connection_{uriOfServer()};
  bool isSet_ = false;
};

// The reply to a commit that was repeated may say that there is no such transaction, whether it was committed or not.
TEST_F(InstancesTest, ACommitWithoutATransactionIsLookedUpAndRepeated) {
  FailPoint failing(R"({"times":1})", R"({"failCommands":["commitTransaction"],"errorCode":251})");
  if (!failing.isSet()) GTEST_SKIP() << "the server sets no fail points";
  must(increment(*a_, "d", 1));
  EXPECT_EQ(numberAt(*b_, "d"), 1);
  EXPECT_EQ(changesSince(*a_, 0).size(), 1U);
  must(increment(*a_, "d", 1));
  EXPECT_EQ(numberAt(*b_, "d"), 2);
  EXPECT_TRUE(a_->check().problems.empty());
}

// A group that loses against others all the time fails; nothing of it is stored.
TEST_F(InstancesTest, AGroupThatAlwaysLosesFails) {
  must(increment(*a_, "d", 1));
  FailPoint failing(R"("alwaysOn")", R"({"failCommands":["commitTransaction"],"errorCode":112})");
  if (!failing.isSet()) GTEST_SKIP() << "the server sets no fail points";
  const auto lost = run(increment(*a_, "d", 1));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(lost.error().message(), "the documents are being written by others: try again");
  failing.end();
  EXPECT_EQ(numberAt(*b_, "d"), 1);
  must(increment(*a_, "d", 1));
  EXPECT_EQ(numberAt(*b_, "d"), 2);
  EXPECT_EQ(changesSince(*a_, 0).size(), 2U);
}

}  // namespace

}  // namespace mb::store
