// What a handler adds to the commit that ends its run.
#include "jobs/queue_fixture.h"
#include "store/embedded/testing.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// A system collection of the test; its documents count the runs of a job.
constexpr store::CollectionNo kCounts = 79;

store::CollectionRef countsOf(store::ProjectNo project) {
  return {project, kCounts, 0};
}

doc::Document countDocument(std::string_view id, int64_t count) {
  doc::BsonWriter out;
  out.appendString("id", id);
  out.appendInt64("count", count);
  return out.finish();
}

int64_t countIn(const std::optional<doc::Document>& stored) {
  const auto count = stored ? stored->view().find("count") : std::nullopt;
  return count ? count->toInteger().value_or(0) : 0;
}

// Adds one to the document "runs" of the project.
ExtraChanges oneMore(store::ProjectNo project) {
  ExtraChanges extra;
  extra.targets.push_back({countsOf(project), "runs"});
  extra.compute = [](const store::PreImages& before, std::span<const store::Target> targets, store::Changes& changes) {
    changes.put(targets[0], countDocument("runs", countIn(before[targets[0]]) + 1));
  };
  return extra;
}

class ExtraChangesTest : public QueueFixture {
 protected:
  static constexpr store::ProjectNo kProject = 7;

  // A kind whose handler runs `during`, counts itself, and then ends with the result of `during`.
  void declareCounting(std::function<Task<>(const JobRun&)> during) {
    during_ = std::move(during);
    Kind kind;
    kind.name = "counted";
    kind.handler = [this](JobRun run) { return countingRun(std::move(run)); };
    kind.backoff = {1ms};
    queue_->declare(std::move(kind));
    queue_->start();
  }
  Task<> countingRun(JobRun run) {
    ExtraChanges extra = oneMore(kProject);
    extra.ended = [this, owned = owned_](bool committed) { recorder_.note(committed ? "committed" : "left out"); };
    *run.extraChanges = std::move(extra);
    co_return co_await during_(run);
  }
  static Task<> succeeds(const JobRun&) { co_return Result<>(); }
  int64_t counted() const {
    const auto all = store_.all(countsOf(kProject));
    return all.empty() ? 0 : countIn(all[0]);
  }
  // Until the queue has destroyed all extra changes.
  bool allDestroyed() {
    return until([&] { return owned_.use_count() == 1; });
  }

  std::function<Task<>(const JobRun&)> during_;
  const std::shared_ptr<int> owned_ = std::make_shared<int>(0);
};

TEST_F(ExtraChangesTest, AreInTheCommitThatRemovesTheRow) {
  declareCounting(succeeds);
  for (int i = 1; i <= 3; ++i) {
    put({.kind = "counted", .payload = payload("x")});
    EXPECT_TRUE(untilEmpty());
    EXPECT_EQ(counted(), i);
  }
  EXPECT_THAT(recorder_.wait(3), ElementsAre("committed", "committed", "committed"));
  EXPECT_TRUE(allDestroyed());
}

TEST_F(ExtraChangesTest, AreInTheCommitOfARepetition) {
  declareCounting([this](const JobRun& run) -> Task<> {
    if (run.payload.view().stringOr("text") == "x") {
      *run.repetition = Repetition{{clock_.now().ms + 1000}, payload("again")};
    }
    co_return Result<>();
  });
  put({.kind = "counted", .payload = payload("x")});
  EXPECT_TRUE(until([&] { return rows().size() == 1 && rows()[0].payload == payload("again"); }));
  EXPECT_EQ(counted(), 1);
  EXPECT_TRUE(until([&] {
    clock_.advance(1000);
    queue_->wake();
    return rows().empty();
  }));
  EXPECT_EQ(counted(), 2);
}

TEST_F(ExtraChangesTest, AreNotMadeWhereTheHandlerFails) {
  declareCounting([](const JobRun& run) -> Task<> {
    if (run.attempt == 1) co_return fail(ErrorCode::upstreamFailed, "request failed");
    co_return Result<>();
  });
  put({.kind = "counted"});
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return rows().empty();
  }));
  EXPECT_EQ(stats().failed, 1u);
  EXPECT_EQ(counted(), 1);
  EXPECT_TRUE(allDestroyed());
  EXPECT_THAT(recorder_.notes(), ElementsAre("committed"));
}

TEST_F(ExtraChangesTest, AreNotMadeWhereTheJobDoesNotExistAnyMore) {
  declareCounting([this](const JobRun& run) -> Task<> {
    CO_RETURN_IF_ERROR(co_await queue_->cancel(run.id));
    co_return Result<>();
  });
  put({.kind = "counted"});
  EXPECT_TRUE(until([&] { return stats().completed == 1; }));
  EXPECT_TRUE(allDestroyed());
  EXPECT_EQ(counted(), 0);
  EXPECT_TRUE(recorder_.notes().empty());
}

