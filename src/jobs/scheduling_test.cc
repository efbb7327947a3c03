#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class SchedulingTest : public QueueFixture {
 protected:
  Kind held(int concurrency, int perProject) {
    Kind kind;
    kind.name = "held";
    kind.handler = [this](JobRun run) { return heldRun(std::move(run)); };
    kind.concurrency = concurrency;
    kind.perProject = perProject;
    return kind;
  }
  // Waits until the queue has had time to start what was put.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      queue_->wake();
      EXPECT_TRUE(run(nothing()));
    }
  }
  static Task<> nothing() { co_return Result<>(); }
};

TEST_F(SchedulingTest, RunsAreBounded) {
  queue_->declare(held(3, 2));
  queue_->start();
  for (int i = 0; i < 4; ++i) put({.kind = "held", .project = 2, .payload = payload("a")});
  recorder_.wait(2);
  settle();
  EXPECT_EQ(running_, 2);
  for (int i = 0; i < 4; ++i) put({.kind = "held", .project = 3, .payload = payload("b")});
  recorder_.wait(3);
  settle();
  EXPECT_EQ(running_, 3);
  EXPECT_EQ(stats().running, 3u);
  EXPECT_EQ(stats().queued, 5u);
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(max_, 3);
}

TEST_F(SchedulingTest, ProjectsAreServedRoundRobin) {
  queue_->declare(noting("note"));
  Kind one = noting("one");
  one.concurrency = one.perProject = 1;
  queue_->declare(std::move(one));
  for (int i = 0; i < 300; ++i) commitOnly({.kind = "one", .project = 2, .payload = payload("many")});
  commitOnly({.kind = "one", .project = 3, .payload = payload("few")});
  queue_->start();
  const auto notes = recorder_.wait(301);
  // The sweep reads the rows of the first project first; once the other's job is in memory it runs next.
  EXPECT_LT(std::find(notes.begin(), notes.end(), "few") - notes.begin(), 299);
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SchedulingTest, JobsOfOneKeyRunInOrder) {
  queue_->declare(noting());
  for (int i = 0; i < 30; ++i) {
    commitOnly({.kind = "note", .payload = payload(fmt::format("{:02}", i)), .orderKey = "k"});
  }
  queue_->start();
  for (int i = 30; i < 60; ++i) put({.kind = "note", .payload = payload(fmt::format("{:02}", i)), .orderKey = "k"});
  const auto notes = recorder_.wait(60);
  EXPECT_TRUE(std::is_sorted(notes.begin(), notes.end()));
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SchedulingTest, OneThatFailsHoldsBackThoseBehindItAndNoOthers) {
  Kind kind;
  kind.name = "flaky";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {1h};
  succeedsAt_ = 2;
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "flaky", .payload = payload("a1"), .orderKey = "a"});
  recorder_.wait(1);
  EXPECT_TRUE(until([&] { return rows()[0].failedAttempts == 1; }));
  put({.kind = "flaky", .payload = payload("a2"), .orderKey = "a"});
  put({.kind = "flaky", .payload = payload("ab1"), .orderKey = "ab"});
  put({.kind = "flaky", .project = 9, .payload = payload("9a1"), .orderKey = "a"});
  recorder_.wait(3);
  settle();
  EXPECT_THAT(recorder_.notes(), testing::UnorderedElementsAre("a1 1", "ab1 1", "9a1 1"));
  clock_.advance(3'600'000);
  queue_->wake();
  recorder_.wait(6);  // the second of each
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].failedAttempts == 1; }));
  clock_.advance(3'600'000);
  queue_->wake();
  recorder_.wait(8);
  std::vector<std::string> ofA;
  for (const std::string& note : recorder_.notes()) {
    if (note.starts_with("a1") || note.starts_with("a2")) ofA.push_back(note);
  }
  EXPECT_THAT(ofA, ElementsAre("a1 1", "a1 2!", "a2 1", "a2 2!"));
}

TEST_F(SchedulingTest, OneThatRepeatsHoldsBackThoseBehindItAndNoOthers) {
  Kind kind;
  kind.name = "twice";
  kind.handler = [this](JobRun run) { return repeatingRun(std::move(run)); };
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "twice", .payload = payload("a1"), .orderKey = "a"});
  recorder_.wait(1);
  EXPECT_TRUE(until([&] { return rows()[0].dueAt == Timestamp{kNowMs + 3'600'000}; }));
  put({.kind = "twice", .payload = payload("a2"), .orderKey = "a"});
  put({.kind = "twice", .payload = payload("again"), .orderKey = "b"});
  recorder_.wait(2);
  settle();
  EXPECT_THAT(recorder_.notes(), ElementsAre("a1 1", "again 1"));
  clock_.advance(3'600'000);
  queue_->wake();
  EXPECT_THAT(recorder_.wait(4), ElementsAre("a1 1", "again 1", "again 1", "a2 1"));
}

