#include "store/embedded/backlog.h"

#include <gtest/gtest.h>

#include "base/cores.h"

namespace mb::store::embedded {

namespace {

// Tasks that run until the test ends them.
class BacklogTest : public ::testing::Test {
 protected:
  void SetUp() override { cores_.start(); }
  void TearDown() override {
    letAll();
    group_.closeAndWait(std::chrono::seconds(10));
    cores_.stop();
    cores_.join();
  }
  Async<void> work(TaskSubject subject) {
    co_await suspend<bool>([&](Resumer<bool> resumer) {
      const std::lock_guard lock(mutex_);
      started_.push_back(subject.index);
      if (letAll_) return resumer.resume(true);
      running_.emplace(subject.index, std::move(resumer));
    });
  }
  void let(IndexNo index) {
    std::optional<Resumer<bool>> resumer;
    {
      const std::lock_guard lock(mutex_);
      const auto at = running_.find(index);
      resumer.emplace(std::move(at->second));
      running_.erase(at);
    }
    resumer->resume(true);
  }
  void letAll() {
    std::map<IndexNo, Resumer<bool>> all;
    {
      const std::lock_guard lock(mutex_);
      letAll_ = true;
      all.swap(running_);
    }
    for (auto& [_, resumer] : all) resumer.resume(true);
  }
  // Waits until `count` tasks were started; returns all started ones, in order.
  std::vector<IndexNo> started(size_t count) {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (started_.size() >= count) return started_;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Cores cores_{1};
  TaskGroup group_;
  std::mutex mutex_;
  std::vector<IndexNo> started_;
  std::map<IndexNo, Resumer<bool>> running_;
  bool letAll_ = false;
  Backlog backlog_{group_, cores_.at(0).get_executor(), 2, [this](TaskSubject subject) { return work(subject); }};
};

using Numbers = std::vector<IndexNo>;

TEST_F(BacklogTest, RunsAFewAtOnceInTheOrderTheyCame) {
  for (const IndexNo index : {5u, 3u, 4u, 1u}) backlog_.add({1, 1000, index});
  EXPECT_EQ(started(2), Numbers({5, 3}));
  EXPECT_EQ(group_.running(), 2u);
  let(3);
  EXPECT_EQ(started(3), Numbers({5, 3, 4}));
  let(4);
  EXPECT_EQ(started(4), Numbers({5, 3, 4, 1}));
  let(5);
  let(1);
  while (group_.running() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  backlog_.add({1, 1000, 7});
  EXPECT_EQ(started(5), Numbers({5, 3, 4, 1, 7}));
}

TEST_F(BacklogTest, RunsOnceWhatIsAskedForOftenAndAgainWhatRanAlready) {
  for (const IndexNo index : {1u, 2u, 3u, 3u, 3u}) backlog_.add({1, 1000, index});
  EXPECT_EQ(started(2), Numbers({1, 2}));
  backlog_.add({1, 1000, 1});
  backlog_.add({1, 1000, 1});
  let(1);
  EXPECT_EQ(started(3), Numbers({1, 2, 3}));
  let(2);
  EXPECT_EQ(started(4), Numbers({1, 2, 3, 1}));
  let(1);
  let(3);
  while (group_.running() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(started(4).size(), 4u);
}

}  // namespace

}  // namespace mb::store::embedded
