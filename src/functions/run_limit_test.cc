// The limit of function runs in a month, as each kind of run meets it.
#include "functions/run_limit_fixture.h"
#include "functions/tests_run.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;

class RunLimitTest : public RunLimitFixture {};

TEST_F(RunLimitTest, WithoutALimitAllRun) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(attempt());
  EXPECT_EQ(20, counted());
}

TEST_F(RunLimitTest, NothingRunsPastTheLimit) {
  limit(3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(attempt());
  refused(attempt(), 3);
  EXPECT_EQ(3, executor_.runs());
  EXPECT_EQ(3, log("hello").size());
  EXPECT_EQ(3, counted());
  limit(4);
  ASSERT_TRUE(attempt());
  refused(attempt(), 4);
  limit(std::nullopt);
  ASSERT_TRUE(attempt());
}

TEST_F(RunLimitTest, RunsFromBeforeTheLimitCount) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(attempt());
  EXPECT_TRUE(run(running_.log().flush()));
  ASSERT_TRUE(attempt());  // unwritten
  limit(3);
  refused(attempt(), 3);
  limit(std::nullopt);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(attempt());
  limit(5);
  refused(attempt(), 5);
  limit(6);
  ASSERT_TRUE(attempt());
  refused(attempt(), 6);
  EXPECT_EQ(6, counted());
  EXPECT_EQ(6, useAfterAStart());
}

TEST_F(RunLimitTest, ErrorsAndTimeoutsCount) {
  limit(2);
  executor_.answer("hello", {ends(workers::RunStatus::error, "boom"), ends(workers::RunStatus::timeout)});
  ASSERT_TRUE(attempt());
  ASSERT_TRUE(attempt());
  refused(attempt(), 2);
}

TEST_F(RunLimitTest, ARunThatFoundNoWorkerIsGivenBack) {
  limit(1);
  executor_.answer("hello", {ends(workers::RunStatus::busy), ends(workers::RunStatus::busy), gives("1")});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(workers::RunStatus::busy, attempt()->status);
  EXPECT_EQ(workers::RunStatus::success, attempt()->status);
  refused(attempt(), 1);
  EXPECT_EQ(1, counted());
}

TEST_F(RunLimitTest, ManyAtOnceTakeExactlyTheLimit) {
  limit(10);
  hold();
  std::vector<std::future<bool>> attempts;
  for (int i = 0; i < 30; ++i) attempts.push_back(begin());
  ASSERT_TRUE(until([&] { return held_ == 10; }));
  EXPECT_EQ(0, counted());
  // The others are refused while the ten run.
  ASSERT_TRUE(until([&] {
    return std::ranges::count_if(attempts, [](auto& each) { return each.wait_for(0s) == std::future_status::ready; }) ==
           20;
  }));
  letGo();
  EXPECT_EQ(10, std::ranges::count_if(attempts, [](auto& each) { return each.get(); }));
  refused(attempt(), 10);
  EXPECT_EQ(10, executor_.runs());
  EXPECT_EQ(10, counted());
}

TEST_F(RunLimitTest, AMonthThatPassesStartsAgain) {
  clock_.set(parseRfc3339("2027-03-31T23:59:58Z")->ms);
  limit(2);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(attempt());
  refused(attempt(), 2);
  clock_.advance(5000);
  ASSERT_TRUE(attempt());
  clock_.advance(-5000);  // a clock that jumps back
  refused(attempt(), 2);
  EXPECT_EQ(2, counted());
  EXPECT_EQ(2, useAfterAStart());
  clock_.advance(5000);
  ASSERT_TRUE(attempt());
  refused(attempt(), 2);
  EXPECT_EQ(2, counted());
}

TEST_F(RunLimitTest, ARunCountsInTheMonthInWhichItBegan) {
  clock_.set(parseRfc3339("2027-03-31T23:59:58Z")->ms);
  const Timestamp march = clock_.now();
  limit(1);
  hold();
  std::future<bool> first = begin();
  ASSERT_TRUE(until([&] { return held_ == 1; }));
  clock_.advance(5000);
  letGo();
  EXPECT_TRUE(first.get());
  EXPECT_EQ(1, *run(running_.log().runsOfMonth(shop_, march)));
  ASSERT_TRUE(attempt());
  refused(attempt(), 1);
}

TEST_F(RunLimitTest, WhatCannotBeCountedDoesNotRun) {
  limit(5);
  const snapshot::SnapshotPtr project = snapshot(shop_);
  memory_.failWith(ErrorCode::unavailable);
  Invocation invocation{.project = project, .function = project->get(tables_.slot).find("hello"), .trigger = "manual"};
  const auto attempted = run(running_.runner().run(std::move(invocation)));
  memory_.failWith(std::nullopt);
  ASSERT_FALSE(attempted);
  EXPECT_EQ(ErrorCode::unavailable, attempted.error().code());
  EXPECT_EQ(0, executor_.runs());
  ASSERT_TRUE(attempt());
}

