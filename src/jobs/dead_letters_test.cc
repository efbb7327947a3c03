#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class DeadLettersTest : public QueueFixture {
 protected:
  DeadLettersTest() {
    Kind kind;
    kind.name = "broken";
    kind.handler = [this](JobRun run) { return failingRun(std::move(run)); };
    kind.backoff = {1ms};
    queue_->declare(std::move(kind));
    queue_->start();
  }
  void giveUp(std::vector<std::string> texts) {
    for (const std::string& text : texts) {
      const uint64_t dead = stats().dead;
      put({.kind = "broken", .project = 7, .id = "id " + text, .payload = payload(text), .group = "g"});
      ASSERT_TRUE(until([&] {
        clock_.advance(1);
        return stats().dead == dead + 1;
      }));
    }
  }
  std::vector<std::string> listed(uint64_t limit, uint64_t skip) {
    std::vector<std::string> ids;
    for (const DeadJob& job : *run(queue_->dead(limit, skip))) ids.push_back(job.id);
    return ids;
  }
  store::Insert entry(std::string id) {
    doc::BsonWriter out;
    out.appendString("id", id);
    return {{store::kControlProject, kJobs, 0}, out.finish()};
  }
};

TEST_F(DeadLettersTest, AreListedLastFirst) {
  giveUp({"a", "b", "c"});
  EXPECT_THAT(listed(10, 0), ElementsAre("id c", "id b", "id a"));
  EXPECT_THAT(listed(1, 1), ElementsAre("id b"));
  EXPECT_THAT(listed(10, 3), ElementsAre());
  const DeadJob job = run(queue_->dead(1, 0))->at(0);
  EXPECT_EQ(job.kind, "broken");
  EXPECT_EQ(job.project, 7u);
  EXPECT_EQ(job.attempts, 2);
  EXPECT_EQ(job.error, "request failed: n?? connection");
  EXPECT_GE(job.failedAt, job.createdAt);
  EXPECT_EQ(run(queue_->load("broken", 7, "g"))->jobs, 0u);
}

TEST_F(DeadLettersTest, AreRetriedOrDiscarded) {
  giveUp({"a", "b"});
  put({.kind = "broken", .id = "waits", .payload = payload("w"), .notBefore = Timestamp{clock_.now().ms + 100'000}});
  for (const char* id : {"waits", "nobody"}) {
    EXPECT_EQ(run(queue_->retryDead(id, {entry("audit")})), false);
    EXPECT_EQ(run(queue_->discardDead(id, {entry("audit")})), false);
  }
  EXPECT_FALSE(*run(store_.get({store::kControlProject, kJobs, 0}, "audit")));
  EXPECT_EQ(run(queue_->discardDead("id b", {entry("audit")})), true);
  EXPECT_TRUE(*run(store_.get({store::kControlProject, kJobs, 0}, "audit")));
  EXPECT_EQ(run(queue_->discardDead("id b", {})), false);
  succeedsAt_ = 2;
  EXPECT_EQ(run(queue_->retryDead("id a", {})), true);
  EXPECT_TRUE(until([&] {
    clock_.advance(1);
    return stats().completed == 1;
  }));
  EXPECT_THAT(listed(10, 0), ElementsAre());
  const auto notes = recorder_.notes();
  EXPECT_EQ(notes.back(), "a 2!");
}

}  // namespace
}  // namespace mb::jobs
