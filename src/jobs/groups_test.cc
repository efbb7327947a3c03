// Groups of jobs: their bounds, their round robin and their loads.
#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class GroupsTest : public QueueFixture {
 protected:
  // Runs of payloads that begin with "dead" block until the barrier opens.
  Kind receiving(int perGroup) {
    Kind kind;
    kind.name = "send";
    kind.handler = [this](JobRun run) { return send(std::move(run)); };
    kind.concurrency = 16;
    kind.perProject = 8;
    kind.perGroup = perGroup;
    return kind;
  }
  Task<> send(JobRun run) {
    const std::string text(run.payload.view().stringOr("text"));
    if (text.starts_with("dead")) {
      const int now = ++running_;
      max_ = std::max<int>(max_, now);
      co_await barrier_.pass();
      --running_;
    }
    recorder_.note(text);
    co_return Result<>();
  }
  GroupLoad load(std::string group) { return *run(queue_->load("send", 2, std::move(group))); }
  std::vector<std::string> oldest(std::string group, uint64_t limit) {
    std::vector<std::string> texts;
    for (const WaitingJob& job : *run(queue_->oldest("send", 2, std::move(group), limit))) {
      texts.emplace_back(job.payload.view().stringOr("text"));
    }
    return texts;
  }
};

TEST_F(GroupsTest, ADeadReceiverTakesNoSlotOfOthers) {
  queue_->declare(receiving(3));
  for (int i = 0; i < 400; ++i) commitOnly({.kind = "send", .project = 2, .payload = payload("dead"), .group = "a"});
  for (int i = 0; i < 100; ++i) commitOnly({.kind = "send", .project = 2, .payload = payload("b"), .group = "b"});
  for (int i = 0; i < 5; ++i) commitOnly({.kind = "send", .project = 3, .payload = payload("c"), .group = "a"});
  queue_->start();
  const auto notes = recorder_.wait(105);
  EXPECT_EQ(std::ranges::count(notes, "b"), 100);
  EXPECT_EQ(running_, 3);
  EXPECT_TRUE(until([&] { return stats().queued <= 64 && stats().running == 3; }));
  put({.kind = "send", .project = 2, .payload = payload("d"), .group = "d"});
  recorder_.wait(106);
  EXPECT_EQ(load("a").jobs, 400u);
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(max_, 3);
  EXPECT_EQ(recorder_.notes().size(), 506u);
}

TEST_F(GroupsTest, TheLimitOfAGroupMayChange) {
  std::atomic<int> limit = 0;
  Kind kind = receiving(4);
  kind.groupLimit = [&](store::ProjectNo project, const std::string& group) {
    return project == 2 && group == "a" ? limit.load() : 4;
  };
  queue_->declare(std::move(kind));
  queue_->start();
  for (int i = 0; i < 6; ++i) put({.kind = "send", .project = 2, .payload = payload("dead"), .group = "a"});
  put({.kind = "send", .project = 2, .payload = payload("b"), .group = "b"});
  EXPECT_THAT(recorder_.wait(1), ElementsAre("b"));
  EXPECT_EQ(running_, 0);
  limit = 2;
  queue_->wake();
  EXPECT_TRUE(until([&] { return running_ == 2; }));
  limit = 3;
  queue_->wake();
  EXPECT_TRUE(until([&] { return running_ == 3; }));
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(max_, 3);
  EXPECT_TRUE(until([&] { return stats().running == 0; }));
}

