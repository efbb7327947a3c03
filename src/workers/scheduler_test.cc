#include "workers/scheduler.h"

#include <gtest/gtest.h>

namespace mb::workers {
namespace {

using namespace std::chrono_literals;

// A scheduler of two cores and eight processes, which are ready at once or when the test says so.
class WorkerSchedulerTest : public ::testing::Test {
 protected:
  JobPtr job(store::ProjectNo project, RunClass runClass = RunClass::normal, int core = 0) {
    auto created = std::make_shared<Job>();
    created->project = project;
    created->runClass = runClass;
    created->core = core;
    created->timeout = 2000ms;
    created->waitUntil = now + (runClass == RunClass::preHook ? 2000ms : 1000ms);
    return created;
  }
  void submit(store::ProjectNo project, RunClass runClass = RunClass::normal, int core = 0) {
    scheduler.submit(job(project, runClass, core), now, actions);
    executeActions();
  }
  void submitMany(store::ProjectNo project, int count) {
    for (int i = 0; i < count; ++i) submit(project);
  }
  // Executes the actions, and those that follow.
  void executeActions() {
    while (!actions.start.empty() || !actions.end.empty() || !actions.begin.empty() || !actions.refuse.empty()) {
      SchedulerActions done = std::exchange(actions, {});
      for (auto& next : done.begin) {
        running.push_back(next.handle);
        began.push_back(next.job->project);
        jobs.push_back(next.job);
      }
      for (auto& handle : done.start) {
        if (readyAtOnce) scheduler.ready(handle, now, actions);
        if (!readyAtOnce) starting.push_back(handle);
      }
      for (auto& last : done.end) {
        ended.push_back(last.handle);
        std::erase(running, last.handle);
        scheduler.removed(last.handle, now, actions);
      }
      refused += done.refuse.size();
    }
  }
  void tick() {
    scheduler.tick(now, actions);
    executeActions();
  }
  // By value: the handle may be one of `running`.
  void finish(WorkerHandlePtr handle, bool fit = true) {
    std::erase(running, handle);
    scheduler.freed(handle, fit, now, actions);
    executeActions();
  }
  size_t runningOf(store::ProjectNo project) const {
    return static_cast<size_t>(
        std::ranges::count_if(running, [=](const WorkerHandlePtr& handle) { return handle->project == project; }));
  }
  WorkerHandlePtr oneOf(store::ProjectNo project) const {
    const auto found =
        std::ranges::find_if(running, [=](const WorkerHandlePtr& handle) { return handle->project == project; });
    return found == running.end() ? nullptr : *found;
  }

  WorkerScheduler scheduler{QueueLimits(), 2};
  Time now{1h};
  bool readyAtOnce = true;
  SchedulerActions actions;
  std::vector<WorkerHandlePtr> running, ended, starting;
  std::vector<store::ProjectNo> began;
  std::vector<JobPtr> jobs;
  size_t refused = 0;
};

TEST_F(WorkerSchedulerTest, KeepsBlanksReady) {
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::blank), 2u);
  submit(1);
  EXPECT_EQ(scheduler.count(WorkerState::blank), 1u);
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::blank), 1u) << "not while the run that took one begins";
  now += 300ms;
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::blank), 2u);
}

TEST_F(WorkerSchedulerTest, GivesAProjectAWorkerPerCoreAtOnceAndHalfOfAllWhenItsQueueStalls) {
  submitMany(1, 10);
  EXPECT_EQ(runningOf(1), 2u);
  now += 25ms;
  tick();
  EXPECT_EQ(runningOf(1), 4u);
  now += 25ms;
  tick();
  EXPECT_EQ(runningOf(1), 4u) << "half of all";
  EXPECT_EQ(scheduler.waiting(), 6u);
}

TEST_F(WorkerSchedulerTest, ReusesTheWorkerUsedLastAndPrefersItsOwnCore) {
  submitMany(1, 2);
  const WorkerHandlePtr first = running[0], second = running[1];
  ASSERT_NE(first->core, second->core);
  finish(first);
  finish(second);
  submit(1, RunClass::normal, first->core);
  EXPECT_EQ(running.back(), first);
  finish(first);
  submit(1, RunClass::normal, second->core);
  EXPECT_EQ(running.back(), second);
}

