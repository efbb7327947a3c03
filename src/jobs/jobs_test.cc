#include "jobs/jobs.h"

#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class JobsTest : public QueueFixture {};

TEST_F(JobsTest, RunsCommittedJobs) {
  queue_->declare(noting());
  queue_->start();
  const std::string id = commitOnly({.kind = "note", .project = 7, .payload = payload("hello")});
  queue_->wake({id});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("hello"));
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(until([&] { return stats().completed == 1 && stats().running == 0; }));
  EXPECT_EQ(stats().failed, 0u);
}

TEST_F(JobsTest, ASweepFindsUnannouncedJobs) {
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .payload = payload("told")});
  recorder_.wait(1);
  commitOnly({.kind = "note", .payload = payload("untold")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("told", "untold"));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(JobsTest, ARunHasTheTraceOfItsJob) {
  Kind kind;
  kind.name = "traced";
  kind.handler = [this](JobRun run) -> Task<> {
    recorder_.note(run.trace);
    co_return Result<>();
  };
  queue_->declare(std::move(kind));
  commitOnly({.kind = "traced", .trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"});
  queue_->start();
  EXPECT_THAT(recorder_.wait(1), ElementsAre("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
}

TEST_F(JobsTest, JobsOfAnEarlierRunAreFound) {
  queue_->declare(noting());
  for (int i = 0; i < 3; ++i) commitOnly({.kind = "note", .payload = payload(std::to_string(i))});
  queue_->start();
  EXPECT_THAT(recorder_.wait(3), UnorderedElementsAre("0", "1", "2"));
}

TEST_F(JobsTest, InvalidJobsAreRejected) {
  queue_->declare(noting());
  EXPECT_FALSE(queue_->insertOf({.kind = "other"}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .id = std::string(201, 'x')}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .id = "a\nb"}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .orderKey = std::string(201, 'x')}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .orderKey = "a\x01"}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .payload = payload(std::string(kMaxPayloadBytes, 'x'))}));
  EXPECT_FALSE(queue_->insertOf({.kind = "note", .trace = std::string(56, 'x')}));
  const auto job = queue_->insertOf({.kind = "note", .id = std::string(200, 'x')});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id(), std::string(200, 'x'));
  EXPECT_EQ(job->collection.project, store::kControlProject);
}

TEST_F(JobsTest, AnIdDeduplicatesWhileTheJobWaits) {
  queue_->declare(noting());
  EXPECT_EQ(put({.kind = "note", .id = "same", .payload = payload("first")}), "same");
  EXPECT_EQ(put({.kind = "note", .id = "same", .payload = payload("second")}), "same");
  queue_->start();
  recorder_.wait(1);
  EXPECT_TRUE(untilEmpty());
  put({.kind = "note", .id = "same", .payload = payload("third")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("first", "third"));
}

TEST_F(JobsTest, FailuresAreRetried) {
  Kind kind;
  kind.name = "flaky";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {1ms, 2ms, 3ms};
  succeedsAt_ = 3;
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "flaky", .payload = payload("x")});
  recorder_.wait(1);
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return rows().empty();
  }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("x 1", "x 2", "x 3"));
  EXPECT_TRUE(until([&] { return stats().completed == 1; }));
  EXPECT_EQ(stats().failed, 2u);
}

TEST_F(JobsTest, ARetryWaitsForItsTime) {
  Kind kind;
  kind.name = "flaky";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {1h};
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "flaky", .payload = payload("x")});
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].failedAttempts == 1; }));
  EXPECT_EQ(rows()[0].dueAt.ms, kNowMs + 3'600'000);
  clock_.advance(3'599'999);
  queue_->wake();
  put({.kind = "flaky", .payload = payload("y")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("x 1", "y 1"));
  clock_.advance(1);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(3), ElementsAre("x 1", "y 1", "x 2!"));
}

TEST_F(JobsTest, AfterTheLastAttemptItIsDeadLettered) {
  Kind kind;
  kind.name = "broken";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "broken", .payload = payload("x")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("x 1!"));
  EXPECT_TRUE(until([&] { return stats().dead == 1; }));
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_TRUE(rows()[0].dead);
  EXPECT_EQ(rows()[0].error, "request failed: n?? connection");
  EXPECT_EQ(rows()[0].payload, payload("x"));
  queue_->wake();
  queue_->wake({rows()[0].id});
  put({.kind = "broken", .payload = payload("y")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("x 1!", "y 1!"));
}

TEST_F(JobsTest, SomeErrorsEndItAtOnce) {
  Kind kind;
  kind.name = "broken";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {1ms, 1ms};
  kind.isFinal = [](const Error& error) { return error.code() == ErrorCode::upstreamFailed; };
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "broken", .payload = payload("x")});
  EXPECT_TRUE(until([&] { return stats().dead == 1; }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("x 1"));
}

TEST_F(JobsTest, DeadJobsAreRemovedAfterAWeek) {
  Kind kind;
  kind.name = "broken";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  queue_->declare(kind);
  queue_->start();
  put({.kind = "broken", .payload = payload("old")});
  EXPECT_TRUE(until([&] { return stats().dead == 1; }));
  clock_.advance(6LL * 24 * 3'600'000);
  put({.kind = "broken", .payload = payload("new")});
  EXPECT_TRUE(until([&] { return stats().dead == 2; }));
  ASSERT_TRUE(queue_->stop(20s));
  clock_.advance(25LL * 3'600'000);
  makeQueue();
  queue_->declare(kind);
  queue_->start();
  EXPECT_TRUE(until([&] { return rows().size() == 1; }));
  EXPECT_EQ(rows()[0].payload, payload("new"));
}

