#include "snapshot/snapshot.h"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/cancellation.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::snapshot {
namespace {

// Projects by id; counts look-ups.
class FakeDirectory final : public ProjectDirectory {
 public:
  Task<std::optional<ProjectInfo>> find(std::string idOrSlug) override {
    ++looks;
    for (const ProjectInfo& project : projects) {
      if (project.id.str() == idOrSlug || project.slug == idOrSlug) co_return project;
    }
    co_return std::nullopt;
  }
  Task<std::optional<ProjectInfo>> byNumber(store::ProjectNo number) override {
    for (const ProjectInfo& project : projects) {
      if (project.number == number) co_return project;
    }
    co_return std::nullopt;
  }
  Task<std::optional<ProjectInfo>> onlyOne() override {
    if (projects.size() != 1) co_return std::nullopt;
    co_return projects.front();
  }

  std::vector<ProjectInfo> projects;
  std::atomic<int> looks = 0;
};

// Returns the number of loads so far; slow if `delayMs` is set, so that other callers wait.
class CountingSource final : public SlotSource {
 public:
  Task<std::shared_ptr<const void>> load(ProjectInfo) override {
    const int nth = ++loads;
    if (onLoad) onLoad();
    co_await sleepFor(std::chrono::milliseconds(delayMs));
    if (yields) CO_RETURN_IF_ERROR(co_await yieldCore());
    if (failing) co_return fail(ErrorCode::unavailable, "not now");
    if (throwing) throw std::runtime_error("a bug");
    co_return std::shared_ptr<const void>(std::make_shared<const int>(nth));
  }
  std::atomic<int> loads = 0;
  std::atomic<int> delayMs = 0;
  std::atomic<bool> yields = false;  // fails when its client has left
  std::function<void()> onLoad;      // set on the core that loads
  std::atomic<bool> failing = false;
  std::atomic<bool> throwing = false;
};

class SnapshotsTest : public ::testing::Test {
 protected:
  SnapshotsTest() : store_({}), cores_(2), snapshots_(store_, cores_, 4) {
    snapshots_.setDirectory(directory_);
    slot_ = snapshots_.addSlot<int>(source_);
    directory_.projects = {{2, ProjectId("proj_a"), "alpha", "Alpha", ProjectStatus::active, {}}};
    cores_.start();
  }
  ~SnapshotsTest() override {
    cores_.stop();
    cores_.join();
  }
  Result<SnapshotPtr> find(std::string idOrSlug, int core = 0) {
    return store::testing::runOn(cores_, core, snapshots_.find(std::move(idOrSlug)));
  }
  static Task<SnapshotPtr> cachedOn(Snapshots& snapshots, std::string id) { co_return snapshots.cached(id); }
  SnapshotPtr cached(std::string id, int core = 0) {
    return *store::testing::runOn(cores_, core, cachedOn(snapshots_, std::move(id)));
  }

  store::testing::MemoryStore store_;
  FakeDirectory directory_;
  CountingSource source_;
  Cores cores_;
  Snapshots snapshots_;
  SlotKey<int> slot_;
};

TEST_F(SnapshotsTest, LoadsOnceAndKeepsItOnEveryCore) {
  EXPECT_EQ(cached("proj_a"), nullptr);
  const auto first = find("proj_a");
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->info().slug, "alpha");
  EXPECT_EQ((*first)->get(slot_), 1);
  EXPECT_NE(cached("proj_a"), nullptr);
  EXPECT_NE(cached("alpha"), nullptr);
  EXPECT_EQ(cached("proj_a", 1), nullptr);
  const auto other = find("alpha", 1);
  ASSERT_TRUE(other && *other);
  EXPECT_EQ(other->get(), first->get());
  EXPECT_NE(cached("proj_a", 1), nullptr);
  EXPECT_EQ(source_.loads, 1);
}

