// Retries of background runs: by a function's policy, and by hand.
#include "functions/run_retries.h"

#include "functions/cron.h"
#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;
using Statuses = std::vector<std::string>;

constexpr std::string_view kAllChanges =
    R"({"type":"database","collection":"notes","events":["insert","update","delete"]})";
constexpr std::string_view kThrice = R"({"retry":{"attempts":3,"backoffSeconds":60}})";

class RunRetriesTest : public RunningFixture {
 protected:
  RunRetriesTest() { collection("notes"); }
  // "<attempt> <status>" of each run, oldest first; "-" for no attempt.
  Statuses runs(const std::string& name) {
    Statuses all;
    for (const RunView& each : log(name)) {
      all.insert(all.begin(), fmt::format("{} {}", each.attempt ? std::to_string(*each.attempt) : "-", each.status));
    }
    return all;
  }
  // When the only job is due, once it has run for the `times`-th time.
  std::optional<int64_t> dueInSeconds(size_t times) {
    const auto due = [&]() -> std::optional<int64_t> {
      const auto rows = memory_.all({store::kControlProject, jobs::kJobs, 0});
      if (executor_.runs() != times || rows.size() != 1) return std::nullopt;
      const int64_t left = rows[0].view().find("dueAt")->asDate().ms - clock_.now().ms;
      return left > 0 ? std::optional(left / 1000) : std::nullopt;
    };
    std::optional<int64_t> left;
    EXPECT_TRUE(until([&] { return (left = due()).has_value(); }))
        << executor_.runs() << " runs, " << jobs() << " jobs";
    return left;
  }
  Result<RunView> retry(const std::string& name, const std::string& id) {
    return run(running_.retries().retry({admin(), snapshot(shop_), soon()}, name, id));
  }
};

TEST_F(RunRetriesTest, AFailedRunIsTriedAgainAfterPausesThatDouble) {
  define("tell", kAllChanges, kThrice);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), ends(workers::RunStatus::timeout), gives("1")});
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  EXPECT_EQ(60, dueInSeconds(1));
  pass(60s);
  EXPECT_EQ(120, dueInSeconds(2));
  pass(119s);
  EXPECT_EQ(1, jobs());
  pass(1s);
  ASSERT_TRUE(ran(3));
  EXPECT_EQ((Statuses{"1 error", "2 timeout", "3 success"}), runs("tell"));
  const std::vector<RunView> entries = log("tell");
  EXPECT_EQ(std::nullopt, entries[2].retryOf);
  EXPECT_EQ(entries[2].id, entries[1].retryOf);
  EXPECT_EQ(entries[1].id, entries[0].retryOf);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(1, eventOf(i).view().findPath("document.n")->asInteger());
  EXPECT_EQ(3, *run(running_.log().runsOfMonth(shop_, clock_.now())));
}

TEST_F(RunRetriesTest, AttemptsEnd) {
  define("tell", kAllChanges, R"({"retry":{"attempts":2,"backoffSeconds":3600}})");
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom")});
  ASSERT_TRUE(create("notes", "{}"));
  EXPECT_EQ(3600, dueInSeconds(1));
  pass(3600s);
  ASSERT_TRUE(ran(2));
  EXPECT_EQ((Statuses{"1 error", "2 error"}), runs("tell"));
}

TEST_F(RunRetriesTest, APauseIsAtMostAnHour) {
  define("tell", kAllChanges, R"({"retry":{"attempts":10,"backoffSeconds":1000}})");
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom")});
  ASSERT_TRUE(create("notes", "{}"));
  size_t times = 0;
  for (const int64_t pause : {1000, 2000, 3600, 3600}) {
    ASSERT_EQ(pause, dueInSeconds(++times));
    pass(std::chrono::seconds(pause));
  }
}

TEST_F(RunRetriesTest, OneAttemptIsOneRun) {
  define("tell", kAllChanges, R"({"retry":{"attempts":1,"backoffSeconds":1}})");
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ((Statuses{"1 error"}), runs("tell"));
}

TEST_F(RunRetriesTest, ARunThatEndedItsWorkerIsNotTriedAgain) {
  define("tell", kAllChanges, kThrice);
  Outcome ended = ends(workers::RunStatus::error, "the worker ended");
  ended.endedWorker = true;
  executor_.answer("tell", {ended});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ((Statuses{"1 error"}), runs("tell"));
}

