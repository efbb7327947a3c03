// A project whose plan limits the runs of a month.
#pragma once

#include "functions/functions_runtime_fixture.h"
#include "functions/run_months.h"
#include "functions/run_retries.h"

namespace mb::functions {

class RunLimitFixture : public RunningFixture {
 protected:
  static constexpr std::string_view kHttp = R"({"type":"http","method":"GET","path":"/a"})";
  static constexpr std::string_view kInserts = R"({"type":"database","collection":"notes","events":["insert"]})";
  static constexpr std::string_view kRefusal =
      "plan limit: functionRunsPerMonth: the plan Tiny allows {0} function runs in a month, in use are {0}";

  RunLimitFixture() {
    collection("notes");
    define("hello", kHttp);
  }
  void limit(std::optional<int64_t> max) {
    plan_.set(plans::Limit::functionRunsPerMonth, max);
    memory_.bumpEpoch(shop_);
  }
  Result<FinishedRun> attempt(const std::string& name = "hello", Invocation more = {}) {
    more.project = snapshot(shop_);
    more.function = function(name);
    more.trigger = "manual";
    return run(running_.runner().run(std::move(more)));
  }
  void refused(const Result<FinishedRun>& attempted, int64_t max) {
    ASSERT_FALSE(attempted);
    EXPECT_EQ(ErrorCode::planRunLimit, attempted.error().code());
    EXPECT_EQ(fmt::format(kRefusal, max), attempted.error().message());
    EXPECT_EQ(secondsToNextMonth(clock_.now()), attempted.error().retryAfterSeconds());
  }
  int64_t counted() { return *run(running_.log().runsOfMonth(shop_, clock_.now())); }
  // Without the runs that are still to be written.
  int64_t stored() { return *run(memory_.counter({shop_, kRunsOfMonth, monthOf(clock_.now())})); }
  // As a log of a server that starts now sees it.
  int64_t useAfterAStart() {
    RunLog started(store_, cores_);
    return run(started.take(shop_, clock_.now(), 0))->use;
  }
  Result<RunView> retry(const std::string& name, const std::string& id) {
    return run(running_.retries().retry({admin(), snapshot(shop_), soon()}, name, id));
  }
  // As the run of a job that ends: its commit, then the count.
  void endJob(RunLog& log, int row) {
    auto taken = run(log.take(shop_, clock_.now(), 1000));
    ASSERT_TRUE(taken && taken->permit);
    const ProjectMonth month = taken->permit->month();
    store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
    const store::Target target = write.change(monthRow(month, row));
    EXPECT_TRUE(
        run(store_.write(std::move(write), [=](const store::PreImages& before, store::Changes& changes) -> Result<> {
          changes.put(target, withRuns(month, row, before[target], 1));
          return {};
        })));
    std::move(*taken->permit).count();
  }
  // Runs of `hello` do not end before letGo().
  void hold() {
    executor_.script("hello", [this](workers::RunRequest) -> Async<Outcome> {
      ++held_;
      while (holds_) co_await sleepFor(std::chrono::milliseconds(1));
      co_return gives("1");
    });
  }
  void letGo() { holds_ = false; }
  // Starts a run on its own thread, which waits for it.
  std::future<bool> begin() {
    return std::async(std::launch::async, [this] { return attempt().has_value(); });
  }

  std::atomic<int> held_ = 0;
  std::atomic<bool> holds_ = true;
};

}  // namespace mb::functions
