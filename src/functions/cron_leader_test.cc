// Schedules of one store with two servers, which share leases through a real Redis: one of them runs each fire.
#include "base/testing.h"
#include "functions/cron.h"
#include "jobs/queue_fixture.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;

class CronLeaderTest : public jobs::QueueFixture {
 protected:
  static constexpr int64_t kMinuteMs = 60'000;

  // The parts of a server that schedules need.
  struct Instance {
    Instance(CronLeaderTest& test, const std::string& name)
        : leases(test.cores_, test.server_.address(), jobs::RedisLeasesConfig{"mb", name, false}),
          queue({test.store_, test.cores_, test.ids_, test.clock_, test.master_, &leases.leases()}),
          cron({test.store_, test.snapshots_, queue, test.cores_, test.clock_}) {
      jobs::Kind kind;
      kind.name = runJob(1, "fn", "").kind;
      kind.handler = [&test, name](jobs::JobRun run) { return test.handled(std::move(run), name); };
      queue.declare(std::move(kind));
      queue.start();
    }
    ~Instance() { queue.stop(20s); }

    jobs::SharedLeases leases;
    jobs::Queue queue;
    Cron cron;
  };

  // A directory with a single project.
  struct OneProject final : snapshot::ProjectDirectory {
    Task<std::optional<snapshot::ProjectInfo>> find(std::string) override { co_return info(); }
    Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo) override { co_return info(); }
    Task<std::optional<snapshot::ProjectInfo>> onlyOne() override { co_return info(); }
    static snapshot::ProjectInfo info() {
      return {1, ProjectId("proj_1"), "one", "One", snapshot::ProjectStatus::active, {}};
    }
  };

  void SetUp() override {
    snapshots_.setDirectory(directory_);
    MB_REQUIRE_PART(redis::testing::RedisServer::installed(), "redis-server");
    const TimetableRow row{"1/fn", "fn", "proj_1", 1, "* * * * *", {clock_.now().ms + kMinuteMs}};
    store::Write write({.deadline = std::chrono::steady_clock::now() + 10s, .actor = {}, .bumpEpochs = {}});
    write.insert({kTimetableRows, doc::encode(row)});
    ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  }
  // Records "<server> <scheduledAt>"; a server in `hanging` then blocks until the barrier is opened.
  Task<> handled(jobs::JobRun run, std::string name) {
    const std::string at = toRfc3339(run.payload.view().findPath("event.scheduledAt")->asDate());
    recorder_.note(fmt::format("{} {}", name, at));
    if (name == hanging_) co_await barrier_.pass();
    co_return Result<>();
  }
  int pass(Instance& instance, size_t core) {
    const auto fired = store::testing::runOn(cores_, core, instance.cron.pass());
    EXPECT_TRUE(fired);
    return fired.value_or(-1);
  }

  OneProject directory_;
  snapshot::Snapshots snapshots_{store_, cores_, 10};
  redis::testing::RedisServer server_;
  std::string hanging_;
};

TEST_F(CronLeaderTest, OfTwoServersOneRunsEachFire) {
  Instance one(*this, "one"), other(*this, "other");
  constexpr size_t kFires = 40;
  for (size_t i = 1; i <= kFires; ++i) {
    clock_.advance(kMinuteMs);
    auto beside = std::async(std::launch::async, [&] { return pass(other, 1); });
    EXPECT_EQ(pass(one, 0) + beside.get(), 1) << i;
    recorder_.wait(i);
  }
  EXPECT_TRUE(untilEmpty());
  std::set<std::string> fires;
  for (const std::string& note : recorder_.notes()) fires.insert(note.substr(note.find(' ') + 1));
  EXPECT_EQ(recorder_.notes().size(), kFires) << "each once";
  EXPECT_EQ(fires.size(), kFires);
}

TEST_F(CronLeaderTest, WhatALeaderThatDiesHadBegunTheOtherTakesOver) {
  hanging_ = "one";
  auto one = std::make_unique<Instance>(*this, "one");
  clock_.advance(kMinuteMs);
  ASSERT_EQ(pass(*one, 0), 1);
  const std::string first = recorder_.wait(1).at(0);
  ASSERT_TRUE(first.starts_with("one "));
  Instance other(*this, "other");
  other.queue.wake();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(recorder_.notes().size(), 1u) << "it is the leader's while that lives";

  one->leases.leases().stop();  // it renews no lease, like a dead process
  const std::string job = rows().at(0).id;
  ASSERT_TRUE(store::testing::runOn(cores_, 0, one->leases.client().call({"PEXPIRE", "mb:lease:" + job, "200"})));
  EXPECT_EQ(recorder_.wait(2).at(1), "other" + first.substr(first.find(' ')));
  EXPECT_TRUE(untilEmpty());

  clock_.advance(kMinuteMs);
  EXPECT_EQ(pass(other, 1), 1);
  EXPECT_TRUE(recorder_.wait(3).at(2).starts_with("other "));
  barrier_.open();
}

}  // namespace
}  // namespace mb::functions
