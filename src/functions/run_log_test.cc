#include "functions/run_log.h"

#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

class RunLogTest : public RunningFixture {
 protected:
  RunLogTest() { define("hello", R"({"type":"http","method":"GET","path":"/a"})"); }
  RunView view(const std::string& id, std::string status = "success", int64_t durationMs = 1) {
    RunView run;
    run.id = id;
    run.trigger = "http";
    run.status = std::move(status);
    run.startedAt = clock_.now();
    run.durationMs = durationMs;
    return run;
  }
  void add(const std::string& id, std::string status = "success", int64_t durationMs = 1) {
    log_.add(of_, view(id, std::move(status), durationMs), {});
  }
  std::string ids(int64_t limit = kMaxRuns) {
    std::string text;
    for (const RunView& each : *run(log_.list(of_, limit))) text += each.id + " ";
    return text;
  }
  FunctionStats stats() { return run(log_.stats(shop_, {of_}))->front(); }

  const RunOf of_{shop_, "hello", "fn_hello"};
  RunLog& log_ = running_.log();
};

TEST_F(RunLogTest, theNewestComesFirst) {
  for (const char* id : {"a", "b", "c"}) add(id);
  EXPECT_EQ("c b a ", ids());
  add("d");
  EXPECT_EQ("d c ", ids(2));
}

TEST_F(RunLogTest, holdsFiftyAcrossWritesAndWithinOne) {
  for (int i = 0; i < 30; ++i) add(std::to_string(i));
  EXPECT_EQ(30, run(log_.list(of_, 100))->size());
  for (int i = 30; i < 155; ++i) add(std::to_string(i));
  const auto runs = *run(log_.list(of_, 100));
  ASSERT_EQ(50, runs.size());
  EXPECT_EQ("154", runs.front().id);
  EXPECT_EQ("105", runs.back().id);
  EXPECT_EQ(155, stats().runs);
}

TEST_F(RunLogTest, figuresByTheNearestRank) {
  EXPECT_EQ(0, stats().runs);
  EXPECT_FALSE(stats().p50Ms.value);
  for (int i = 1; i <= 100; ++i) add("r", i % 10 == 0 ? "error" : i % 25 == 0 ? "timeout" : "success", i);
  EXPECT_EQ(100, stats().runs);
  EXPECT_EQ(10, stats().errors);
  EXPECT_EQ(2, stats().timeouts);
  EXPECT_EQ(50, stats().p50Ms.value);
  EXPECT_EQ(95, stats().p95Ms.value);
  EXPECT_EQ(clock_.now(), stats().lastRunAt.value);
}

TEST_F(RunLogTest, figuresAreOfTheLast256) {
  for (int i = 0; i < 1000; ++i) add("r", "success", i);
  EXPECT_EQ(1000, stats().runs);
  EXPECT_EQ(744 + 127, stats().p50Ms.value);
}

TEST_F(RunLogTest, givesEndedRunsOnce) {
  add("a");
  add("b", "error");
  log_.add(of_, view("c"), {.counted = false});
  log_.add({shop_ + 1, "hello", "fn_other"}, view("d"), {});
  EXPECT_EQ(log_.takeEnded(), (std::unordered_map<store::ProjectNo, uint32_t>{{shop_, 2}, {shop_ + 1, 1}}));
  EXPECT_TRUE(log_.takeEnded().empty());
}

TEST_F(RunLogTest, countsByMonth) {
  clock_.set(parseRfc3339("2026-01-31T23:59:59Z")->ms);
  add("a");
  const Timestamp january = clock_.now();
  clock_.advance(2000);
  add("b");
  add("c");
  EXPECT_EQ(1, *run(log_.runsOfMonth(shop_, january)));
  EXPECT_EQ(2, *run(log_.runsOfMonth(shop_, clock_.now())));
  EXPECT_EQ(0, *run(log_.runsOfMonth(shop_, Timestamp{0})));
}

TEST_F(RunLogTest, whatCouldNotBeWrittenIsTriedAgain) {
  add("a", "error");
  store_.stopAfter(0);
  EXPECT_FALSE(run(log_.list(of_, 50)));
  add("b");
  EXPECT_FALSE(run(log_.flush()));
  store_.stopAfter(-1);
  EXPECT_EQ("b a ", ids());
  EXPECT_EQ(2, stats().runs);
  EXPECT_EQ(1, stats().errors);
  EXPECT_EQ(2, *run(log_.runsOfMonth(shop_, clock_.now())));
}

