#include "base/periodic_task.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "base/cores.h"

namespace mb {
namespace {

using namespace std::chrono_literals;

class PeriodicTaskTest : public ::testing::Test {
 protected:
  PeriodicTaskTest() { cores_.start(); }
  ~PeriodicTaskTest() override {
    task_.stop();
    EXPECT_TRUE(tasks_.closeAndWait(20s));
    cores_.stop();
    cores_.join();
  }
  PeriodicTask::Pass pass() {
    return [this] { return runPass(); };
  }
  Async<void> runPass() {
    if (++passes_ == triggersIn_) task_.trigger();
    ran_.release();
    co_return;
  }
  bool ran() { return ran_.try_acquire_for(20s); }

  Cores cores_{1};
  TaskGroup tasks_;
  std::atomic<int> passes_ = 0;
  int triggersIn_ = 0;  // the pass that triggers another one
  std::counting_semaphore<> ran_{0};
  PeriodicTask task_;
};

TEST_F(PeriodicTaskTest, RepeatsItsPassAfterEachInterval) {
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 1ms}, pass());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ran());
}

TEST_F(PeriodicTaskTest, RunsAtOnceWhereThatIsWanted) {
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 24h, .firstAfter = std::chrono::milliseconds(0)},
              pass());
  EXPECT_TRUE(ran());
}

TEST_F(PeriodicTaskTest, ATriggerEndsTheWait) {
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 24h}, pass());
  task_.trigger();
  EXPECT_TRUE(ran());
  task_.trigger();
  EXPECT_TRUE(ran());
  EXPECT_EQ(passes_, 2);
}

TEST_F(PeriodicTaskTest, ATriggerDuringAPassIsFollowedByAnother) {
  triggersIn_ = 1;
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 24h, .firstAfter = std::chrono::milliseconds(0)},
              pass());
  EXPECT_TRUE(ran());
  EXPECT_TRUE(ran());
}

TEST_F(PeriodicTaskTest, AStopEndsTheWaitAndThePasses) {
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 24h}, pass());
  task_.stop();
  EXPECT_TRUE(tasks_.closeAndWait(20s));
  EXPECT_EQ(passes_, 0);
  EXPECT_TRUE(task_.stopping());
}

TEST_F(PeriodicTaskTest, ALastPassFollowsTheStopWhereThatIsWanted) {
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 24h, .atStop = true}, pass());
  task_.stop();
  EXPECT_TRUE(tasks_.closeAndWait(20s));
  EXPECT_EQ(passes_, 1);
}

TEST_F(PeriodicTaskTest, StoppedBeforeItsStartItRunsNothing) {
  task_.stop();
  task_.start(cores_.at(0).get_executor(), tasks_, {.interval = 1ms, .firstAfter = std::chrono::milliseconds(0)},
              pass());
  EXPECT_TRUE(tasks_.closeAndWait(20s));
  EXPECT_EQ(passes_, 0);
}

}  // namespace
}  // namespace mb
