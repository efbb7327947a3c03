#include "realtime/feeds.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <set>
#include <thread>

#include "store/testing/memory_feed.h"

namespace mb::realtime {
namespace {

constexpr store::ProjectNo kProject = 5;

// Holds the batches of a core, and returns them when the test calls release().
class Receiver final : public BatchReceiver {
 public:
  void receive(store::ProjectNo project, ProjectReaderPtr from, LogBatchPtr batch) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(project, kProject);
    EXPECT_EQ(Cores::current(), core);
    batches_.push_back(std::move(batch));
    readers_.push_back(std::move(from));
    changed_.notify_all();
    if (!holds) release(readers_.size());
  }
  // Returns the first `count` held batches. Under the lock, or on the core.
  void release(size_t count) {
    for (size_t i = 0; i < count; ++i) feeds->done(readers_[i], core);
    readers_.erase(readers_.begin(), readers_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void giveBack(size_t count) {
    const std::lock_guard lock(mutex_);
    release(count);
  }
  // The batches, once the last of them has reached `position`.
  std::vector<LogBatchPtr> until(uint64_t position) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(20),
                                        [&] { return !batches_.empty() && batches_.back()->last >= position; });
    EXPECT_TRUE(came) << "nothing reached " << position;
    return batches_;
  }
  size_t inHand() {
    const std::lock_guard lock(mutex_);
    return readers_.size();
  }
  bool waitForInHand(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return readers_.size() >= count; });
  }

  int core = 0;
  bool holds = false;
  Feeds* feeds = nullptr;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LogBatchPtr> batches_;
  std::vector<ProjectReaderPtr> readers_;
};

class FeedsTest : public testing::Test {
 protected:
  FeedsTest() : feeds_(feed_, cores_, {&first_, &second_}) {
    first_.feeds = second_.feeds = &feeds_;
    second_.core = 1;
    cores_.start();
    feeds_.start();
  }
  ~FeedsTest() override {
    EXPECT_TRUE(feeds_.stop(std::chrono::seconds(20)));
    cores_.stop();
    cores_.join();
  }
  uint64_t write(size_t count) { return feed_.append(kProject, std::vector<store::ChangeEntry>(count)); }
  static std::vector<uint64_t> positions(const std::vector<LogBatchPtr>& batches) {
    std::vector<uint64_t> all;
    for (const auto& batch : batches) {
      EXPECT_LE(batch->entries.size(), kBatchEntries);
      for (const auto& entry : batch->entries) all.push_back(entry.position);
      if (!batch->entries.empty()) EXPECT_EQ(batch->last, all.back());
    }
    return all;
  }
  static std::vector<uint64_t> range(uint64_t first, uint64_t last) {
    std::vector<uint64_t> all;
    for (uint64_t at = first; at <= last; ++at) all.push_back(at);
    return all;
  }

  store::testing::MemoryFeed feed_;
  Cores cores_{2};
  Receiver first_;
  Receiver second_;
  Feeds feeds_;
};

TEST_F(FeedsTest, EachCoreThatFollowsGetsEachChangeOnce) {
  write(3);
  EXPECT_EQ(feeds_.follow(kProject, 0), 3u);
  write(200);
  EXPECT_EQ(positions(first_.until(203)), range(4, 203));
  EXPECT_EQ(feeds_.follow(kProject, 1), 203u);
  write(10);
  EXPECT_EQ(positions(first_.until(213)), range(4, 213));
  const auto second = second_.until(213);
  EXPECT_EQ(positions(second), range(204, 213));
  // The same objects, not copies.
  EXPECT_EQ(second.back(), first_.until(213).back());
  feeds_.unfollow(kProject, 0);
  write(1);
  second_.until(214);
  EXPECT_EQ(first_.until(213).back()->last, 213u);
  feeds_.unfollow(kProject, 1);
}

TEST_F(FeedsTest, WaitsForACoreThatHasItsHandsFull) {
  second_.holds = true;
  feeds_.follow(kProject, 0);
  feeds_.follow(kProject, 1);
  for (int i = 0; i < kBatchesInHand + 6; ++i) write(kBatchEntries);
  ASSERT_TRUE(second_.waitForInHand(kBatchesInHand));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(second_.inHand(), static_cast<size_t>(kBatchesInHand));
  const uint64_t end = feed_.lastPosition(kProject);
  while (second_.until(1).back()->last < end) {
    second_.giveBack(1);
    ASSERT_TRUE(second_.waitForInHand(1));
  }
  EXPECT_EQ(positions(second_.until(end)), range(1, end));
  // A core that has left is not waited for.
  for (int i = 0; i < kBatchesInHand + 1; ++i) write(kBatchEntries);
  ASSERT_TRUE(second_.waitForInHand(kBatchesInHand));
  feeds_.unfollow(kProject, 1);
  const uint64_t later = feed_.lastPosition(kProject);
  EXPECT_EQ(positions(first_.until(later)), range(1, later));
  second_.giveBack(second_.inHand());
  feeds_.unfollow(kProject, 0);
}

TEST_F(FeedsTest, WhatTheLogLetGoOfMeanwhileIsTold) {
  feeds_.follow(kProject, 0);
  feed_.failWith(ErrorCode::internal);
  write(10);
  feed_.trimTo(kProject, 6);
  feed_.failWith(std::nullopt);
  const auto batches = first_.until(10);
  EXPECT_EQ(batches.front()->lostUpTo, 6u);
  EXPECT_EQ(positions(batches), range(7, 10));
  feeds_.unfollow(kProject, 0);
}

TEST_F(FeedsTest, FollowersThatComeAndGoMissNothing) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; i < 5000 && !stop; ++i) {
      write(3);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    const int core = round % 2;
    Receiver& receiver = core == 0 ? first_ : second_;
    const uint64_t from = feeds_.follow(kProject, core);
    const uint64_t to = write(1);
    const auto all = positions(receiver.until(to));
    const std::set<uint64_t> got(all.begin(), all.end());
    for (const uint64_t expected : range(from + 1, to)) EXPECT_TRUE(got.contains(expected)) << expected;
    feeds_.unfollow(kProject, core);
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace mb::realtime