TEST_F(SnapshotsTest, ReadsTheEpochFromTheStoreWhereItIsNotFresh) {
  const auto first = find("proj_a");
  ASSERT_TRUE(first && *first);
  store_.loseFreshness();
  EXPECT_EQ(cached("proj_a"), nullptr);
  const auto same = find("alpha");
  ASSERT_TRUE(same && *same);
  EXPECT_EQ(same->get(), first->get());
  EXPECT_EQ(source_.loads, 1);

  // A change by another instance that this one has not observed.
  store_.bumpEpoch(2);
  const auto changed = find("proj_a");
  ASSERT_TRUE(changed && *changed);
  EXPECT_EQ((*changed)->epoch(), 1U);
  EXPECT_GT(source_.loads, 1);

  store_.failWith(ErrorCode::unavailable);
  const auto unknown = find("proj_a");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::unavailable);
  store_.failWith(std::nullopt);
  store_.regainFreshness();
  EXPECT_NE(cached("proj_a"), nullptr);
}

TEST_F(SnapshotsTest, AChangeOfTheEpochReloadsIt) {
  ASSERT_TRUE(*find("proj_a"));
  store_.bumpEpoch(2);
  EXPECT_EQ(cached("proj_a"), nullptr);
  const auto next = find("proj_a");
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->get(slot_), 2);
  EXPECT_EQ((*next)->epoch(), 1U);
  EXPECT_NE(cached("proj_a"), nullptr);
}

TEST_F(SnapshotsTest, AnotherProjectsChangeDoesNotMatter) {
  ASSERT_TRUE(*find("proj_a"));
  store_.bumpEpoch(3);
  EXPECT_NE(cached("proj_a"), nullptr);
}

TEST_F(SnapshotsTest, ConcurrentCallersWaitForOneLoad) {
  source_.delayMs = 50;
  std::vector<std::future<Result<SnapshotPtr>>> results;
  std::vector<std::unique_ptr<std::promise<Result<SnapshotPtr>>>> promises;
  for (int i = 0; i < 20; ++i) {
    promises.push_back(std::make_unique<std::promise<Result<SnapshotPtr>>>());
    results.push_back(promises.back()->get_future());
    asio::co_spawn(cores_.at(i % 2).get_executor(), snapshots_.find("proj_a"),
                   [promise = promises.back().get()](std::exception_ptr, Result<SnapshotPtr> result) {
                     promise->set_value(std::move(result));
                   });
  }
  for (auto& result : results) {
    const auto snapshot = result.get();
    ASSERT_TRUE(snapshot && *snapshot);
  }
  EXPECT_EQ(source_.loads, 1);
}

Task<SnapshotPtr> findAndLeave(Snapshots& snapshots, asio::cancellation_signal& signal, CountingSource& source) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await endWithClient();
  source.yields = true;
  source.onLoad = [&signal] { signal.emit(kClientLeft); };
  co_return co_await snapshots.find("proj_a");
}

TEST_F(SnapshotsTest, ALoadContinuesWhenTheClientThatStartedItLeaves) {
  asio::cancellation_signal signal;
  std::promise<Result<SnapshotPtr>> found;
  asio::co_spawn(cores_.at(0).get_executor(), findAndLeave(snapshots_, signal, source_),
                 asio::bind_cancellation_slot(signal.slot(), [&found](std::exception_ptr, Result<SnapshotPtr> result) {
                   found.set_value(std::move(result));
                 }));
  const Result<SnapshotPtr> snapshot = found.get_future().get();
  EXPECT_TRUE(snapshot && *snapshot);
}

