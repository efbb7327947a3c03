// Recounts of counters: wrong ones are set right whatever is written concurrently.
#include <latch>
#include <thread>

#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

namespace {

doc::Document measured(std::string_view id, int64_t size, std::string_view owner) {
  return json(fmt::format(R"({{"id":"{}","size":{},"owner":"{}"}})", id, size, owner));
}

Task<WriteOutcome> putMeasured(DocumentStore& store, ProjectNo project, std::string id, int64_t size,
                               std::string owner = "ann", std::vector<CounterLimit> limits = {}) {
  WriteOptions options = writeOptions();
  options.limits = std::move(limits);
  doc::Document document = measured(id, size, owner);
  return testing::put(store, {project, kMeasured, 0}, std::move(id), std::move(document), std::move(options));
}

// As "bytes of : 5 -> 3", in order.
std::vector<std::string> textsOf(const CounterRecount& recount) {
  std::vector<std::string> texts;
  for (const CounterCorrection& each : recount.corrections) {
    texts.push_back(fmt::format("{} of {}: {} -> {}", each.name, each.counter.group, each.was, each.is));
  }
  std::ranges::sort(texts);
  return texts;
}

using Texts = std::vector<std::string>;

// Puts documents of changing sizes and removes some of them, each under the limit.
Task<> writeMeasured(DocumentStore& store, ProjectNo project, int writer, int64_t max, const std::atomic<bool>& stop,
                     std::atomic<int>& written) {
  for (int i = 0; !stop || i < 20; ++i) {
    const std::string id = fmt::format("w{}-{}", writer, i % 7);
    if (i % 5 == 4) {
      CO_RETURN_IF_ERROR(co_await testing::remove(store, {project, kMeasured, 0}, id, writeOptions()));
    } else {
      const auto done = co_await putMeasured(store, project, id, 1 + i % 50, i % 2 == 0 ? "ann" : "bob",
                                             {{{project, kBytes, ""}, max}});
      if (!done && done.error().code() != ErrorCode::planLimit) co_return fail(done.error().clone());
      // A refusal does not suspend.
      if (!done) co_await sleepFor(std::chrono::milliseconds(1));
    }
    ++written;
  }
  co_return Result<>();
}

}  // namespace

TEST_P(StoreSuite, ARecountLeavesRightCountersAlone) {
  EXPECT_EQ(must(store().recountCounters(project_)).counters, 0u);
  must(putMeasured(store(), project_, "a", 10));
  must(putMeasured(store(), project_, "b", 5, "bob"));
  ASSERT_TRUE(put({project_, kReserved, 0}, R"({"id":"r","reserved":7})"));
  const CounterRecount recount = must(store().recountCounters(project_));
  EXPECT_EQ(recount.counters, 3u);
  EXPECT_EQ(textsOf(recount), Texts());
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 22);
}

