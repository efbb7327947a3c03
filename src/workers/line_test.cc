#include "workers/line.h"

#include <gtest/gtest.h>

namespace mb::workers {
namespace {

using namespace std::chrono_literals;

// A line of two cores and eight places, whose processes are ready at once or when a test says so.
class LineTest : public ::testing::Test {
 protected:
  JobPtr job(store::ProjectNo project, RunClass runClass = RunClass::normal, int core = 0) {
    auto made = std::make_shared<Job>();
    made->project = project;
    made->runClass = runClass;
    made->core = core;
    made->timeout = 2000ms;
    made->waitUntil = now + (runClass == RunClass::preHook ? 2000ms : 1000ms);
    return made;
  }
  void submit(store::ProjectNo project, RunClass runClass = RunClass::normal, int core = 0) {
    line.submit(job(project, runClass, core), now, orders);
    note();
  }
  void submitMany(store::ProjectNo project, int count) {
    for (int i = 0; i < count; ++i) submit(project);
  }
  // What the orders say becomes true, processes are ready at once.
  void note() {
    while (!orders.start.empty() || !orders.end.empty() || !orders.begin.empty() || !orders.refuse.empty()) {
      Orders done = std::exchange(orders, {});
      for (auto& next : done.begin) {
        running.push_back(next.seat);
        began.push_back(next.job->project);
        jobs.push_back(next.job);
      }
      for (auto& seat : done.start) {
        if (readyAtOnce) line.ready(seat, now, orders);
        if (!readyAtOnce) starting.push_back(seat);
      }
      for (auto& last : done.end) {
        ended.push_back(last.seat);
        std::erase(running, last.seat);
        line.gone(last.seat, now, orders);
      }
      refused += done.refuse.size();
    }
  }
  void look() {
    line.look(now, orders);
    note();
  }
  void finish(const SeatPtr& seat, bool fit = true) {
    const SeatPtr kept = seat;
    std::erase(running, kept);
    line.freed(kept, fit, now, orders);
    note();
  }
  size_t runningOf(store::ProjectNo project) const {
    return static_cast<size_t>(
        std::ranges::count_if(running, [=](const SeatPtr& seat) { return seat->project == project; }));
  }
  SeatPtr oneOf(store::ProjectNo project) const {
    const auto found = std::ranges::find_if(running, [=](const SeatPtr& seat) { return seat->project == project; });
    return found == running.end() ? nullptr : *found;
  }