TEST_F(GroupsTest, LoadsAreExact) {
  queue_->declare(receiving(1));
  EXPECT_EQ(load("a").jobs, 0u);
  put({.kind = "send", .project = 2, .id = "1", .payload = payload("dead"), .group = "a"});
  commitOnly({.kind = "send", .project = 2, .id = "2", .payload = payload(std::string(5000, 'x')), .group = "a"});
  put({.kind = "send", .project = 2, .payload = payload("b"), .group = "b"});
  put({.kind = "send", .project = 3, .payload = payload("dead"), .group = "a"});
  put({.kind = "send", .project = 2, .payload = payload("none")});
  EXPECT_EQ(load("a").jobs, 2u);
  EXPECT_GT(load("a").bytes, 5000u);
  EXPECT_LT(load("a").bytes, 6500u);
  EXPECT_EQ(load("b").jobs, 1u);
  EXPECT_EQ(load("").jobs, 0u);
  EXPECT_TRUE(*run(queue_->cancel("2")));
  EXPECT_EQ(load("a").jobs, 1u);
  queue_->start();
  EXPECT_THAT(recorder_.wait(2), UnorderedElementsAre("b", "none"));
  EXPECT_TRUE(until([&] { return load("b").jobs == 0; }));
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_EQ(load("a").jobs, 0u);
  EXPECT_EQ(load("a").bytes, 0u);
}

TEST_F(GroupsTest, TheOldestAreThoseThatWait) {
  queue_->declare(receiving(1));
  queue_->start();
  put({.kind = "send", .project = 2, .payload = payload("dead"), .group = "a"});
  EXPECT_TRUE(until([&] { return running_ == 1; }));
  for (int i = 0; i < 60; ++i) {
    clock_.advance(1);
    put({.kind = "send",
         .project = 2,
         .payload = payload(fmt::format("{:02}", i)),
         .sealed = i % 2 == 0,
         .orderKey = i == 0 ? "k" : "",
         .group = "a"});
  }
  put({.kind = "send", .project = 2, .payload = payload("dead b"), .group = "aa"});
  EXPECT_THAT(oldest("a", 3), ElementsAre("00", "01", "02"));
  EXPECT_EQ(oldest("a", 100).size(), 60u);
  EXPECT_EQ(oldest("a", 100).back(), "59");
  EXPECT_TRUE(oldest("none", 100).empty());
  EXPECT_TRUE(oldest("a", 0).empty());
}

TEST_F(GroupsTest, RetriesOfAFullGroupAreOnTime) {
  Kind kind;
  kind.name = "flaky";
  kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
  kind.backoff = {1s};
  kind.concurrency = kind.perProject = kind.perGroup = 1;
  succeedsAt_ = 2;
  queue_->declare(std::move(kind));
  for (int i = 0; i < 100; ++i) {
    commitOnly({.kind = "flaky", .project = 2, .payload = payload(fmt::format("{:02}", i)), .group = "g"});
  }
  queue_->start();
  // As many as fit into memory run once; then all of them wait for their second attempt.
  recorder_.wait(64);
  EXPECT_TRUE(until([&] { return stats().failed >= 64 && stats().running == 0; }));
  clock_.advance(1000);
  queue_->wake();
  const auto notes = recorder_.wait(128);
  EXPECT_GE(std::ranges::count_if(notes, [](const std::string& note) { return note.ends_with("2!"); }), 28);
  EXPECT_TRUE(until([&] {
    clock_.advance(1000);
    queue_->wake();
    return rows().empty();
  }));
  EXPECT_EQ(recorder_.notes().size(), 200u);
}

TEST_F(GroupsTest, SeveralJobsInOneCommit) {
  queue_->declare(receiving(4));
  EXPECT_FALSE(queue_->insertsOf({{.kind = "send"}, {.kind = "unknown"}}));
  EXPECT_FALSE(queue_->insertsOf({{.kind = "send", .group = std::string(201, 'x')}}));
  EXPECT_FALSE(queue_->insertsOf({{.kind = "send", .group = "a\n"}}));
  auto jobs = queue_->insertsOf({{.kind = "send", .project = 2, .payload = payload("a"), .group = "a"},
                                 {.kind = "send", .project = 2, .id = "own", .payload = payload("b"), .group = "b"}});
  ASSERT_TRUE(jobs);
  const std::vector<std::string> ids = store::idsOf(*jobs);
  EXPECT_EQ(ids.at(1), "own");
  store::Write write(asServer());
  write.insert(*std::move(jobs));
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  queue_->start();
  queue_->wake(ids);
  EXPECT_THAT(recorder_.wait(2), UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(untilEmpty());
}

}  // namespace
}  // namespace mb::jobs
