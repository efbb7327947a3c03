// A disk that fills up, one that blocks, and one whose log cannot be synced.
#include "document/json.h"
#include "store/embedded/commit_queue.h"
#include "store/embedded/database.h"
#include "store/embedded/faults/fault_file_system.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

using testing::runOn;

constexpr uint64_t kMinFree = 100 << 20;

// A store with one collection, on a file system with controlled faults.
class DiskTest : public ::testing::Test {
 protected:
  DiskTest() : files_(std::make_shared<FaultFileSystem>(folder_.path() / "trash")) {
    useFileSystem(files_);
    cores_.start();
    EmbeddedSettings settings;
    settings.minFreeDiskBytes = kMinFree;
    store_ = EmbeddedStore::open(folder_.path(), settings, cores_, {}, clock_).value();
    const CollectionInfo info = runOn(cores_, 0, store_->createCollection(kControlProject, "posts", {}, {})).value();
    posts_ = {kControlProject, info.number, info.version};
  }
  ~DiskTest() override {
    store_.reset();
    useFileSystem(nullptr);
    cores_.stop();
    cores_.join();
  }

  Task<WriteOutcome> change(const std::string& id, bool put) {
    if (!put) return testing::remove(*store_, posts_, id);
    return testing::put(*store_, posts_, id, idDocument(id));
  }
  // The error code of the write; nullopt on success.
  std::optional<ErrorCode> codeOf(const std::string& id, bool put) {
    const auto outcome = runOn(cores_, 0, change(id, put));
    return outcome ? std::nullopt : std::optional(outcome.error().code());
  }
  // Waits until the store, which checks the disk space each second, has the given health.
  bool becomesHealthy(bool healthy) {
    for (int waited = 0; waited < 1000; ++waited) {
      if (store_->healthy().has_value() == healthy) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  const TemporaryFolder folder_;
  std::shared_ptr<FaultFileSystem> files_;
  const SystemClock clock_;
  Cores cores_{2};
  std::unique_ptr<EmbeddedStore> store_;
  CollectionRef posts_;
};

}  // namespace

TEST_F(DiskTest, NearlyFullItRefusesWritesUntilThereIsSpaceAgain) {
  ASSERT_EQ(codeOf("a", true), std::nullopt);
  ASSERT_EQ(codeOf("b", true), std::nullopt);
  files_->setFreeSpace(kMinFree - 1);
  ASSERT_TRUE(becomesHealthy(false));
  EXPECT_EQ(codeOf("c", true), ErrorCode::unavailable);
  EXPECT_EQ(codeOf("a", true), ErrorCode::unavailable);
  EXPECT_EQ(codeOf("a", false), std::nullopt) << "a removal frees space";
  EXPECT_TRUE(runOn(cores_, 0, store_->get(posts_, "b")).value());
  EXPECT_FALSE(runOn(cores_, 0, store_->createCollection(kControlProject, "more", {}, {})));
  files_->setFreeSpace(kMinFree + (1 << 20));
  ASSERT_TRUE(becomesHealthy(true));
  EXPECT_EQ(codeOf("c", true), std::nullopt);
  EXPECT_EQ(store_->check().problems, std::vector<std::string>());
}

TEST_F(DiskTest, WhatWasWrittenSinceTheLastLookCountsAsUsed) {
  files_->setFreeSpace(kMinFree + (64 << 10));
  // The reported free space stays constant, as for a fast writer between two checks.
  std::optional<ErrorCode> code;
  for (int i = 0; i < 100'000 && !code; ++i) code = codeOf(fmt::format("{}", i), true);
  EXPECT_EQ(code, ErrorCode::unavailable);
  EXPECT_TRUE(store_->healthy());
  EXPECT_EQ(codeOf("0", false), std::nullopt) << "a removal frees space";
}

TEST_F(DiskTest, WhileNothingIsSyncedTheQueueTakesItsBoundAndNoMore) {
  files_->holdSyncs(true);
  // Some writes wait for a lock and do not reach the queue.
  constexpr size_t kSent = 3 * kQueueWrites;
  std::atomic<size_t> taken{0};
  std::atomic<size_t> refused{0};
  std::promise<void> all;
  for (size_t i = 0; i < kSent; ++i) {
    asio::co_spawn(cores_.at(0).get_executor(), change(fmt::format("{:05}", i), true),
                   [&](std::exception_ptr, Result<WriteOutcome> outcome) {
                     if (outcome) ++taken;
                     if (!outcome && outcome.error().code() == ErrorCode::unavailable) ++refused;
                     if (taken + refused == kSent) all.set_value();
                   });
  }
  for (int waited = 0; refused == 0 && waited < 2000; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(taken, 0u) << "acknowledged without a sync";
  files_->holdSyncs(false);
  all.get_future().wait();
  EXPECT_GE(taken, kQueueWrites);
  EXPECT_EQ(runOn(cores_, 0, store_->stats(posts_)).value().documents, taken);
}

class DiskDeathTest : public DiskTest {
 protected:
  // The dying process is started again instead of forked: a fork would not have the store's threads.
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DiskDeathTest, AFailedSyncOfTheLogEndsTheProcess) {
  // The next calls are those of the write: the append to the log, and its sync.
  for (const uint64_t ahead : {1, 2}) {
    EXPECT_EXIT(
        {
          files_->failCall(files_->calls() + ahead);
          static_cast<void>(runOn(cores_, 0, change("a", true)));
          std::_Exit(0);
        },
        ::testing::ExitedWithCode(kStoreFailedExit), "the store failed; the process ends");
  }
}

}  // namespace mb::store::embedded