TEST_F(JobsTest, NotBeforeItsTime) {
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .payload = payload("soon"), .notBefore = Timestamp{kNowMs + 5'000}});
  put({.kind = "note", .payload = payload("late"), .notBefore = Timestamp{kNowMs + 500'000}});
  put({.kind = "note", .payload = payload("past"), .notBefore = Timestamp{kNowMs - 5}});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("past"));
  clock_.advance(5'000);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(2), ElementsAre("past", "soon"));
  clock_.advance(495'000);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(3), ElementsAre("past", "soon", "late"));
}

TEST_F(JobsTest, PeriodicJobsComeBack) {
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .id = "tick", .payload = payload("tick"), .repeatEvery = 10s});
  for (size_t n = 1; n <= 3; ++n) {
    EXPECT_EQ(recorder_.wait(n).size(), n);
    EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].dueAt > clock_.now(); }));
    clock_.advance(10'000);
    queue_->wake();
  }
  recorder_.wait(4);
  EXPECT_TRUE(*run(queue_->cancel("tick")));
  EXPECT_FALSE(*run(queue_->cancel("tick")));
}

TEST_F(JobsTest, MissedFiresAreLeftOut) {
  queue_->declare(noting());
  put({.kind = "note", .id = "tick", .payload = payload("tick"), .repeatEvery = 10s});
  clock_.advance(34'000);  // the server was down
  queue_->start();
  recorder_.wait(1);
  // The next fire is where it would have been without the pause.
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].dueAt == Timestamp{kNowMs + 40'000}; }));
  clock_.advance(5'999);
  queue_->wake();
  put({.kind = "note", .payload = payload("between")});
  EXPECT_THAT(recorder_.wait(2), ElementsAre("tick", "between"));
  clock_.advance(1);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(3), ElementsAre("tick", "between", "tick"));
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].dueAt == Timestamp{kNowMs + 50'000}; }));
}

TEST_F(JobsTest, ARetryMovesNoLaterFire) {
  Kind kind;
  kind.name = "flaky";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {3s};
  succeedsAt_ = 2;
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "flaky", .payload = payload("x"), .repeatEvery = 10s});
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].dueAt == Timestamp{kNowMs + 3'000}; }));
  clock_.advance(3'000);
  queue_->wake();
  EXPECT_TRUE(until([&] { return rows()[0].dueAt == Timestamp{kNowMs + 10'000}; }));
  EXPECT_EQ(rows()[0].failedAttempts, 0);
}

TEST_F(JobsTest, SealedPayloadsAreNotReadable) {
  queue_->declare(noting());
  const std::string id = commitOnly({.kind = "note", .payload = payload("a one-time token"), .sealed = true});
  for (const auto& document : store_.all({store::kControlProject, kJobs, 0})) {
    EXPECT_EQ(document.bytes().find("one-time"), std::string::npos);
  }
  queue_->start();
  EXPECT_THAT(recorder_.wait(1), ElementsAre("a one-time token"));
}

TEST_F(JobsTest, AJobThatRepeatsHasAllItsAttemptsAgain) {
  Kind kind;
  kind.name = "twice";
  kind.handler = [this](JobRun run) { return repeatingRun(std::move(run)); };
  kind.backoff = {1ms};
  succeedsAt_ = 2;
  queue_->declare(std::move(kind));
  queue_->start();
  const std::string id = put({.kind = "twice", .payload = payload("first"), .sealed = true});
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return recorder_.notes().size() == 2 && rows()[0].failedAttempts == 0;
  }));
  EXPECT_EQ(rows()[0].id, id);
  EXPECT_TRUE(rows()[0].error.empty());
  EXPECT_FALSE(rows()[0].sealed.empty());
  for (const auto& document : store_.all({store::kControlProject, kJobs, 0})) {
    EXPECT_EQ(document.bytes().find("again"), std::string::npos);
  }
  clock_.advance(3'600'000);
  queue_->wake();
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return rows().empty();
  }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("first 1", "first 2", "again 1", "again 2"));
}

TEST_F(JobsTest, CancelledJobsDoNotRun) {
  queue_->declare(noting());
  queue_->start();
  const std::string id = put({.kind = "note", .payload = payload("no"), .notBefore = Timestamp{kNowMs + 1'000}});
  EXPECT_TRUE(*run(queue_->cancel(id)));
  clock_.advance(2'000);
  put({.kind = "note", .payload = payload("yes")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("yes"));
  EXPECT_TRUE(untilEmpty());
  EXPECT_THAT(recorder_.notes(), ElementsAre("yes"));
}

TEST_F(JobsTest, AHandlerMayCompleteItsJobItself) {
  Kind kind;
  kind.name = "own";
  struct Own {
    store::DocumentStore& store;
    RunRecorder& recorder;
    Task<> handle(JobRun run) {
      store::Write write({.deadline = run.deadline, .actor = {}, .bumpEpochs = {}});
      const store::Target row = write.change(Queue::rowOf(run));
      CO_RETURN_IF_ERROR(
          co_await store.write(std::move(write), [row](const store::PreImages&, store::Changes& changes) -> Result<> {
            changes.remove(row);
            return {};
          }));
      recorder.note("done");
      co_return Result<>();
    }
  } own{store_, recorder_};
  kind.handler = [&own](JobRun run) { return own.handle(std::move(run)); };
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "own"});
  EXPECT_TRUE(until([&] { return stats().completed == 1; }));
  EXPECT_TRUE(rows().empty());
}

}  // namespace
}  // namespace mb::jobs
