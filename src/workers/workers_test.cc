#include <signal.h>

#include <set>

#include "workers/workers_fixture.h"

namespace mb::workers {
namespace {

using namespace std::chrono_literals;

class WorkersTest : public WorkersFixture {};

TEST_F(WorkersTest, RunsAndReturnsTheResult) {
  const RunOutcome echo = run("echo", {.event = text("hello")});
  ASSERT_EQ(echo.status, RunStatus::success) << echo.error;
  EXPECT_EQ(echo.result.view().asDocument().stringOr("text"), "hello");
  EXPECT_GT(echo.wall.count(), 0);
  EXPECT_LE(echo.cpu.count(), 7);
  EXPECT_EQ(run("undefined").result.type(), doc::BsonType::null);
}

TEST_F(WorkersTest, DecodesLargeValuesOnAnotherThread) {
  const auto bridge = std::make_shared<FakeBridge>();
  EXPECT_EQ(textOf(run("large")).size(), 1u << 20);
  EXPECT_EQ(textOf(run("large call", {.bridge = bridge})), "db.find");
  EXPECT_EQ(textOf(run("large call", {.bridge = bridge, .core = 1})), "db.find");
  EXPECT_EQ(workers_.stats().killed, 0u);
}

TEST_F(WorkersTest, AProcessHasNothingButItsSocket) {
  EXPECT_EQ(textOf(run("surroundings")), "0 1 2 3 PATH=/usr/bin:/bin / leader");
}

TEST_F(WorkersTest, ReportsWhyARunFailed) {
  const RunOutcome thrown = run("throws");
  EXPECT_EQ(thrown.status, RunStatus::error);
  EXPECT_EQ(thrown.error, "TypeError: no");
  EXPECT_EQ(thrown.stack, "at handler (3:7)");
  EXPECT_EQ(run("silent").error, "the function waits for something that can no longer happen");
  EXPECT_EQ(run("huge key").error, "the result holds a key with a NUL");
  const RunOutcome late = run("late");
  EXPECT_EQ(late.status, RunStatus::timeout);
  EXPECT_EQ(late.error, "the function did not end within 20000 ms");
  EXPECT_TRUE(late.logs.empty());
}

TEST_F(WorkersTest, KeepsLogLinesWithLevelAndTime) {
  const RunOutcome outcome = run("logs");
  ASSERT_EQ(outcome.logs.size(), 200u);
  EXPECT_EQ(outcome.logs[3].level, clone::LogLevel::error);
  EXPECT_EQ(outcome.logs[199].message, "line 199");
  EXPECT_EQ(outcome.logs[0].at, clock_.now());
}

TEST_F(WorkersTest, AWorkerStaysWithItsProject) {
  const std::string first = textOf(run("pid", {.project = 1}));
  EXPECT_EQ(textOf(run("pid", {.project = 1})), first);
  EXPECT_NE(textOf(run("pid", {.project = 2})), first);
  EXPECT_EQ(textOf(run("pid", {.project = 1, .core = 1})), first) << "a run of another core takes it too";
}

TEST_F(WorkersTest, KeepsOnly32Modules) {
  for (int i = 0; i < 40; ++i) run("pid", {.version = i});
  EXPECT_EQ(textOf(run("modules")), "32");
}

TEST_F(WorkersTest, AWorkerThatEndsFailsItsRunAndIsReplaced) {
  const RunOutcome died = run("die");
  EXPECT_EQ(died.error, "the function's process ended before it returned a result");
  EXPECT_FALSE(died.stopped);
  const RunOutcome full = run("oom");
  EXPECT_EQ(full.error, "out of memory");
  EXPECT_EQ(textOf(run("runs")), "1");
}

TEST_F(WorkersTest, OutOfMemoryRetiresTheWorker) {
  const std::string before = textOf(run("pid"));
  EXPECT_EQ(run("memory").error, "out of memory");
  EXPECT_NE(textOf(run("pid")), before);
}

TEST_F(WorkersTest, KillsAnEndlessRun) {
  const RunOutcome outcome = run("hang", {.timeout = 100ms});
  EXPECT_EQ(outcome.status, RunStatus::timeout);
  EXPECT_EQ(outcome.error, "the function did not end within 100 ms");
  EXPECT_GE(outcome.wall, 400ms);
  EXPECT_EQ(workers_.stats().killed, 1u);
  EXPECT_EQ(textOf(run("runs")), "1");
}

TEST_F(WorkersTest, NoticesAnIdleWorkerThatWasKilled) {
  const std::string pid = textOf(run("pid"));
  ::kill(std::stoi(pid), SIGKILL);
  EXPECT_TRUE(eventually([&] { return ::kill(std::stoi(pid), 0) != 0; })) << "it is reaped";
  EXPECT_NE(textOf(run("pid")), pid);
}

TEST_F(WorkersTest, DistinguishesAKillFromOutside) {
  const std::string pid = textOf(run("pid"));
  auto running = begin("hang", {.timeout = 60s});
  ASSERT_TRUE(eventually([&] { return workers_.stats().running == 1; }));
  ::kill(std::stoi(pid), SIGKILL);
  const RunOutcome killed = running.get();
  EXPECT_EQ(killed.status, RunStatus::error);
  EXPECT_EQ(killed.error, "the function's process ended before it returned a result");
  EXPECT_TRUE(killed.killed);
  EXPECT_FALSE(killed.stopped);
  EXPECT_FALSE(run("die").killed);
  EXPECT_FALSE(run("no value").killed) << "the server kills for a breach";
  EXPECT_FALSE(run("hang", {.timeout = 100ms}).killed);
  EXPECT_TRUE(eventually([&] { return workers_.stats().running == 0; }));
}

TEST_F(WorkersTest, DistinguishesTheEndOfTheWorkerFromAnError) {
  EXPECT_TRUE(run("die").endedWorker);
  EXPECT_TRUE(run("no value").endedWorker) << "a breach";
  EXPECT_FALSE(run("no such word").endedWorker) << "an error";
  const RunOutcome late = run("hang", {.timeout = 100ms});
  EXPECT_EQ(late.status, RunStatus::timeout);
  EXPECT_FALSE(late.endedWorker);
}

TEST_F(WorkersTest, ReplacesBlankWorkersThatEnd) {
  ASSERT_TRUE(eventually([&] { return workers_.stats().blank == 2; }));
  const std::string pid = textOf(run("pid"));
  ::kill(std::stoi(pid), SIGKILL);
  EXPECT_TRUE(eventually([&] { return workers_.stats().started >= 3 && workers_.stats().blank == 2; }));
}

TEST_F(WorkersTest, RepliesToCalls) {
  const auto bridge = std::make_shared<FakeBridge>();
  EXPECT_EQ(textOf(run("call", {.bridge = bridge})), "db.find");
  EXPECT_EQ(textOf(run("call", {.bridge = bridge, .core = 1})), "db.find");
  bridge->large = true;
  EXPECT_EQ(textOf(run("call", {.bridge = bridge})).size(), 3u << 20);
  bridge->fails = true;
  EXPECT_EQ(textOf(run("call", {.bridge = bridge})), "FORBIDDEN: not for you");
  EXPECT_EQ(bridge->calls, 4);
  EXPECT_EQ(bridge->ended, 0) << "nothing was open when the runs ended";
}

TEST_F(WorkersTest, ARunThatLeavesCallsOpenKeepsItsWorkerUntilTheyEnd) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->holds = true;
  EXPECT_EQ(textOf(run("leave", {.bridge = bridge})), "left");
  EXPECT_TRUE(eventually([&] { return bridge->ended == 1; }));
  EXPECT_EQ(workers_.stats().running, 1u);
  EXPECT_EQ(textOf(run("runs")), "1") << "another worker takes the next run";
  bridge->holds = false;
  EXPECT_TRUE(eventually([&] { return workers_.stats().running == 0; }));
}

TEST_F(WorkersTest, ACallMayOutliveItsWorker) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->holds = true;
  auto outcome = begin("17 calls at once", {.bridge = bridge});
  EXPECT_EQ(outcome.get().status, RunStatus::error);
  bridge->holds = false;
  EXPECT_EQ(textOf(run("runs")), "1");
}