TEST_F(RunLogTest, runsThatAnotherLogWroteConcurrentlyStay) {
  RunLog other(store_, cores_);
  other.add(of_, view("a", "error"), {});
  add("b");
  // The core of the overtaken write waits for it.
  Cores another(1);
  another.start();
  memory_.beforeNextWrite([&] { EXPECT_TRUE(store::testing::runOn(another, 0, other.flush())); });
  EXPECT_EQ("b a ", ids());
  EXPECT_EQ(2, stats().runs);
  EXPECT_EQ(1, stats().errors);
}

TEST_F(RunLogTest, anotherFunctionOfTheNameGetsNothing) {
  log_.add({shop_, "hello", "fn_other"}, view("x"), {});
  EXPECT_EQ("", ids());
  EXPECT_TRUE(run(log_.list({shop_, "hello", "fn_other"}, 50))->empty());
}

TEST_F(RunLogTest, thirtyTwoMegabytesWaitAndNoMore) {
  RunView large = view("x");
  large.logs.assign(100, {"log", std::string(8000, 'x'), {}});
  for (int i = 0; i < 60; ++i) {
    const std::string name = fmt::format("f{}", i);
    log_.add({shop_, name, "fn_" + name}, large, {});
  }
  log_.add(of_, large, {});
  EXPECT_TRUE(run(log_.list(of_, 1))->front().logs.empty());
}

TEST_F(RunLogTest, listsMoreThanOneQueryReturns) {
  RunView large = view("x");
  large.logs.assign(60, {"log", std::string(8000, 'x'), {}});
  for (int i = 0; i < kMaxRuns; ++i) {
    log_.add(of_, large, {});
    if (i % 20 == 19) EXPECT_TRUE(run(log_.flush()));
  }
  EXPECT_EQ(50, run(log_.list(of_, 50))->size());
}

TEST_F(RunLogTest, manyWhoReadAtTheSameTime) {
  std::vector<std::future<size_t>> readers;
  for (int i = 0; i < 20; ++i) {
    add(std::to_string(i));
    readers.push_back(std::async(std::launch::async, [this, i] {
      return store::testing::runOn(cores_, i % cores_.count(), log_.list(of_, 50))->size();
    }));
  }
  for (auto& each : readers) EXPECT_GE(each.get(), 1);
  EXPECT_EQ(20, run(log_.list(of_, 50))->size());
}

TEST_F(RunLogTest, anInputStaysAsLongAsItsEntry) {
  const RunInput input{1, json(R"({"type":"cron"})")};
  const auto inputs = [&] { return memory_.all({shop_, kRunInputs, 0}).size(); };
  log_.add(of_, view("a"), {}, input);
  EXPECT_EQ(1, run(log_.find(of_, "a")).value()->input->depth);
  for (int i = 0; i < kMaxRuns; ++i)
    log_.add(of_, view(std::to_string(i)), {}, i % 2 == 0 ? std::optional(input) : std::nullopt);
  EXPECT_FALSE(run(log_.find(of_, "a")).value());
  EXPECT_TRUE(run(log_.find(of_, "0")).value()->input);
  EXPECT_FALSE(run(log_.find(of_, "1")).value()->input);
  EXPECT_EQ(25, inputs());
  // Overwritten by a run without one.
  for (int i = 0; i < kMaxRuns; ++i) add("x");
  EXPECT_TRUE(run(log_.flush()));
  EXPECT_EQ(0, inputs());
}

TEST_F(RunLogTest, anInputOfAnotherRunAtItsPlaceIsNotTakenForItsOwn) {
  add("a");
  EXPECT_TRUE(run(log_.flush()));
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
  write.insert({{shop_, kRunInputs, 0}, json(R"({"id":"fn_hello/00","run":"b","depth":0,"event":{}})")});
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  EXPECT_FALSE(run(log_.find(of_, "a")).value()->input);
}

TEST_F(RunLogTest, allOfItGoesWithTheFunction) {
  for (int i = 0; i < 60; ++i) log_.add(of_, view("r"), {}, RunInput{0, json("{}")});
  EXPECT_TRUE(run(log_.flush()));
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
  const std::vector<store::Target> all = write.change(RunLog::allOf(shop_, "fn_hello"));
  EXPECT_TRUE(run(store_.write(std::move(write), [all](const store::PreImages&, store::Changes& changes) -> Result<> {
    for (const store::Target each : all) changes.remove(each);
    return {};
  })));
  EXPECT_TRUE(memory_.all({shop_, kRuns, 0}).empty());
  EXPECT_TRUE(memory_.all({shop_, kRunInputs, 0}).empty());
  ASSERT_EQ(1, memory_.all({shop_, kStats, 0}).size());
  EXPECT_TRUE(memory_.all({shop_, kStats, 0})[0].view().stringOr("id").starts_with("month/"));
}

}  // namespace
}  // namespace mb::functions