TEST_F(RunRetriesTest, WhatIsNotTheRunsFaultIsNoAttempt) {
  define("tell", kAllChanges, kThrice);
  Outcome killed = ends(workers::RunStatus::error, "the worker ended");
  killed.killed = killed.endedWorker = true;
  executor_.answer("tell",
                   {ends(workers::RunStatus::busy), killed, ends(workers::RunStatus::error, "boom"), gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] {
    pass(30s);
    return executor_.runs() >= 4 && jobs() == 0;
  }));
  EXPECT_EQ(4, executor_.runs());
  EXPECT_EQ((Statuses{"1 error", "1 error", "2 success"}), runs("tell"));
}

TEST_F(RunRetriesTest, LaterRunsOfTheDocumentWaitAndOthersDoNot) {
  define("tell", kAllChanges, kThrice);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), gives("1")});
  ASSERT_TRUE(create("notes", R"({"id":"a"})"));
  EXPECT_EQ(60, dueInSeconds(1));
  ASSERT_TRUE(patch("notes", "a", R"({"n":2})"));
  ASSERT_TRUE(create("notes", R"({"id":"b"})"));
  ASSERT_TRUE(until([&] { return executor_.runs() == 2 && jobs() == 2; }));
  EXPECT_EQ("b", eventOf(1).view().stringOr("documentId"));
  pass(60s);
  ASSERT_TRUE(ran(4));
  EXPECT_EQ("insert", eventOf(2).view().stringOr("event"));
  EXPECT_EQ("update", eventOf(3).view().stringOr("event"));
}

TEST_F(RunRetriesTest, AFunctionThatIsDeletedDisabledOrWithoutRetriesEndsThem) {
  for (const char* name : {"gone", "off", "fewer"}) {
    define(name, kAllChanges, kThrice);
    executor_.answer(name, {ends(workers::RunStatus::error, "boom")});
  }
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return executor_.runs() == 3 && jobs() == 3; }));
  undefine("gone");
  define("off", kAllChanges, R"({"enabled":false,"retry":{"attempts":3,"backoffSeconds":60}})");
  define("fewer", kAllChanges, R"({"after":0})");
  ASSERT_TRUE(until([&] {
    pass(60s);
    return jobs() == 0;
  }));
  EXPECT_EQ(3, executor_.runs());
}

TEST_F(RunRetriesTest, AWaitingRetryOutlivesTheQueue) {
  define("tell", kAllChanges, kThrice);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  EXPECT_EQ(60, dueInSeconds(1));
  // All that it needs is in its row: another process runs it.
  const doc::Document row = memory_.all({store::kControlProject, jobs::kJobs, 0}).at(0);
  EXPECT_EQ(2, row.view().findPath("payload.attempt")->asInteger());
  EXPECT_EQ(log("tell")[0].id, row.view().findPath("payload.retryOf")->asString());
  pass(60s);
  ASSERT_TRUE(ran(2));
}

TEST_F(RunRetriesTest, ASuspendedProjectsRetryWaitsForTheResume) {
  define("tell", kAllChanges, kThrice);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  EXPECT_EQ(60, dueInSeconds(1));
  suspend();
  for (int i = 0; i < 10; ++i) pass(60s);
  EXPECT_EQ(1, jobs());
  EXPECT_EQ(1, executor_.runs());
  resume();
  ASSERT_TRUE(ran(2));
}

TEST_F(RunRetriesTest, ScheduledRunsAreTriedAgainToo) {
  clock_.set(parseRfc3339("2026-01-01T10:05:00Z")->ms);
  define("sweep", R"({"type":"cron","schedule":"*/15 * * * *"})", kThrice);
  Cron cron({store_, snapshots_, queue_, cores_, clock_});
  executor_.answer("sweep", {ends(workers::RunStatus::error, "boom"), gives("1")});
  clock_.set(parseRfc3339("2026-01-01T10:15:00Z")->ms);
  ASSERT_EQ(1, *run(cron.pass()));
  EXPECT_EQ(60, dueInSeconds(1));
  pass(60s);
  ASSERT_TRUE(ran(2));
  EXPECT_EQ(eventOf(0), eventOf(1));
  EXPECT_EQ((Statuses{"1 error", "2 success"}), runs("sweep"));
}

TEST_F(RunRetriesTest, WithoutAPolicyThereIsNoAttempt) {
  define("tell", kAllChanges);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ((Statuses{"- success"}), runs("tell"));
  EXPECT_EQ("database", log("tell")[0].trigger);
}

// ---- by hand