TEST_F(WorkersTest, ReportsHowLongRunsAreScheduled) {
  EXPECT_EQ(textOf(run("runs")), "1");
  const std::string said = workers_.stats().scheduling;
  EXPECT_TRUE(said == "idle priority" || said == "idle priority, then a new worker" || said == "normal") << said;
}

TEST_F(WorkersTest, LowersARunThatTakesLongAndRaisesTheNext) {
  const std::string spun = textOf(run("spin", {.timeout = 60s}));
  // If the system allows the normal priority again, the worker is kept; otherwise the next run has another worker. Both
  // run at the normal priority.
  EXPECT_TRUE(spun == "5" || spun == "0") << spun;
  EXPECT_EQ(textOf(run("policy")), "0");
}

TEST_F(WorkersTest, StopEndsRunsAndProcesses) {
  const std::string pid = textOf(run("pid"));
  auto running = begin("hang", {.timeout = 60s});
  ASSERT_TRUE(eventually([&] { return workers_.stats().running == 1; }));
  workers_.stop();
  const RunOutcome stopped = running.get();
  EXPECT_EQ(stopped.status, RunStatus::error);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_NE(::kill(std::stoi(pid), 0), 0);
  EXPECT_EQ(begin("pid").get().status, RunStatus::busy);
}