  Line line{LineLimits(), 2};
  Time now{1h};
  bool readyAtOnce = true;
  Orders orders;
  std::vector<SeatPtr> running, ended, starting;
  std::vector<store::ProjectNo> began;
  std::vector<JobPtr> jobs;
  size_t refused = 0;
};

TEST_F(LineTest, KeepsBlanksReady) {
  look();
  EXPECT_EQ(line.count(SeatState::blank), 2u);
  submit(1);
  EXPECT_EQ(line.count(SeatState::blank), 1u);
  look();
  EXPECT_EQ(line.count(SeatState::blank), 1u) << "not while the run that took one begins";
  now += 300ms;
  look();
  EXPECT_EQ(line.count(SeatState::blank), 2u);
}

TEST_F(LineTest, GivesAProjectAWorkerACoreAtOnceAndHalfOfAllWhenItsLineStands) {
  submitMany(1, 10);
  EXPECT_EQ(runningOf(1), 2u);
  now += 25ms;
  look();
  EXPECT_EQ(runningOf(1), 4u);
  now += 25ms;
  look();
  EXPECT_EQ(runningOf(1), 4u) << "half of all";
  EXPECT_EQ(line.waiting(), 6u);
}

TEST_F(LineTest, ReusesTheWorkerUsedLastAndPrefersItsOwnCore) {
  submitMany(1, 2);
  const SeatPtr first = running[0], second = running[1];
  ASSERT_NE(first->core, second->core);
  finish(first);
  finish(second);
  submit(1, RunClass::normal, first->core);
  EXPECT_EQ(running.back(), first);
  finish(first);
  submit(1, RunClass::normal, second->core);
  EXPECT_EQ(running.back(), second);
}

TEST_F(LineTest, RunsOfTheSameCoreGoFirstButNotForever) {
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

TEST_F(LineTest, OthersThatWaitLeaveAProjectAWorkerACore) {
  submitMany(1, 30);
  now += 25ms;
  look();
  ASSERT_EQ(runningOf(1), 4u);
  // Three more places are for others; the eighth for pre-hooks.
  submitMany(2, 5);
  submitMany(3, 5);
  EXPECT_EQ(runningOf(2), 2u);
  EXPECT_EQ(runningOf(3), 1u);
  for (int i = 0; i < 4; ++i) {
    if (const SeatPtr seat = oneOf(1)) finish(seat);
  }
  EXPECT_EQ(runningOf(1), 2u);
  EXPECT_EQ(runningOf(3), 2u);
}

TEST_F(LineTest, TheLastPlaceIsForPreHooks) {
  for (store::ProjectNo project = 1; project <= 10; ++project) submit(project);
  EXPECT_EQ(running.size(), 7u);
  submit(20, RunClass::preHook);
  EXPECT_EQ(runningOf(20), 1u);
  submit(21, RunClass::preHook);
  EXPECT_EQ(runningOf(21), 0u);
}

TEST_F(LineTest, AProjectWhoseWorkersAreBusyMayRunOnePreHookMore) {
  submitMany(1, 10);
  now += 25ms;
  look();
  ASSERT_EQ(runningOf(1), 4u);
  submit(1, RunClass::preHook);
  EXPECT_EQ(runningOf(1), 5u);
  EXPECT_EQ(jobs.back()->runClass, RunClass::preHook);
}

TEST_F(LineTest, PreHooksGoFirstAndTheirWaitingCounts) {
  submitMany(1, 8);
  now += 25ms;
  look();
  submit(1, RunClass::preHook);
  submit(1, RunClass::preHook);
  ASSERT_EQ(line.waiting(), 5u);
  now += 500ms;
  finish(running[0]);
  EXPECT_EQ(jobs.back()->runClass, RunClass::preHook);
  EXPECT_EQ(jobs.back()->timeout, 1500ms);
}

TEST_F(LineTest, ALineHas64OfAProjectAnd1024InAll) {
  readyAtOnce = false;
  submitMany(1, 70);
  EXPECT_EQ(line.waiting(), 64u);
  EXPECT_EQ(refused, 6u);
  for (store::ProjectNo project = 2; project < 20; ++project) submitMany(project, 64);
  EXPECT_EQ(line.waiting(), 1024u);
}

TEST_F(LineTest, NobodyWaitsLongerThanASecond) {
  readyAtOnce = false;
  submitMany(1, 3);
  submit(1, RunClass::preHook);
  now += 999ms;
  look();
  EXPECT_EQ(refused, 0u);
  now += 1ms;
  look();
  EXPECT_EQ(refused, 3u);
  now += 1000ms;
  look();
  EXPECT_EQ(refused, 4u);
  EXPECT_EQ(line.waiting(), 0u);
}

// Sixteen projects that always want more than eight places: each gets its turn.
TEST_F(LineTest, ManyProjectsTakeTurns) {
  std::map<store::ProjectNo, int> runs;
  for (int round = 0; round < 400; ++round) {
    for (store::ProjectNo project = 1; project <= 16; ++project) {
      while (true) {
        const size_t before = refused;
        submit(project);
        if (refused > before || line.waiting() > 200) break;
        if (runningOf(project) > 0) break;
        break;
      }
    }
    for (const SeatPtr& seat : std::vector(running)) {
      ++runs[seat->project];
      finish(seat);
    }
    now += 5ms;
    look();
  }
  for (store::ProjectNo project = 1; project <= 16; ++project) EXPECT_GT(runs[project], 20) << project;
}

TEST_F(LineTest, WhoHasMostGivesItsPlaceFirst) {
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

TEST_F(LineTest, AnIdleWorkerIsEndedForWhomHasNone) {
  for (store::ProjectNo project = 1; project <= 7; ++project) submit(project);
  for (const SeatPtr& seat : std::vector(running)) {
    now += 1ms;
    finish(seat);
  }
  ended.clear();
  submit(30);
  submit(31);
  EXPECT_EQ(runningOf(30) + runningOf(31), 2u);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->project, 1u) << "the one idle for longest";
}

TEST_F(LineTest, AProjectsOnlyWorkerIsNotEndedForOthersFurtherOnes) {
  submit(1);
  finish(running[0]);
  submitMany(2, 30);
  submitMany(3, 30);
  submitMany(4, 30);
  submitMany(5, 30);
  for (int i = 0; i < 5; ++i) {
    now += 25ms;
    look();
  }
  EXPECT_EQ(line.count(SeatState::idle), 1u);
  // One that has none gets it.
  submit(6, RunClass::preHook);
  EXPECT_EQ(runningOf(6), 1u);
  EXPECT_EQ(line.count(SeatState::idle), 0u);
}

TEST_F(LineTest, IdleWorkersEnd) {
  submit(1);
  finish(running[0]);
  now += 59s;
  look();
  EXPECT_EQ(line.count(SeatState::idle), 1u);
  now += 1s;
  look();
  EXPECT_EQ(line.count(SeatState::idle), 0u);
  EXPECT_EQ(line.count(SeatState::blank), 2u) << "blank ones stay";
}

TEST_F(LineTest, BlankOnesAreWorthMoreThanLongIdleOnes) {
  for (store::ProjectNo project = 1; project <= 7; ++project) {
    submit(project);
    finish(running[0]);
    now += 10ms;
  }
  submit(8);
  finish(running[0]);
  ASSERT_EQ(line.count(SeatState::idle), 8u);
  now += 1900ms;
  look();
  EXPECT_EQ(line.count(SeatState::idle), 8u);
  now = line.nextLook(now);
  look();
  look();
  EXPECT_GE(line.count(SeatState::blank), 1u);
  EXPECT_EQ(ended[0]->project, 1u);
}

TEST_F(LineTest, RetiresWhatIsNotFitAndWhatHasRunOften) {
  submit(1);
  const SeatPtr first = running[0];
  finish(first, false);
  EXPECT_EQ(ended, std::vector{first});
  submit(1);
  const SeatPtr second = running[0];
  second->runs = 10'000;
  finish(second);
  EXPECT_EQ(ended.back(), second);
}

TEST_F(LineTest, AWorkerThatDiesFreesItsPlace) {
  submitMany(1, 6);
  now += 25ms;
  look();
  const SeatPtr seat = running[0];
  std::erase(running, seat);
  line.lost(seat, now);
  EXPECT_EQ(runningOf(1), 3u);
  line.gone(seat, now, orders);
  note();
  EXPECT_EQ(runningOf(1), 4u);
}

TEST_F(LineTest, WithoutProcessesItRefusesAtOnce) {
  line.pauseStarts(now + 1s);
  submit(1);
  EXPECT_EQ(refused, 1u);
  now += 1s;
  submit(1);
  EXPECT_EQ(runningOf(1), 1u);
}

TEST_F(LineTest, SaysWhenToLookAgain) {
  look();
  EXPECT_GT(line.nextLook(now), now + 10s) << "nothing happens";
  submit(1);
  EXPECT_EQ(line.nextLook(now), now + 20ms);
  now += 300ms;
  look();
  finish(running[0]);
  EXPECT_EQ(line.nextLook(now), now + 60s);
}

TEST_F(LineTest, TakesWhatWaits) {
  readyAtOnce = false;
  submitMany(1, 3);
  EXPECT_EQ(line.takeWaiting().size(), 3u);
  EXPECT_EQ(line.waiting(), 0u);
}

}  // namespace
}  // namespace mb::workers
