// Jobs of suspended projects: they wait, use no capacity of other projects, keep their attempts, and continue at the
// resume.
#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class SuspensionTest : public QueueFixture {
 protected:
  SuspensionTest() { declareMarker(); }
  void declareMarker() {
    Kind kind;
    kind.name = "zmarker";  // the last name: its run begins last in an iteration of the loop
    kind.handler = [this](JobRun) { return mark(); };
    queue_->declare(std::move(kind));
  }
  Task<> mark() {
    ++marks_;
    co_return Result<>();
  }
  // Waits for a sweep, for the run of a job that was put after all others, and for the end of every run that began
  // until then. A job that has not run by then does not run.
  void settle() {
    const int before = marks_;
    queue_->wake();
    put({.kind = "zmarker"});
    EXPECT_TRUE(until([&] { return marks_ > before; }));
    EXPECT_TRUE(until([&] {
      return std::ranges::all_of(queue_->stats(),
                                 [](const KindStats& each) { return each.running == 0 && each.queued == 0; });
    }));
  }
  Kind flaky(std::vector<std::chrono::milliseconds> backoff) {
    Kind kind;
    kind.name = "flaky";
    kind.handler = [this](JobRun run) { return failAtBarrier(std::move(run)); };
    kind.backoff = std::move(backoff);
    return kind;
  }
  // Fails once the barrier is open, except for the attempt in `succeedsAt_`.
  Task<> failAtBarrier(JobRun run) {
    ++running_;
    co_await barrier_.pass();
    --running_;
    co_return co_await failingRun(std::move(run));
  }
  Kind refusable() {
    Kind kind;
    kind.name = "refused";
    kind.handler = [this](JobRun run) { return refusedRun(std::move(run)); };
    kind.backoff = {1h};
    return kind;
  }
  Task<> refusedRun(JobRun run) {
    ++running_;
    co_await barrier_.pass();
    recorder_.note(fmt::format("{}", run.attempt));
    if (refuses_.exchange(false)) co_return fail(ErrorCode::projectSuspended, "the project was suspended");
    co_return Result<>();
  }
  std::vector<std::string> sorted() {
    std::vector<std::string> notes = recorder_.notes();
    std::ranges::sort(notes);
    return notes;
  }

  std::atomic<bool> refuses_ = true;
  std::atomic<int> marks_ = 0;
};

