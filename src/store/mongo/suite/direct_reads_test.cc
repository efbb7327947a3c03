// Reads without a thread that waits, over connections that the driver has made.
#include "store/mongo/direct_reads.h"

#include "base/testing.h"
#include "store/mongo/commands.h"
#include "store/mongo/suite/instances_fixture.h"

namespace mb::store::mongo {

namespace {

using namespace std::chrono_literals;
using Read = Result<std::optional<DirectReads::Reply>>;  // nullopt: it is for the pool

// A pool and its direct reads, at an address.
class Reads {
 public:
  explicit Reads(const std::string& uri, std::chrono::milliseconds untested = 5s)
      : pool_(uri, 2, {}), direct(pool_, uri, untested) {}
  ~Reads() {
    direct.stop();
    pool_.stop();
  }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

 private:
  ConnectionPool pool_;

 public:
  DirectReads direct;
};

class DirectReadsTest : public ::testing::Test {
 protected:
  static constexpr int kDocuments = 300;
  static constexpr size_t kBytes = 10'000;  // of each; more than one record of TLS and one read of a socket holds

  void SetUp() override {
    cores_.start();
    Connection connection(uri_);
    std::vector<doc::Document> documents;
    for (int i = 0; i < kDocuments; ++i) {
      doc::BsonWriter out;
      out.appendInt32("_id", i);
      out.appendString("text", std::string(kBytes, static_cast<char>('a' + i % 26)));
      documents.push_back(out.finish());
    }
    ASSERT_TRUE(connection.write(database_, insertCommand("numbers", documents)));
  }
  void TearDown() override {
    cores_.stop();
    cores_.join();
    dropDatabases(database_);
  }

  static std::string parsed(const std::string& uri) { return parseMongoUri(uri)->uri; }
  static doc::Document findCommand(int documents) {
    doc::BsonWriter out;
    out.appendString("find", "numbers");
    out.beginDocument("sort");
    out.appendInt32("_id", 1);
    out.end();
    out.appendInt32("limit", documents);
    out.appendInt32("batchSize", documents);
    out.appendBool("singleBatch", true);
    return out.finish();
  }
  Read read(Reads& reads, doc::Document command, std::chrono::milliseconds time = 20s) {
    return testing::runOn(cores_, 0,
                          reads.direct.read(database_, std::move(command), std::chrono::steady_clock::now() + time));
  }
  // The first read opens the connection that a later one uses.
  Read readOnceConnected(Reads& reads, const doc::Document& command) {
    Read found;
    (void)until([&] { return !(found = read(reads, command)) || *found; });
    return found;
  }
  void connect(Reads& reads) {
    const Read first = readOnceConnected(reads, findCommand(1));
    ASSERT_TRUE(first && *first);
  }
  static size_t documentsOf(const Read& read) { return batchOf((*read)->view()).documents.size(); }

  const std::string uri_ = parsed(uriOfServer());
  const std::string database_ = newPrefix();
  Cores cores_{2};
};

TEST_F(DirectReadsTest, TheReplyIsThatOfTheDriver) {
  Reads reads(uri_);
  Connection connection(uri_);
  for (const int documents : {1, 20, kDocuments}) {
    const Read found = readOnceConnected(reads, findCommand(documents));
    ASSERT_TRUE(found && *found);
    const auto expected = connection.read(database_, findCommand(documents));
    ASSERT_TRUE(expected);
    const auto batch = doc::containerOr(doc::containerOr((*found)->view(), "cursor"), "firstBatch").bytes();
    EXPECT_EQ(batch, doc::containerOr(doc::containerOr(expected->view(), "cursor"), "firstBatch").bytes());
    EXPECT_EQ(documentsOf(found), static_cast<size_t>(documents));
  }
}

TEST_F(DirectReadsTest, ManyAtOnceEachGetTheirOwn) {
  Reads reads(uri_);
  connect(reads);
  std::atomic<int> direct{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        const int documents = 1 + (i * 50 + n) % 40;
        const auto found = testing::runOn(
            cores_, i % 2,
            reads.direct.read(database_, findCommand(documents), std::chrono::steady_clock::now() + 20s));
        ASSERT_TRUE(found);
        if (!*found) continue;
        ++direct;
        EXPECT_EQ(documentsOf(found), static_cast<size_t>(documents));
      }
    });
  }
  threads.clear();
  EXPECT_GT(direct, 0);
}

TEST_F(DirectReadsTest, AnErrorOfTheServerIsTheCallers) {
  Reads reads(uri_);
  doc::BsonWriter out;
  out.appendString("find", "numbers");
  out.beginDocument("filter");
  out.appendInt32("$nothing", 1);
  out.end();
  EXPECT_FALSE(readOnceConnected(reads, out.finish()));
  // The connection is as good as before.
  const Read next = read(reads, findCommand(1));
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(documentsOf(next), 1U);
}

TEST_F(DirectReadsTest, AConnectionThatWasIdleIsTested) {
  Reads reads(uri_, 0ms);
  connect(reads);
  const Read next = read(reads, findCommand(2));
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(documentsOf(next), 2U);
}

TEST_F(DirectReadsTest, ACommandThatIsTooLargeIsForThePool) {
  Reads reads(uri_);
  connect(reads);
  doc::BsonWriter out;
  out.appendAll(findCommand(1));
  out.appendString("comment", std::string(kDirectCommand, 'c'));
  const Read large = read(reads, out.finish());
  ASSERT_TRUE(large);
  EXPECT_FALSE(*large);
}

// Through a proxy, with a connection that works.
class CutDirectReadsTest : public DirectReadsTest {
 protected:
  void SetUp() override {
    if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
    DirectReadsTest::SetUp();
    reads_.emplace(parsed(uriThrough(proxy_.port())));
    connect(*reads_);
  }

  CutProxy proxy_{hostOfServer()};
  std::optional<Reads> reads_;
};

TEST_F(CutDirectReadsTest, WhatALostConnectionCarriedIsForThePool) {
  proxy_.lose(CutProxy::Loses::everything);
  // The connection may end before or while it is used, and no other can be made.
  EXPECT_TRUE(until([&] {
    const Read lost = read(*reads_, findCommand(1));
    return lost && !*lost;
  }));
  proxy_.lose(CutProxy::Loses::nothing);
  const Read again = readOnceConnected(*reads_, findCommand(3));
  ASSERT_TRUE(again && *again);
  EXPECT_EQ(documentsOf(again), 3U);
}

TEST_F(CutDirectReadsTest, AReadEndsAfterItsDeadline) {
  proxy_.lose(CutProxy::Loses::replies);
  const Read late = read(*reads_, findCommand(1), 10ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::unavailable);
  // What arrives for it later is not taken as the reply to another one.
  proxy_.lose(CutProxy::Loses::nothing);
  const Read next = readOnceConnected(*reads_, findCommand(2));
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(documentsOf(next), 2U);
}

TEST_F(CutDirectReadsTest, AStopEndsWhatWaits) {
  proxy_.lose(CutProxy::Loses::replies);
  Read ended;
  std::jthread waiting([&] { ended = read(*reads_, findCommand(1), 1h); });
  reads_->direct.stop();
  waiting.join();
  // One that begins after the stop is for the pool.
  EXPECT_TRUE(ended ? !*ended : ended.error().code() == ErrorCode::unavailable);
}

}  // namespace

}  // namespace mb::store::mongo