TEST_P(StoreSuite, ARecountSetsWrongCountersRight) {
  const CounterKey bytes{project_, kBytes, ""};
  const CounterKey ofAnn{project_, kOwned, "ann"};
  const CounterKey ofNobody{project_, kOwned, "nobody"};
  must(putMeasured(store(), project_, "a", 10));
  must(putMeasured(store(), project_, "b", 5, "bob"));
  ASSERT_TRUE(put({project_, kReserved, 0}, R"({"id":"r","reserved":7})"));
  engine().breakCounter(bytes, -3);
  engine().breakCounter(ofAnn, 9);
  engine().breakCounter(ofNobody, 4);
  EXPECT_EQ(engine().problems().size(), 3u);
  const Texts wrong = {"bytes of : -3 -> 22", "documents of ann: 9 -> 1", "documents of nobody: 4 -> 0"};
  EXPECT_EQ(textsOf(must(store().recountCounters(project_, {.correct = false}))), wrong);
  EXPECT_EQ(must(store().counter(bytes)), -3);
  EXPECT_EQ(textsOf(must(store().recountCounters(project_))), wrong);
  EXPECT_EQ(must(store().counter(bytes)), 22);
  EXPECT_EQ(must(store().counter(ofAnn)), 1);
  EXPECT_EQ(must(store().counter(ofNobody)), 0);
  EXPECT_EQ(textsOf(must(store().recountCounters(project_))), Texts());
  // Limits use the right values at once: no more and no less than up to them.
  const auto passing = run(putMeasured(store(), project_, "c", 9, "ann", {{bytes, 30}}));
  ASSERT_FALSE(passing);
  EXPECT_EQ(passing.error().code(), ErrorCode::planLimit);
  must(putMeasured(store(), project_, "c", 8, "ann", {{bytes, 30}}));
  engine().reopen();
  EXPECT_EQ(must(store().counter(bytes)), 30);
  EXPECT_EQ(must(store().counter(ofAnn)), 2);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ACounterWithoutARowIsCounted) {
  must(putMeasured(store(), project_, "a", 10));
  engine().breakCounter({project_, kBytes, ""}, 0);
  EXPECT_EQ(textsOf(must(store().recountCounters(project_))), Texts({"bytes of : 0 -> 10"}));
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, RecountsUnderWritersAndLimitsLoseNothing) {
  constexpr int kWriters = 16;
  constexpr int kRounds = 50;
  constexpr int64_t kMax = 4500;
  const CounterKey bytes{project_, kBytes, ""};
  // Enough to be read while others are written.
  std::vector<std::string> texts;
  for (int i = 0; i < 4000; ++i) texts.push_back(fmt::format(R"({{"id":"base{}","size":1,"owner":"ann"}})", i));
  ASSERT_TRUE(putAll({project_, kMeasured, 0}, texts));
  for (const int64_t wrong : {-500, 0, 50'000}) {
    engine().breakCounter(bytes, wrong);
    std::atomic<bool> stop{false};
    std::atomic<int> written{0};
    std::latch left(kWriters);
    for (int i = 0; i < kWriters; ++i) {
      asio::co_spawn(engine().cores().at(i % engine().cores().count()).get_executor(),
                     writeMeasured(store(), project_, i, kMax, stop, written),
                     [&left](std::exception_ptr exception, Result<> done) {
                       EXPECT_FALSE(exception);
                       EXPECT_TRUE(done) << (done ? "" : done.error().message());
                       left.count_down();
                     });
    }
    while (written < 100) std::this_thread::yield();
    int corrections = 0;
    for (int round = 0; round < kRounds; ++round) {
      const Result<CounterRecount> recount = run(store().recountCounters(project_));
      EXPECT_TRUE(recount) << (recount ? "" : recount.error().message());
      if (recount) corrections += static_cast<int>(recount->corrections.size());
    }
    stop = true;
    left.wait();
    EXPECT_EQ(corrections, 1);
    EXPECT_EQ(engine().problems(), std::vector<std::string>());
    // What the writers reserved and released fits the value.
    const CounterLimit limit{bytes, must(store().counter(bytes)) + 100};
    EXPECT_FALSE(run(putMeasured(store(), project_, "last", 101, "ann", {limit})));
    must(putMeasured(store(), project_, "last", 100, "ann", {limit}));
    must(testing::remove(store(), {project_, kMeasured, 0}, "last", writeOptions()));
  }
}

TEST_P(StoreSuite, TwoRecountsAtOnceCorrectOnce) {
  must(putMeasured(store(), project_, "a", 10));
  engine().breakCounter({project_, kBytes, ""}, 3);
  constexpr int kRecounts = 8;
  std::atomic<size_t> corrections{0};
  std::latch left(kRecounts);
  for (int i = 0; i < kRecounts; ++i) {
    asio::co_spawn(engine().cores().at(i % engine().cores().count()).get_executor(), store().recountCounters(project_),
                   [&](std::exception_ptr exception, Result<CounterRecount> done) {
                     EXPECT_FALSE(exception);
                     EXPECT_TRUE(done);
                     if (done) corrections += done->corrections.size();
                     left.count_down();
                   });
  }
  left.wait();
  EXPECT_EQ(corrections, 1u);
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 10);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, ARecountIsOfOneProject) {
  const ProjectNo other = must(store().allocateProject());
  must(putMeasured(store(), project_, "a", 10));
  must(putMeasured(store(), other, "a", 20));
  engine().breakCounter({other, kBytes, ""}, 1);
  EXPECT_EQ(textsOf(must(store().recountCounters(project_))), Texts());
  EXPECT_EQ(must(store().counter({other, kBytes, ""})), 1);
  EXPECT_EQ(textsOf(must(store().recountCounters(other))), Texts({"bytes of : 1 -> 20"}));
}

TEST_P(StoreSuite, ADroppedProjectHasNoCountersToRecount) {
  must(putMeasured(store(), project_, "a", 10));
  engine().breakCounter({project_, kBytes, ""}, 3);
  must(store().dropProject(project_));
  for (const ProjectNo project : {project_, ProjectNo{4'000'000'000}}) {
    const auto refused = run(store().recountCounters(project));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::notFound);
  }
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 0);
  engine().reopen();
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 0);
  EXPECT_EQ(engine().problems(), std::vector<std::string>());
}

TEST_P(StoreSuite, AStoppedRecountCorrectsNothing) {
  must(putMeasured(store(), project_, "a", 10));
  engine().breakCounter({project_, kBytes, ""}, 3);
  const std::atomic<bool> stop{true};
  const auto stopped = run(store().recountCounters(project_, {.stop = &stop}));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::unavailable);
  const auto late =
      run(store().recountCounters(project_, {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)}));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(must(store().counter({project_, kBytes, ""})), 3);
  EXPECT_EQ(textsOf(must(store().recountCounters(project_))), Texts({"bytes of : 3 -> 10"}));
}

}  // namespace mb::store::suite