TEST_F(WorkerSchedulerTest, RunsOfTheSameCoreGoFirstButNotForever) {
  submitMany(1, 2);
  const int core = running[0]->core;
  submit(1, RunClass::normal, 1 - core);
  for (int i = 0; i < 20; ++i) submit(1, RunClass::normal, core);
  const JobPtr other = nullptr;
  int before = 0;
  while (jobs.back()->core == core || jobs.size() <= 2) {
    finish(running[0]->core == core ? running[0] : running[1]);
    ++before;
    ASSERT_LE(before, 9);
  }
}

TEST_F(WorkerSchedulerTest, OthersThatWaitLeaveAProjectAWorkerACore) {
  submitMany(1, 30);
  now += 25ms;
  tick();
  ASSERT_EQ(runningOf(1), 4u);
  // Three more workers are for other projects; the eighth for pre-hooks.
  submitMany(2, 5);
  submitMany(3, 5);
  EXPECT_EQ(runningOf(2), 2u);
  EXPECT_EQ(runningOf(3), 1u);
  for (int i = 0; i < 4; ++i) {
    if (const WorkerHandlePtr handle = oneOf(1)) finish(handle);
  }
  EXPECT_EQ(runningOf(1), 2u);
  EXPECT_EQ(runningOf(3), 2u);
}

TEST_F(WorkerSchedulerTest, TheLastWorkerIsForPreHooks) {
  for (store::ProjectNo project = 1; project <= 10; ++project) submit(project);
  EXPECT_EQ(running.size(), 7u);
  submit(20, RunClass::preHook);
  EXPECT_EQ(runningOf(20), 1u);
  submit(21, RunClass::preHook);
  EXPECT_EQ(runningOf(21), 0u);
}

TEST_F(WorkerSchedulerTest, AProjectWhoseWorkersAreBusyMayRunOnePreHookMore) {
  submitMany(1, 10);
  now += 25ms;
  tick();
  ASSERT_EQ(runningOf(1), 4u);
  submit(1, RunClass::preHook);
  EXPECT_EQ(runningOf(1), 5u);
  EXPECT_EQ(jobs.back()->runClass, RunClass::preHook);
}

TEST_F(WorkerSchedulerTest, PreHooksGoFirstAndTheirWaitingCounts) {
  submitMany(1, 8);
  now += 25ms;
  tick();
  submit(1, RunClass::preHook);
  submit(1, RunClass::preHook);
  ASSERT_EQ(scheduler.waiting(), 5u);
  now += 500ms;
  finish(running[0]);
  EXPECT_EQ(jobs.back()->runClass, RunClass::preHook);
  EXPECT_EQ(jobs.back()->timeout, 1500ms);
}

TEST_F(WorkerSchedulerTest, TheQueueHolds64OfAProjectAnd1024InAll) {
  readyAtOnce = false;
  submitMany(1, 70);
  EXPECT_EQ(scheduler.waiting(), 64u);
  EXPECT_EQ(refused, 6u);
  for (store::ProjectNo project = 2; project < 20; ++project) submitMany(project, 64);
  EXPECT_EQ(scheduler.waiting(), 1024u);
}

TEST_F(WorkerSchedulerTest, NoJobWaitsLongerThanASecond) {
  readyAtOnce = false;
  submitMany(1, 3);
  submit(1, RunClass::preHook);
  now += 999ms;
  tick();
  EXPECT_EQ(refused, 0u);
  now += 1ms;
  tick();
  EXPECT_EQ(refused, 3u);
  now += 1000ms;
  tick();
  EXPECT_EQ(refused, 4u);
  EXPECT_EQ(scheduler.waiting(), 0u);
}

// Sixteen projects that always want more than eight workers: each is served.
TEST_F(WorkerSchedulerTest, ManyProjectsAreServedRoundRobin) {
  std::map<store::ProjectNo, int> runs;
  for (int round = 0; round < 400; ++round) {
    for (store::ProjectNo project = 1; project <= 16; ++project) {
      while (true) {
        const size_t before = refused;
        submit(project);
        if (refused > before || scheduler.waiting() > 200) break;
        if (runningOf(project) > 0) break;
        break;
      }
    }
    for (const WorkerHandlePtr& handle : std::vector(running)) {
      ++runs[handle->project];
      finish(handle);
    }
    now += 5ms;
    tick();
  }
  for (store::ProjectNo project = 1; project <= 16; ++project) EXPECT_GT(runs[project], 20) << project;
}