TEST_F(RunRetriesTest, ByHandARunGetsItsEventAgain) {
  define("tell", kAllChanges);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), gives("1")});
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  ASSERT_TRUE(ran(1));
  const RunView failed = log("tell")[0];
  define("tell", kAllChanges, R"({"enabled":false,"version":2})");
  const auto again = retry("tell", failed.id);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ("success", again->status);
  EXPECT_EQ("database", again->trigger);
  EXPECT_EQ(2, again->attempt);
  EXPECT_EQ(failed.id, again->retryOf);
  EXPECT_EQ(eventOf(0), eventOf(1));
  EXPECT_EQ("fn_tell@2", executor_.requests()[1].module->id);
  EXPECT_EQ(again->id, log("tell")[0].id);
  EXPECT_EQ(2, *run(running_.log().runsOfMonth(shop_, clock_.now())));
  // Its own run, too, and whatever the outcome was.
  const auto third = retry("tell", again->id);
  ASSERT_TRUE(third);
  EXPECT_EQ(3, third->attempt);
  EXPECT_EQ(again->id, third->retryOf);
}

TEST_F(RunRetriesTest, ByHandOnlyBackgroundRunsOfTheLog) {
  define("tell", kAllChanges);
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  define("hook", kAllChanges, R"({"timing":"pre"})");
  const std::string http = invoke("hello", {.trigger = "http"}).view.id;
  const std::string manual = invoke("tell").view.id;
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(4));
  const size_t before = executor_.runs();
  const std::string hook = log("hook")[0].id;
  const std::string database = log("tell")[0].id;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hello", http}, {"tell", manual}, {"hook", hook}, {"tell", "run_x"}, {"hello", database}};
  for (const auto& [name, id] : cases) {
    const auto refused = retry(name, id);
    ASSERT_FALSE(refused) << name << " " << id;
    EXPECT_EQ(ErrorCode::conflict, refused.error().code()) << name << " " << id;
  }
  EXPECT_EQ(ErrorCode::notFound, retry("nobody", database).error().code());
  EXPECT_EQ(before, executor_.runs());
  EXPECT_TRUE(retry("tell", database));
}

TEST_F(RunRetriesTest, ByHandARunThatHasLeftTheLogIsRefused) {
  define("tell", kAllChanges);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  const std::string first = log("tell")[0].id;
  for (int i = 0; i < kMaxRuns; ++i) invoke("tell");
  EXPECT_EQ(ErrorCode::conflict, retry("tell", first).error().code());
}

TEST_F(RunRetriesTest, ByHandASkippedRunRunsAndTriggersNothingFurther) {
  define("grow", kAllChanges);
  executor_.script("grow", [](workers::RunRequest request) -> Async<Outcome> {
    auto made = co_await request.bridge->call("db.insertOne", json(R"({"0":"notes","1":{}})"));
    EXPECT_TRUE(made);
    co_return gives("1");
  });
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return log("grow").size() == 6 && jobs() == 0; }));
  const std::vector<RunView> before = log("grow");
  const auto skipped = std::ranges::find(before, "skipped", &RunView::status);
  ASSERT_NE(before.end(), skipped);
  const auto done = retry("grow", skipped->id);
  ASSERT_TRUE(done);
  EXPECT_EQ("success", done->status);
  ASSERT_TRUE(until([&] { return log("grow").size() == 8 && jobs() == 0; }));
  EXPECT_EQ(2, std::ranges::count(log("grow"), "skipped", &RunView::status));
  EXPECT_EQ(6, executor_.runs());
}

TEST_F(RunRetriesTest, ByHandABusyPoolIsAnError) {
  define("tell", kAllChanges);
  executor_.answer("tell", {gives("1"), ends(workers::RunStatus::busy)});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ(ErrorCode::functionsBusy, retry("tell", log("tell")[0].id).error().code());
  EXPECT_EQ(1, log("tell").size());
}

TEST_F(RunRetriesTest, ByHandIsAudited) {
  define("tell", kAllChanges);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  const std::string id = log("tell")[0].id;
  const uint64_t epoch = snapshot(shop_)->epoch();
  ASSERT_TRUE(retry("tell", id));
  EXPECT_EQ(epoch, snapshot(shop_)->epoch());
  const auto entries = memory_.all({shop_, audit::kAuditCollection, 0});
  const auto entry = std::ranges::find(entries, "function.runRetried",
                                       [](const doc::Document& each) { return each.view().stringOr("action"); });
  ASSERT_NE(entries.end(), entry);
  EXPECT_EQ("functions/tell", entry->view().stringOr("target"));
  EXPECT_EQ(id, entry->view().findPath("details.run")->asString());
}

}  // namespace
}  // namespace mb::functions