TEST_F(SchedulingTest, DeadJobsDoNotHoldBackOthers) {
  Kind kind;
  kind.name = "broken";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  queue_->declare(std::move(kind));
  queue_->start();
  for (const char* text : {"a", "b", "c"}) put({.kind = "broken", .payload = payload(text), .orderKey = "k"});
  EXPECT_THAT(recorder_.wait(3), ElementsAre("a 1!", "b 1!", "c 1!"));
}

TEST_F(SchedulingTest, MoreThanFitIntoMemory) {
  Kind kind = noting();
  kind.concurrency = kind.perProject = 16;
  queue_->declare(std::move(kind));
  for (int i = 0; i < 1500; ++i) {
    commitOnly({.kind = "note", .project = static_cast<store::ProjectNo>(2 + i % 2), .payload = payload("x")});
  }
  queue_->start();
  recorder_.wait(1500);
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(recorder_.notes().size(), 1500u);
}

TEST_F(SchedulingTest, JobsOfUnknownKindsStay) {
  queue_->declare(noting("gone"));
  for (int i = 0; i < 120; ++i) commitOnly({.kind = "gone", .payload = payload("x")});
  ASSERT_TRUE(queue_->stop(20s));
  makeQueue();
  queue_->declare(noting());
  queue_->start();
  put({.kind = "note", .payload = payload("known")});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("known"));
  EXPECT_TRUE(until([&] { return rows().size() == 120; }));
}

TEST_F(SchedulingTest, ARunPastItsTimeoutIsRetriedAndKeepsItsSlot) {
  Kind kind = held(2, 2);
  kind.timeout = 20ms;
  kind.backoff = {1ms};
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "held", .payload = payload("slow")});
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return stats().dead == 1;
  }));
  EXPECT_THAT(recorder_.notes(), ElementsAre("slow begins", "slow begins"));
  EXPECT_EQ(stats().running, 2u);
  EXPECT_EQ(rows().at(0).error, "the job took too long");
  put({.kind = "held", .payload = payload("next")});
  settle();
  EXPECT_EQ(recorder_.notes().size(), 2u);
  barrier_.open();
  EXPECT_TRUE(until([&] { return stats().completed == 1 && stats().running == 0; }));
}

TEST_F(SchedulingTest, AThrowIsAFailure) {
  Kind kind;
  kind.name = "throws";
  kind.handler = [](JobRun) -> Task<> { throw std::runtime_error("a bug"); };
  queue_->declare(std::move(kind));
  queue_->start();
  put({.kind = "throws"});
  EXPECT_TRUE(until([&] { return stats().dead == 1; }));
  EXPECT_EQ(rows().at(0).error, "the job threw: a bug");
}

TEST_F(SchedulingTest, TheStoreMayFailMeanwhile) {
  queue_->declare(noting());
  queue_->start();
  const std::string id = commitOnly({.kind = "note", .payload = payload("x")});
  store_.failWith(ErrorCode::unavailable);
  queue_->wake({id});
  settle();
  EXPECT_TRUE(recorder_.notes().empty());
  store_.failWith(std::nullopt);
  queue_->wake();
  recorder_.wait(1);
  EXPECT_TRUE(untilEmpty());
}

TEST_F(SchedulingTest, StopWaitsForRunsAndKeepsTheOtherJobs) {
  queue_->declare(held(1, 1));
  queue_->start();
  for (const char* text : {"a", "b"}) put({.kind = "held", .payload = payload(text)});
  recorder_.wait(1);
  EXPECT_FALSE(queue_->stop(10ms));
  barrier_.open();
  EXPECT_TRUE(queue_->stop(20s));
  EXPECT_THAT(recorder_.notes(), ElementsAre("a begins", "a ends"));
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0].payload, payload("b"));
  makeQueue();
  queue_->declare(held(1, 1));
  queue_->start();
  EXPECT_TRUE(untilEmpty());
}

}  // namespace
}  // namespace mb::jobs