// As where another process, which had lost its lease, has ended the same attempt before.
TEST_F(ExtraChangesTest, AreNotMadeWhereAnotherRunHasEndedTheAttempt) {
  declareCounting([this](const JobRun& run) -> Task<> {
    store::Write write(asServer());
    const store::Target stored = write.change(Queue::rowOf(run));
    CO_RETURN_IF_ERROR(co_await store_.write(
        std::move(write), [stored](const store::PreImages& before, store::Changes& changes) -> Result<> {
          TRY(Row row, Row::fromDocument(*before[stored]));
          row.dueAt.ms += 3'600'000;
          row.payload = payload("later");
          changes.put(stored, row.toDocument());
          return {};
        }));
    co_return Result<>();
  });
  put({.kind = "counted", .payload = payload("x")});
  EXPECT_TRUE(until([&] { return stats().completed == 1; }));
  EXPECT_TRUE(allDestroyed());
  EXPECT_EQ(counted(), 0);
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0].payload, payload("later"));
}

TEST_F(ExtraChangesTest, AreLeftOutWhereTheStoreRefusesThem) {
  declareCounting([this](const JobRun&) -> Task<> {
    store_.beforeNextWrite([this] {
      store_.failWith(ErrorCode::unavailable);
      store_.beforeNextWrite([this] { store_.failWith(std::nullopt); });
    });
    co_return Result<>();
  });
  put({.kind = "counted"});
  EXPECT_TRUE(untilEmpty());
  EXPECT_THAT(recorder_.wait(1), ElementsAre("left out"));
  EXPECT_EQ(counted(), 0);
  EXPECT_EQ(stats().failed, 0u);
}

TEST_F(ExtraChangesTest, AFewDocumentsAndNoMore) {
  declareCounting([](const JobRun& run) -> Task<> {
    ExtraChanges& extra = **run.extraChanges;
    const size_t count =
        run.payload.view().stringOr("text") == "most" ? ExtraChanges::kMaxTargets : ExtraChanges::kMaxTargets + 1;
    while (extra.targets.size() < count) {
      extra.targets.push_back({countsOf(kProject), std::to_string(extra.targets.size())});
    }
    co_return Result<>();
  });
  put({.kind = "counted", .payload = payload("most")});
  EXPECT_TRUE(until([&] { return stats().completed == 1; }));
  EXPECT_EQ(counted(), 1);
  put({.kind = "counted", .payload = payload("more")});
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return stats().dead == 1;
  }));
  EXPECT_EQ(counted(), 1);
}

// Over the real engine, with jobs that a later start of the server runs.
TEST(DurableExtraChangesTest, EachJobCountsOnce) {
  initCrypto();
  configureLog(LogLevel::off, LogFormat::text);
  SystemClock clock;
  IdGenerator ids(clock);
  MasterSecret master(Secret(std::string(32, 'k')));
  std::vector<store::SystemCollection> collections = systemCollections();
  collections.push_back({.number = kCounts,
                         .name = "__counts",
                         .indexes = {},
                         .counters = {{.counter = 77, .name = "runs", .summed = "count"}}});
  store::embedded::OpenedStore opened(collections);
  const store::ProjectNo project = opened.must(opened.store().allocateProject());
  const store::CounterKey counted{project, 77, ""};
  RunRecorder recorder;
  std::atomic<bool> blocks = true;
  const auto handler = [&](JobRun run) -> Task<> {
    *run.extraChanges = oneMore(project);
    recorder.note(run.id);
    while (blocks) co_await sleepFor(1ms);
    co_return Result<>();
  };
  const auto queueOver = [&] {
    auto queue = std::make_unique<Queue>(QueueDeps{opened.store(), opened.cores(), ids, clock, master});
    Kind kind;
    kind.name = "counted";
    kind.handler = handler;
    kind.concurrency = kind.perProject = kind.perGroup = 4;
    queue->declare(std::move(kind));
    queue->start();
    return queue;
  };
  const auto waiting = [&] { return opened.must(opened.store().stats({store::kControlProject, kJobs, 0})).documents; };

  auto queue = queueOver();
  for (int i = 0; i < 40; ++i) {
    opened.must(queue->put({.kind = "counted", .project = 2, .payload = payload("x")}));
  }
  recorder.wait(4);
  EXPECT_EQ(opened.must(opened.store().counter(counted)), 0);
  EXPECT_FALSE(queue->stop(1ms));
  blocks = false;
  ASSERT_TRUE(queue->stop(20s));
  queue.reset();
  opened.reopen();
  EXPECT_EQ(opened.must(opened.store().counter(counted)), 4);
  EXPECT_EQ(waiting(), 36u);
  queue = queueOver();
  EXPECT_TRUE(until([&] { return waiting() == 0; }));
  EXPECT_EQ(opened.must(opened.store().counter(counted)), 40);
  ASSERT_TRUE(queue->stop(20s));
  EXPECT_TRUE(opened.store().check().problems.empty());
}

}  // namespace
}  // namespace mb::jobs
