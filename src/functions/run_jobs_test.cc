// The runs of jobs in the month of their project: counted by the commits that end or repeat their jobs.
#include "functions/run_limit_fixture.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;

class RunJobsTest : public RunLimitFixture {};

TEST_F(RunJobsTest, ABackgroundRunIsCountedByTheCommitThatEndsItsJob) {
  define("tell", kInserts);
  std::atomic<int64_t> during = -1;
  executor_.script("tell", [&](workers::RunRequest) -> Async<Outcome> {
    during = *co_await memory_.counter({shop_, kRunsOfMonth, monthOf(clock_.now())});
    co_return gives("1");
  });
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(create("notes", "{}"));
    ASSERT_TRUE(ran(static_cast<size_t>(i) + 1));
    EXPECT_EQ(i, during);
    EXPECT_EQ(i + 1, stored());
  }
  ASSERT_TRUE(attempt());
  EXPECT_EQ(5, stored());
  EXPECT_EQ(6, counted());
  EXPECT_EQ(6, useAfterAStart());
  limit(6);
  refused(attempt(), 6);
}

TEST_F(RunJobsTest, EachAttemptIsCountedAsItEnds) {
  define("tell", kInserts, R"({"retry":{"attempts":3,"backoffSeconds":60}})");
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom")});
  limit(3);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return stored() == 1; }));
  EXPECT_EQ(1, jobs());
  pass(60s);
  ASSERT_TRUE(until([&] { return stored() == 2; }));
  EXPECT_EQ(1, jobs());
  pass(120s);
  ASSERT_TRUE(ran(3));
  EXPECT_EQ(3, stored());
  refused(attempt(), 3);
}

TEST_F(RunJobsTest, ARunThatIsRepeatedIsNotCounted) {
  define("tell", kInserts);
  limit(1);
  Outcome killed = ends(workers::RunStatus::error, "the worker ended");
  killed.killed = killed.endedWorker = true;
  Outcome stopped = ends(workers::RunStatus::error, "the server stopped");
  stopped.stopped = true;
  executor_.answer("tell", {killed, stopped, gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] {
    pass(1s);
    return jobs() == 0;
  }));
  EXPECT_EQ(3, executor_.runs());
  EXPECT_EQ(1, stored());
  EXPECT_EQ(1, counted());
  refused(attempt(), 1);
}

TEST_F(RunJobsTest, ARunWhoseJobEndsWithoutTheCountIsWrittenBehind) {
  define("tell", kInserts);
  limit(2);
  executor_.script("tell", [&](workers::RunRequest) -> Async<Outcome> {
    memory_.beforeNextWrite([&] {
      memory_.failWith(ErrorCode::unavailable);
      memory_.beforeNextWrite([&] { memory_.failWith(std::nullopt); });
    });
    co_return gives("1");
  });
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ(0, stored());
  ASSERT_TRUE(until([&] { return counted() == 1; }));
  ASSERT_TRUE(attempt());
  refused(attempt(), 2);
  EXPECT_EQ(2, counted());
  EXPECT_EQ(2, useAfterAStart());
}

TEST_F(RunJobsTest, WithoutBillingBackgroundRunsAreWrittenBehind) {
  plan_.endBilling();
  memory_.bumpEpoch(shop_);
  define("tell", kInserts);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ(0, stored());
  ASSERT_TRUE(until([&] { return counted() == 1; }));
}

}  // namespace
}  // namespace mb::functions