TEST_F(SnapshotsTest, AWaiterNeverGetsWhatWasLoadedBeforeAChangeItKnowsOf) {
  source_.delayMs = 100;
  std::promise<Result<SnapshotPtr>> early;
  auto earlyResult = early.get_future();
  asio::co_spawn(cores_.at(0).get_executor(), snapshots_.find("proj_a"),
                 [&](std::exception_ptr, Result<SnapshotPtr> result) { early.set_value(std::move(result)); });
  while (source_.loads == 0) std::this_thread::yield();
  store_.bumpEpoch(2);
  const auto late = find("proj_a", 1);
  ASSERT_TRUE(late && *late);
  EXPECT_EQ((*late)->epoch(), 1U);
  EXPECT_EQ((*late)->get(slot_), 2);
  EXPECT_TRUE(earlyResult.get());
}

TEST_F(SnapshotsTest, UnknownOnesAreNullAndNotRemembered) {
  const auto unknown = find("proj_b");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(*unknown, nullptr);
  EXPECT_EQ(*find(""), nullptr);
  EXPECT_EQ(*find("#2"), nullptr);
  EXPECT_EQ(*find("2"), nullptr);
  directory_.projects.push_back({3, ProjectId("proj_b"), "beta", "Beta", ProjectStatus::active, {}});
  EXPECT_NE(*find("proj_b"), nullptr);
}

TEST_F(SnapshotsTest, ADeletedOneIsNotFoundAtTheNextAccess) {
  ASSERT_TRUE(*find("proj_a"));
  directory_.projects.clear();
  store_.bumpEpoch(2);
  const auto deleted = find("proj_a");
  ASSERT_TRUE(deleted);
  EXPECT_EQ(*deleted, nullptr);
  EXPECT_EQ(cached("proj_a"), nullptr);
}

TEST_F(SnapshotsTest, AFailedLoadNeverReturnsTheOneBeforeTheChange) {
  ASSERT_TRUE(*find("proj_a"));
  store_.bumpEpoch(2);
  source_.failing = true;
  const auto failed = find("proj_a");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::unavailable);
  source_.failing = false;
  const auto next = find("proj_a");
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->epoch(), 1U);
}

TEST_F(SnapshotsTest, AFailureWithNothingOldIsReturnedToEveryWaiter) {
  source_.failing = true;
  const auto failed = find("proj_a");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::unavailable);
}

TEST_F(SnapshotsTest, AnExceptionInALoadIsAnErrorAndTheNextLoadRuns) {
  source_.throwing = true;
  const auto failed = find("proj_a");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::internal);
  source_.throwing = false;
  EXPECT_TRUE(find("proj_a"));
}

TEST_F(SnapshotsTest, ByNumberAndOnlyOne) {
  const auto byNumber = store::testing::runOn(cores_, 0, snapshots_.byNumber(2));
  ASSERT_TRUE(byNumber && *byNumber);
  EXPECT_EQ((*byNumber)->info().id.str(), "proj_a");
  EXPECT_EQ(*store::testing::runOn(cores_, 0, snapshots_.byNumber(9)), nullptr);
  EXPECT_EQ(*store::testing::runOn(cores_, 0, snapshots_.byNumber(0)), nullptr);
  EXPECT_NE(*store::testing::runOn(cores_, 0, snapshots_.onlyOne()), nullptr);
  directory_.projects.push_back({3, ProjectId("proj_b"), "beta", "Beta", ProjectStatus::active, {}});
  EXPECT_EQ(*store::testing::runOn(cores_, 0, snapshots_.onlyOne()), nullptr);
}

TEST_F(SnapshotsTest, HoldsAtMostItsCapacity) {
  directory_.projects.clear();
  for (uint32_t i = 0; i < 10; ++i) {
    const std::string name = "p" + std::to_string(i);
    directory_.projects.push_back({10 + i, ProjectId("proj_" + name), name, name, ProjectStatus::active, {}});
  }
  std::weak_ptr<const ProjectSnapshot> first = *find("proj_p0");
  for (int i = 1; i < 10; ++i) ASSERT_TRUE(find("proj_p" + std::to_string(i)));
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(cached("proj_p0"), nullptr);
  EXPECT_NE(cached("proj_p9"), nullptr);
}

}  // namespace
}  // namespace mb::snapshot