TEST_F(RunLimitTest, ABackgroundRunIsSkippedAndLogged) {
  define("tell", kInserts);
  limit(1);
  ASSERT_TRUE(create("notes", R"({"id":"a"})"));
  ASSERT_TRUE(create("notes", R"({"id":"b"})"));
  ASSERT_TRUE(until([&] { return log("tell").size() == 2 && jobs() == 0; }));
  EXPECT_EQ(1, executor_.runs());
  const std::vector<RunView> entries = log("tell");
  const auto skipped = std::ranges::find(entries, "skipped", &RunView::status);
  ASSERT_NE(entries.end(), skipped);
  EXPECT_EQ(fmt::format(kRefusal, 1), skipped->error);
  EXPECT_EQ("database", skipped->trigger);
  EXPECT_EQ(0, skipped->durationMs);
  const FunctionStats stats = run(running_.log().stats(shop_, {{shop_, "tell", "fn_tell"}}))->front();
  EXPECT_EQ(1, stats.runs);
  EXPECT_EQ(0, stats.errors);
  EXPECT_EQ(1, counted());
  // It can be run by hand once there are runs again.
  EXPECT_EQ(ErrorCode::planRunLimit, retry("tell", skipped->id).error().code());
  limit(2);
  const auto done = retry("tell", skipped->id);
  ASSERT_TRUE(done);
  EXPECT_EQ("success", done->status);
}

TEST_F(RunLimitTest, ABackgroundRunThatFoundNoWorkerTakesNoFurtherOne) {
  define("tell", kInserts);
  limit(1);
  executor_.answer("tell", {ends(workers::RunStatus::busy), gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return executor_.runs() == 1; }));
  ASSERT_TRUE(until([&] {
    pass(1s);
    return jobs() == 0;
  }));
  EXPECT_EQ("success", log("tell").front().status);
  EXPECT_EQ(1, counted());
}

TEST_F(RunLimitTest, AnAttemptPastTheLimitIsSkippedAndTheLast) {
  define("tell", kInserts, R"({"retry":{"attempts":3,"backoffSeconds":1}})");
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom")});
  limit(1);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] {
    pass(1s);
    return log("tell").size() == 2 && jobs() == 0;
  }));
  const std::vector<RunView> entries = log("tell");
  ASSERT_EQ(2, entries.size());
  EXPECT_EQ("skipped", entries[0].status);
  EXPECT_EQ(2, entries[0].attempt);
  EXPECT_EQ(entries[1].id, entries[0].retryOf);
  EXPECT_EQ(1, executor_.runs());
}

TEST_F(RunLimitTest, ByHandPastTheLimitNothingIsAudited) {
  define("tell", kInserts);
  limit(1);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  const auto refusal = retry("tell", log("tell")[0].id);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(ErrorCode::planRunLimit, refusal.error().code());
  for (const doc::Document& entry : memory_.all({shop_, audit::kAuditCollection, 0})) {
    EXPECT_NE("function.runRetried", entry.view().stringOr("action"));
  }
  limit(2);
  ASSERT_TRUE(retry("tell", log("tell")[0].id));
  EXPECT_EQ(2, counted());
}

TEST_F(RunLimitTest, PreHooksAreExempt) {
  define("check", kInserts, R"({"timing":"pre"})");
  limit(0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(create("notes", "{}"));
  EXPECT_EQ(3, executor_.runs());
  EXPECT_EQ(3, log("check").size());
  EXPECT_EQ(0, counted());
  refused(attempt(), 0);
}

TEST_F(RunLimitTest, StoredTestsAreExempt) {
  define("code", kHttp, R"({"tests":[{"name":"one","event":{},"expect":{}}]})");
  limit(0);
  const auto report = run(running_.tests().run(snapshot(shop_), function("code"), soon()));
  ASSERT_TRUE(report);
  EXPECT_EQ(1, report->passed);
  EXPECT_EQ(0, counted());
}

// ---- the month in memory

TEST_F(RunLimitTest, AMonthIsReadWhileRunsEndAndAreWritten) {
  const RunOf of{shop_, "hello", "fn_hello"};
  RunView view;
  view.status = "success";
  view.startedAt = clock_.now();
  for (int round = 0; round < 20; ++round) {
    RunLog other(store_, cores_);
    const int64_t before = run(other.runsOfMonth(shop_, clock_.now())).value();
    std::vector<std::future<void>> all;
    for (int i = 0; i < 10; ++i) {
      all.push_back(std::async(std::launch::async, [&, i] {
        if (i % 2 == 0) {
          other.add(of, view, {});
        } else {
          endJob(other, i);
        }
        if (i % 3 == 0) EXPECT_TRUE(run(other.flush()));
        if (i % 3 == 1) EXPECT_TRUE(run(other.take(shop_, clock_.now(), 0)));
      }));
    }
    for (auto& each : all) each.get();
    EXPECT_EQ(before + 10, run(other.take(shop_, clock_.now(), 0))->use);
    EXPECT_EQ(before + 10, run(other.runsOfMonth(shop_, clock_.now())).value());
  }
}

TEST_F(RunLimitTest, RunsThatCouldNotBeWrittenCount) {
  limit(2);
  ASSERT_TRUE(attempt());
  store_.stopAfter(0);
  EXPECT_FALSE(run(running_.log().flush()));
  ASSERT_TRUE(attempt());
  refused(attempt(), 2);
  store_.stopAfter(-1);
  EXPECT_EQ(2, counted());
  EXPECT_EQ(2, useAfterAStart());
}

}  // namespace
}  // namespace mb::functions
