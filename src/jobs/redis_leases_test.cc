// Leases and wake-ups through a real Redis that dies, loses its data or stops replying.
#include "jobs/redis_leases.h"

#include "base/testing.h"
#include "jobs/queue_fixture.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class RedisLeasesTest : public QueueFixture {
 protected:
  void SetUp() override { MB_REQUIRE_PART(redis::testing::RedisServer::installed(), "redis-server"); }
  std::unique_ptr<SharedLeases> leases(std::string instance, bool alone) {
    return std::make_unique<SharedLeases>(cores_, server_.address(),
                                          RedisLeasesConfig{"mb", std::move(instance), alone});
  }
  std::unique_ptr<Queue> queueWith(SharedLeases& shared, Kind kind) {
    auto queue = std::make_unique<Queue>(QueueDeps{store_, cores_, ids_, clock_, master_, &shared.leases()});
    queue->declare(std::move(kind));
    queue->start();
    return queue;
  }
  Kind held(std::string name) {
    Kind kind;
    kind.name = std::move(name);
    kind.handler = [this](JobRun run) { return heldRun(std::move(run)); };
    kind.concurrency = kind.perProject = 4;
    return kind;
  }
  std::string putTo(Queue& queue, std::string text) {
    auto id = run(queue.put({.kind = "held", .payload = payload(text)}));
    EXPECT_TRUE(id);
    return id.value_or("");
  }
  std::string redisText(SharedLeases& shared, std::vector<std::string> command) {
    const auto reply = runTask(shared.client().call(std::move(command)));
    return reply ? reply->text : reply.error().message();
  }
  template <class T>
  Result<T> runTask(Task<T> task) {
    return store::testing::runOn(cores_, 1, std::move(task));
  }
  bool take(SharedLeases& shared, std::string id) { return *runTask(taken(shared.leases(), std::move(id))); }
  static Task<bool> taken(Leases& leases, std::string id) { co_return co_await leases.take(std::move(id)); }

  redis::testing::RedisServer server_;
};

TEST_F(RedisLeasesTest, OneProcessHoldsALeaseAtATime) {
  const auto a = leases("a", false), b = leases("b", false), again = leases("a", false);
  EXPECT_TRUE(take(*a, "j"));
  EXPECT_EQ(redisText(*a, {"GET", "mb:lease:j"}), "a");
  EXPECT_FALSE(take(*b, "j"));
  EXPECT_TRUE(take(*again, "j"));  // a process that replaces an ended one
  b->leases().release("j");        // leaves the lease of another process
  EXPECT_EQ(redisText(*b, {"GET", "mb:lease:j"}), "a");
  a->leases().release("j");
  EXPECT_TRUE(until([&] { return take(*b, "j"); }));
}

TEST_F(RedisLeasesTest, QueuesOnOneStoreShareTheJobsAndTheirWakeUps) {
  const auto a = leases("a", false), b = leases("b", false);
  Kind few = held("held");
  few.concurrency = few.perProject = 1;
  auto one = queueWith(*a, few);
  auto other = queueWith(*b, few);
  std::this_thread::sleep_for(50ms);
  for (int i = 0; i < 2; ++i) putTo(*one, std::to_string(i));
  // Each runs one: the first notified the second.
  recorder_.wait(2);
  EXPECT_EQ(running_, 2);
  for (int i = 2; i < 40; ++i) putTo(i % 2 == 0 ? *one : *other, std::to_string(i));
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(one->stop(20s));
  EXPECT_TRUE(other->stop(20s));
  auto notes = recorder_.notes();
  std::ranges::sort(notes);
  EXPECT_EQ(notes.size(), 80u);  // begun and ended, each once
  EXPECT_EQ(std::unique(notes.begin(), notes.end()), notes.end());
}

TEST_F(RedisLeasesTest, ALeaseOfAnEndedProcessExpires) {
  const auto a = leases("a", false);
  barrier_.open();
  auto queue = queueWith(*a, held("held"));
  redisText(*a, {"SET", "mb:lease:mine", "gone", "PX", "300"});
  ASSERT_TRUE(run(queue->put({.kind = "held", .id = "mine", .payload = payload("x")})));
  recorder_.wait(2);
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(queue->stop(20s));
}

TEST_F(RedisLeasesTest, ALostLeaseRunsNothingTwiceHere) {
  const auto a = leases("only", true);
  auto queue = queueWith(*a, held("held"));
  const std::string id = putTo(*queue, "x");
  recorder_.wait(1);
  redisText(*a, {"FLUSHALL"});
  for (int i = 0; i < 5; ++i) queue->wake({id});
  queue->wake();
  putTo(*queue, "y");
  recorder_.wait(2);
  EXPECT_THAT(recorder_.notes(), ElementsAre("x begins", "y begins"));
  barrier_.open();
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(queue->stop(20s));
  EXPECT_EQ(recorder_.notes().size(), 4u);
}

// While the process is the only one of its store, failures of Redis only delay jobs, and briefly.
TEST_F(RedisLeasesTest, NothingIsLostWhateverHappensToRedis) {
  const auto a = leases("only", true);
  barrier_.open();
  auto queue = queueWith(*a, held("held"));
  size_t put = 0;
  const auto some = [&] {
    for (int i = 0; i < 20; ++i) putTo(*queue, std::to_string(put++));
  };
  some();
  server_.kill();
  some();
  EXPECT_TRUE(untilEmpty());
  server_.start();
  some();
  EXPECT_TRUE(until([&] { return a->client().up(); }));
  some();
  server_.pause();
  some();
  EXPECT_TRUE(untilEmpty());
  server_.goOn();
  EXPECT_TRUE(until([&] { return a->client().up(); }));
  some();
  redisText(*a, {"FLUSHALL"});
  some();
  EXPECT_TRUE(untilEmpty());
  EXPECT_TRUE(queue->stop(20s));
  auto notes = recorder_.notes();
  std::ranges::sort(notes);
  EXPECT_EQ(notes.size(), 2 * put);
  EXPECT_EQ(std::unique(notes.begin(), notes.end()), notes.end());
}

TEST_F(RedisLeasesTest, WithoutRedisOthersWaitForIt) {
  const auto a = leases("a", false);
  server_.kill();
  EXPECT_TRUE(until([&] { return !a->client().up(); }));
  EXPECT_FALSE(take(*a, "j"));
  server_.start();
  EXPECT_TRUE(until([&] { return take(*a, "j"); }));
}

}  // namespace
}  // namespace mb::jobs
