// The frames of a compromised worker. Each ends its run with an error, and the worker; the next run gets another one.
#include "workers/workers_fixture.h"

namespace mb::workers {
namespace {

class HostileWorker : public WorkersFixture, public ::testing::WithParamInterface<const char*> {};

TEST_P(HostileWorker, IsKilledAndItsRunFails) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->holds = std::string_view(GetParam()) == "17 calls at once";
  const RunOutcome outcome = run(GetParam(), {.bridge = bridge, .timeout = std::chrono::seconds(60)});
  bridge->holds = false;
  EXPECT_EQ(outcome.status, RunStatus::error);
  EXPECT_EQ(outcome.error, "the function's process ended before it returned a result");
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(workers_.stats().killed, 1u);
  EXPECT_EQ(textOf(run("runs")), "1") << "another worker";
  EXPECT_EQ(textOf(run("pid", {.project = 2})).substr(0, 6).find("failed"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Frames, HostileWorker,
                         ::testing::Values("wrong run", "unknown kind", "kind of the server", "endless length",
                                           "no length", "too large result", "no value", "cut value", "two values",
                                           "no large value", "not UTF-8", "no such log level", "a line too much",
                                           "a line too long", "no such reason", "message too long", "stack too long",
                                           "17 calls at once", "1001 calls", "a call's number twice",
                                           "an endless operation", "arguments that are no array",
                                           "arguments that are none", "too large arguments", "arguments and more",
                                           "ready again", "checked what runs", "refused what runs", "a flood",
                                           "lines without end"));

class HostileLater : public WorkersFixture {};

// A frame after a run's end belongs to no run.
TEST_F(HostileLater, IsKilledForAFrameWhileIdle) {
  for (const char* word : {"more after the end", "done twice"}) {
    EXPECT_EQ(textOf(run(word)), "ok");
    EXPECT_TRUE(eventually([&] { return workers_.stats().killed > 0; })) << word;
  }
  EXPECT_TRUE(eventually([&] { return workers_.stats().killed == 2; }));
  EXPECT_EQ(textOf(run("runs")), "1");
}

TEST_F(HostileLater, IsKilledForACallThatTheRunMayNotMake) {
  EXPECT_EQ(run("call").status, RunStatus::error);
  EXPECT_EQ(workers_.stats().killed, 1u);
}

// Replies that a run does not read end with the run.
TEST_F(HostileLater, MayLeaveRepliesUnread) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->large = true;
  const RunOutcome outcome = run("unread answers", {.bridge = bridge, .timeout = std::chrono::milliseconds(300)});
  EXPECT_EQ(outcome.status, RunStatus::timeout);
  EXPECT_EQ(textOf(run("runs")), "1");
}

// Past 64 MiB of arguments and results a run's calls fail; the worker lives.
TEST_F(HostileLater, BoundsWhatCallsCarry) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->large = true;
  EXPECT_EQ(textOf(run("30 calls", {.bridge = bridge})),
            "PAYLOAD_TOO_LARGE: the calls of one run carry at most 64 MiB");
  EXPECT_EQ(workers_.stats().killed, 0u);
}

TEST_F(HostileLater, IsKilledForASixthLookup) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->given = clone::BridgeKind::lookup;
  EXPECT_EQ(run("30 calls", {.bridge = bridge}).status, RunStatus::error);
  EXPECT_EQ(bridge->calls, 5);
  EXPECT_EQ(workers_.stats().killed, 1u);
}

}  // namespace
}  // namespace mb::workers