TEST_F(WorkersTest, RefusesAnEventThatIsTooDeep) {
  std::string nested = "1";
  doc::BsonWriter out;
  for (int i = 0; i < 140; ++i) out.beginDocument("a");
  for (int i = 0; i < 140; ++i) out.end();
  const RunOutcome outcome = run("echo", {.event = out.finish()});
  EXPECT_EQ(outcome.error, "the event is nested too deeply");
}

TEST_F(WorkersTest, ManyRunsOfTwoCoresAllEnd) {
  std::vector<std::future<RunOutcome>> all;
  run("pid");
  for (int i = 0; i < 60; ++i) all.push_back(begin("pid", {.core = i % 2}));
  std::set<std::string> pids;
  for (auto& one : all) pids.insert(textOf(one.get()));
  EXPECT_LE(pids.size(), 4u) << "half of the workers at most";
}

class OneWorker : public WorkersFixture {
 protected:
  OneWorker() : WorkersFixture(1) {}
};

TEST_F(OneWorker, ServesProjectsOneAfterAnother) {
  const std::string first = textOf(run("pid", {.project = 1}));
  EXPECT_NE(textOf(run("pid", {.project = 2})), first);
  EXPECT_NE(::kill(std::stoi(first), 0), 0) << "a worker never changes its project";
}

TEST_F(OneWorker, IsBusyAfterASecond) {
  auto running = begin("hang", {.timeout = 5s});
  ASSERT_TRUE(eventually([&] { return workers_.stats().running == 1; }));
  const RunOutcome waits = begin("pid").get();
  EXPECT_EQ(waits.status, RunStatus::busy);
  EXPECT_EQ(waits.error, "no worker is free");
  running.get();
}

class NoProgram : public WorkersFixture {
 protected:
  NoProgram() : WorkersFixture(8, "/nowhere/manybase-worker") {}
};

TEST_F(NoProgram, EveryRunIsBusy) {
  EXPECT_EQ(begin("pid").get().status, RunStatus::busy);
  EXPECT_EQ(begin("pid").get().status, RunStatus::busy);
}

class BrokenProgram : public WorkersFixture {
 protected:
  BrokenProgram() : WorkersFixture(8, "/bin/false") {}
};

TEST_F(BrokenProgram, EveryRunIsBusy) {
  EXPECT_EQ(begin("pid").get().status, RunStatus::busy);
  EXPECT_LT(workers_.stats().started, 20u) << "it is not tried without a pause";
}

// ---- checks

class CheckTest : public WorkersFixture {
 protected:
  Result<CheckedCode> check(std::string source, store::ProjectNo project = 1) {
    return runBlocking(cores_, workers_.check(project, std::move(source), true));
  }
};

TEST_F(CheckTest, ReturnsCodeOrThePositionOfItsError) {
  const auto checked = check("code");
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->code.starts_with("code stripped by "));
  EXPECT_EQ(checked->map, "map");
  const auto wrong = check("bad");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), ErrorCode::validation);
  EXPECT_EQ(wrong.error().message(), "3:14: Unexpected token");
}

TEST_F(CheckTest, AProcessChecksCodeOfOneProject) {
  const std::string first = check("code", 1)->code;
  EXPECT_EQ(check("code", 1)->code, first);
  const std::string other = check("code", 2)->code;
  EXPECT_NE(other, first);
  EXPECT_NE(check("code", 3)->code, other);
}

TEST_F(CheckTest, OutOfMemoryRetiresTheCompiler) {
  const std::string before = check("code")->code;
  EXPECT_EQ(check("bad").error().message(), "3:14: Unexpected token");
  EXPECT_EQ(check("code")->code, before);
  EXPECT_EQ(check("memory").error().message(), "out of memory");
  const std::string after = check("code")->code;
  EXPECT_NE(after, before);
  EXPECT_EQ(check("no such reason").error().message(), "the function's process ended before it returned a result");
  EXPECT_NE(check("code")->code, after);
}

TEST_F(CheckTest, ADyingCompilerRefusesTheCode) {
  const auto died = check("die");
  ASSERT_FALSE(died);
  EXPECT_EQ(died.error().code(), ErrorCode::validation);
  EXPECT_TRUE(check("code"));
}

}  // namespace
}  // namespace mb::workers