TEST_F(WorkerSchedulerTest, TheProjectWithTheMostWorkersLosesOneFirst) {
  for (const store::ProjectNo project : {1, 1, 2, 2, 3, 3, 4}) submit(project);
  submit(5, RunClass::preHook);
  ASSERT_EQ(running.size(), 8u);
  submit(4);
  submit(9);
  now += 200ms;
  finish(oneOf(4));
  EXPECT_EQ(runningOf(4), 1u) << "its only one";
  EXPECT_EQ(runningOf(9), 0u);
  finish(oneOf(1));
  EXPECT_EQ(runningOf(1), 1u);
  EXPECT_EQ(runningOf(9), 1u);
}

TEST_F(WorkerSchedulerTest, AnIdleWorkerIsEndedForAProjectWithoutOne) {
  for (store::ProjectNo project = 1; project <= 7; ++project) submit(project);
  for (const WorkerHandlePtr& handle : std::vector(running)) {
    now += 1ms;
    finish(handle);
  }
  ended.clear();
  submit(30);
  submit(31);
  EXPECT_EQ(runningOf(30) + runningOf(31), 2u);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->project, 1u) << "the one idle for longest";
}

TEST_F(WorkerSchedulerTest, AProjectsOnlyWorkerIsNotEndedForOthersFurtherOnes) {
  submit(1);
  finish(running[0]);
  submitMany(2, 30);
  submitMany(3, 30);
  submitMany(4, 30);
  submitMany(5, 30);
  for (int i = 0; i < 5; ++i) {
    now += 25ms;
    tick();
  }
  EXPECT_EQ(scheduler.count(WorkerState::idle), 1u);
  // A project without a worker gets it.
  submit(6, RunClass::preHook);
  EXPECT_EQ(runningOf(6), 1u);
  EXPECT_EQ(scheduler.count(WorkerState::idle), 0u);
}

TEST_F(WorkerSchedulerTest, IdleWorkersEnd) {
  submit(1);
  finish(running[0]);
  now += 59s;
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::idle), 1u);
  now += 1s;
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::idle), 0u);
  EXPECT_EQ(scheduler.count(WorkerState::blank), 2u) << "blank ones stay";
}

TEST_F(WorkerSchedulerTest, BlankOnesAreWorthMoreThanLongIdleOnes) {
  for (store::ProjectNo project = 1; project <= 7; ++project) {
    submit(project);
    finish(running[0]);
    now += 10ms;
  }
  submit(8);
  finish(running[0]);
  ASSERT_EQ(scheduler.count(WorkerState::idle), 8u);
  now += 1900ms;
  tick();
  EXPECT_EQ(scheduler.count(WorkerState::idle), 8u);
  now = scheduler.nextTick(now);
  tick();
  tick();
  EXPECT_GE(scheduler.count(WorkerState::blank), 1u);
  EXPECT_EQ(ended[0]->project, 1u);
}

TEST_F(WorkerSchedulerTest, RetiresUnfitAndOftenUsedWorkers) {
  submit(1);
  const WorkerHandlePtr first = running[0];
  finish(first, false);
  EXPECT_EQ(ended, std::vector{first});
  submit(1);
  const WorkerHandlePtr second = running[0];
  second->runs = 10'000;
  finish(second);
  EXPECT_EQ(ended.back(), second);
}

TEST_F(WorkerSchedulerTest, ADeadWorkerFreesItsSlot) {
  submitMany(1, 6);
  now += 25ms;
  tick();
  const WorkerHandlePtr handle = running[0];
  std::erase(running, handle);
  scheduler.lost(handle, now);
  EXPECT_EQ(runningOf(1), 3u);
  scheduler.removed(handle, now, actions);
  executeActions();
  EXPECT_EQ(runningOf(1), 4u);
}

TEST_F(WorkerSchedulerTest, WithoutProcessesItRefusesAtOnce) {
  scheduler.pauseStarts(now + 1s);
  submit(1);
  EXPECT_EQ(refused, 1u);
  now += 1s;
  submit(1);
  EXPECT_EQ(runningOf(1), 1u);
}

TEST_F(WorkerSchedulerTest, ReturnsWhenToTickAgain) {
  tick();
  EXPECT_GT(scheduler.nextTick(now), now + 10s) << "nothing happens";
  submit(1);
  EXPECT_EQ(scheduler.nextTick(now), now + 20ms);
  now += 300ms;
  tick();
  finish(running[0]);
  EXPECT_EQ(scheduler.nextTick(now), now + 60s);
}

TEST_F(WorkerSchedulerTest, TakesQueuedJobs) {
  readyAtOnce = false;
  submitMany(1, 3);
  EXPECT_EQ(scheduler.takeWaiting().size(), 3u);
  EXPECT_EQ(scheduler.waiting(), 0u);
}

}  // namespace
}  // namespace mb::workers