TEST_F(SuspensionTest, JobsWaitForTheResume) {
  queue_->declare(noting());
  queue_->start();
  suspend(2);
  for (int i = 0; i < 3; ++i) put({.kind = "note", .project = 2, .payload = payload("waits")});
  put({.kind = "note", .project = 3, .payload = payload("runs")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("runs"));
  settle();
  EXPECT_THAT(recorder_.notes(), ElementsAre("runs"));
  EXPECT_EQ(rows().size(), 3u);
  resume(2);
  EXPECT_TRUE(untilEmpty());
  EXPECT_THAT(sorted(), ElementsAre("runs", "waits", "waits", "waits"));
}

TEST_F(SuspensionTest, TheyLeaveMemoryToOtherProjects) {
  queue_->declare(noting());
  for (store::ProjectNo project = 2; project < 8; ++project) {
    commitStatus(project, true);
    for (int i = 0; i < 300; ++i) commitOnly({.kind = "note", .project = project, .payload = payload("a")});
  }
  for (int i = 0; i < 300; ++i) commitOnly({.kind = "note", .project = 9, .payload = payload("b")});
  queue_->start();
  const auto notes = recorder_.wait(300);
  EXPECT_EQ(std::ranges::count(notes, "b"), 300);
  EXPECT_TRUE(until([&] { return stats().queued == 0 && rows().size() == 1800; }));
  for (store::ProjectNo project = 2; project < 8; ++project) resume(project);
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(recorder_.notes().size(), 2100u);
}

TEST_F(SuspensionTest, JobsLeaveMemoryAtTheSuspension) {
  Kind kind;
  kind.name = "held";
  kind.handler = [this](JobRun run) { return heldRun(std::move(run)); };
  kind.concurrency = 2;
  kind.perProject = 1;
  queue_->declare(std::move(kind));
  for (int i = 0; i < 400; ++i) commitOnly({.kind = "held", .project = 2, .payload = payload("a")});
  for (int i = 0; i < 20; ++i) {
    commitOnly(
        {.kind = "held", .project = 2, .payload = payload("later"), .notBefore = Timestamp{clock_.now().ms + 30'000}});
  }
  queue_->start();
  recorder_.wait(1);
  EXPECT_TRUE(until([&] { return stats().queued >= BufferedJobs::kOfProject - 1; }));
  suspend(2);
  EXPECT_TRUE(until([&] { return stats().queued == 0; }));
  put({.kind = "held", .project = 3, .payload = payload("b")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("a begins", "b begins"));
  barrier_.open();
  // The current run ends; no other run of its project begins.
  EXPECT_TRUE(until([&] { return rows().size() == 419; }));
  settle();
  EXPECT_EQ(recorder_.notes().size(), 4u);
  resume(2);
  EXPECT_TRUE(until([&] { return rows().size() == 20; }));
  clock_.advance(30'000);
  queue_->wake();
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(recorder_.notes().size(), 842u);
}

TEST_F(SuspensionTest, ARetryIsNoAttemptUntilTheResume) {
  succeedsAt_ = 3;
  queue_->declare(flaky({1s, 1s}));
  queue_->start();
  put({.kind = "flaky", .project = 2, .payload = payload("a")});
  EXPECT_TRUE(until([&] { return running_ == 1; }));
  suspend(2);
  barrier_.open();
  EXPECT_THAT(recorder_.wait(1), ElementsAre("a 1"));
  EXPECT_TRUE(until([&] { return rows().at(0).failedAttempts == 1; }));
  for (int i = 0; i < 5; ++i) {
    clock_.advance(10'000);
    settle();
  }
  EXPECT_THAT(recorder_.notes(), ElementsAre("a 1"));
  EXPECT_EQ(rows().at(0).failedAttempts, 1);
  EXPECT_EQ(stats().queued, 0u);
  resume(2);
  recorder_.wait(2);
  EXPECT_TRUE(until([&] {
    clock_.advance(1000);
    queue_->wake();
    return rows().empty();
  }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("a 1", "a 2", "a 3!"));
}

TEST_F(SuspensionTest, TheOrderOfAKeyIsKept) {
  queue_->declare(noting());
  queue_->start();
  suspend(2);
  for (const char* text : {"1", "2", "3", "4", "5"}) {
    put({.kind = "note", .project = 2, .payload = payload(text), .orderKey = "k", .group = "g"});
  }
  settle();
  EXPECT_TRUE(recorder_.notes().empty());
  resume(2);
  EXPECT_THAT(recorder_.wait(5), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, ASuspensionInTheMiddleOfAKeyKeepsItsOrder) {
  Kind kind;
  kind.name = "held";
  kind.handler = [this](JobRun run) { return heldRun(std::move(run)); };
  queue_->declare(std::move(kind));
  queue_->start();
  for (const char* text : {"1", "2", "3"}) {
    put({.kind = "held", .project = 2, .payload = payload(text), .orderKey = "k"});
  }
  recorder_.wait(1);
  suspend(2);
  barrier_.open();
  EXPECT_TRUE(until([&] { return rows().size() == 2; }));
  settle();
  EXPECT_THAT(recorder_.notes(), ElementsAre("1 begins", "1 ends"));
  resume(2);
  EXPECT_THAT(recorder_.wait(6), ElementsAre("1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, ARestartKeepsThemWaiting) {
  queue_->declare(noting());
  commitStatus(2, true);
  for (int i = 0; i < 100; ++i) commitOnly({.kind = "note", .project = 2, .payload = payload("a")});
  queue_->start();
  settle();
  ASSERT_TRUE(queue_->stop(20s));
  makeQueue();
  declareMarker();
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .project = 3, .payload = payload("b")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("b"));
  settle();
  EXPECT_EQ(rows().size(), 100u);
  resume(2);
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(recorder_.notes().size(), 101u);
}

TEST_F(SuspensionTest, RunsAndSweepsNoticeWithoutANotification) {
  Kind kind;
  kind.name = "held";
  kind.handler = [this](JobRun run) { return heldRun(std::move(run)); };
  kind.concurrency = kind.perProject = 1;
  queue_->declare(std::move(kind));
  queue_->start();
  for (int i = 0; i < 50; ++i) put({.kind = "held", .project = 2, .payload = payload("a")});
  EXPECT_TRUE(until([&] { return stats().queued == 49; }));
  commitStatus(2, true);
  barrier_.open();
  EXPECT_TRUE(until([&] { return stats().queued == 0 && stats().running == 0; }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("a begins", "a ends"));
  EXPECT_EQ(rows().size(), 49u);
  commitStatus(2, false);
  queue_->wake();  // starts a sweep, like the end of its pause
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, ARunThatTheSuspensionRefusedIsNoAttempt) {
  queue_->declare(refusable());
  queue_->start();
  put({.kind = "refused", .project = 2});
  EXPECT_TRUE(until([&] { return running_ == 1; }));
  suspend(2);
  barrier_.open();
  EXPECT_TRUE(until([&] { return recorder_.notes().size() == 1 && stats().running == 0; }));
  settle();
  EXPECT_EQ(rows().at(0).failedAttempts, 0);
  resume(2);
  EXPECT_THAT(recorder_.wait(2), ElementsAre("1", "1"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, ARefusalInAnActiveProjectIsAFailedAttempt) {
  queue_->declare(refusable());
  queue_->start();
  barrier_.open();
  put({.kind = "refused", .project = 2});
  EXPECT_TRUE(until([&] { return rows().at(0).failedAttempts == 1; }));
  clock_.advance(3'600'000);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(2), ElementsAre("1", "2"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, AStateThatCannotBeReadMakesJobsWait) {
  queue_->declare(noting());
  queue_->start();
  suspended_.failWith(ErrorCode::unavailable);
  put({.kind = "note", .project = 2, .payload = payload("a")});
  put({.kind = "note", .payload = payload("control")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("control"));
  settle();
  EXPECT_THAT(recorder_.notes(), ElementsAre("control"));
  suspended_.failWith(std::nullopt);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(2), ElementsAre("control", "a"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SuspensionTest, TheStateIsReadOncePerEpoch) {
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .project = 2, .payload = payload("first")});
  EXPECT_TRUE(untilEmpty());
  const int calls = suspended_.calls();
  for (int i = 0; i < 20; ++i) put({.kind = "note", .project = 2, .payload = payload("more")});
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(suspended_.calls(), calls);
  store_.bumpEpoch(2);
  put({.kind = "note", .project = 2, .payload = payload("last")});
  EXPECT_TRUE(untilEmpty());
  EXPECT_GT(suspended_.calls(), calls);
}

}  // namespace
}  // namespace mb::jobs
