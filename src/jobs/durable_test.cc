// Jobs over the real engine: committed jobs run after the process has ended.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "jobs/queue_fixture.h"
#include "store/embedded/testing.h"

namespace mb::jobs {
namespace {

using namespace std::chrono_literals;
using store::embedded::OpenedStore;

class DurableTest : public ::testing::Test {
 protected:
  DurableTest() {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
  }
  Task<> note(JobRun run) {
    recorder_.note(std::string(run.payload.view().stringOr("text")));
    if (run.payload.view().stringOr("text") != "few") co_await barrier_.pass();
    co_return Result<>();
  }
  std::unique_ptr<Queue> queueOver(OpenedStore& opened) {
    auto queue = std::make_unique<Queue>(QueueDeps{opened.store(), opened.cores(), ids_, clock_, master_});
    Kind kind;
    kind.name = "note";
    kind.handler = [this](JobRun run) { return note(std::move(run)); };
    kind.concurrency = kind.perProject = 3;
    kind.perGroup = 2;
    queue->declare(std::move(kind));
    return queue;
  }

  SystemClock clock_;
  IdGenerator ids_{clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  RunRecorder recorder_;
  HandlerBarrier barrier_;
};

TEST_F(DurableTest, UncompletedJobsAreOfferedAgain) {
  OpenedStore opened(systemCollections());
  auto queue = queueOver(opened);
  queue->start();
  for (int i = 0; i < 10; ++i) {
    opened.must(queue->put({.kind = "note", .payload = payload(std::to_string(i)), .sealed = i % 2 == 0}));
  }
  recorder_.wait(3);
  EXPECT_FALSE(queue->stop(1ms));
  barrier_.open();
  ASSERT_TRUE(queue->stop(20s));
  queue.reset();
  EXPECT_EQ(recorder_.notes().size(), 3u);

  opened.reopen();
  queue = queueOver(opened);
  queue->start();
  auto notes = recorder_.wait(10);
  std::ranges::sort(notes);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(notes[static_cast<size_t>(i)], std::to_string(i));
  EXPECT_TRUE(
      until([&] { return opened.must(opened.store().stats({store::kControlProject, kJobs, 0})).documents == 0; }));
  ASSERT_TRUE(queue->stop(20s));
}

TEST_F(DurableTest, OrderAndSweepGoThroughTheIndexes) {
  OpenedStore opened(systemCollections());
  auto queue = queueOver(opened);
  barrier_.open();
  for (int i = 0; i < 200; ++i) {
    store::Write write(asServer());
    write.insert(*queue->insertOf({.kind = "note", .payload = payload(fmt::format("{:03}", i)), .orderKey = "k"}));
    opened.must(opened.store().write(std::move(write), nullptr));
  }
  queue->start();
  const auto notes = recorder_.wait(200);
  EXPECT_TRUE(std::is_sorted(notes.begin(), notes.end()));
  ASSERT_TRUE(queue->stop(20s));
}

TEST_F(DurableTest, LargePayloadsAreFoundToo) {
  OpenedStore opened(systemCollections());
  auto queue = queueOver(opened);
  barrier_.open();
  const std::string large(kMaxPayloadBytes - 100, 'x');
  std::vector<std::string> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(opened.must(queue->put({.kind = "note", .project = 2, .payload = payload(large), .group = "g"})));
  }
  EXPECT_GT(opened.must(queue->load("note", 2, "g")).bytes, 40 * large.size());
  EXPECT_EQ(opened.must(queue->oldest("note", 2, "g", 3)).size(), 3u);
  queue->start();
  queue->wake(ids);
  recorder_.wait(40);
  EXPECT_TRUE(until([&] { return opened.must(queue->load("note", 2, "g")).jobs == 0; }));
  ASSERT_TRUE(queue->stop(20s));
  EXPECT_TRUE(opened.store().check().problems.empty());
}

TEST_F(DurableTest, ReachesEachGroupBehindThousandsOfAnother) {
  OpenedStore opened(systemCollections());
  auto queue = queueOver(opened);
  for (int i = 0; i < 100; ++i) {
    std::vector<JobSpec> specs;
    for (int j = 0; j < 100; ++j) {
      specs.push_back({.kind = "note", .project = 2, .payload = payload("many"), .group = "a"});
    }
    if (i % 20 == 0) {
      for (std::string group : {"b", "c"}) {
        specs.push_back({.kind = "note", .project = 2, .payload = payload("few"), .group = std::move(group)});
      }
    }
    auto jobs = queue->insertsOf(std::move(specs));
    ASSERT_TRUE(jobs);
    store::Write write(asServer());
    write.insert(*std::move(jobs));
    opened.must(opened.store().write(std::move(write), nullptr));
  }
  queue->start();
  EXPECT_TRUE(until([&] { return std::ranges::count(recorder_.notes(), "few") == 10; }));
  EXPECT_EQ(opened.must(queue->load("note", 2, "a")).jobs, 10'000u);
  queue->stop(1ms);
  barrier_.open();
  ASSERT_TRUE(queue->stop(20s));
}

// The program runs this test in a second process and kills it while its handlers are blocked.
TEST_F(DurableTest, SurvivesAKill) {
  if (const char* folder = std::getenv("MB_JOBS_FOLDER")) {
    Cores cores(2);
    cores.start();
    auto store = store::EmbeddedStore::open(folder, {}, cores, systemCollections(), clock_);
    ASSERT_TRUE(store) << store.error().message();
    Queue queue({**store, cores, ids_, clock_, master_});
    Kind kind;
    kind.name = "note";
    kind.handler = [this](JobRun run) { return note(std::move(run)); };
    queue.declare(std::move(kind));
    queue.start();
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(store::testing::runOn(
          cores, 0, queue.put({.kind = "note", .payload = payload(std::to_string(i)), .sealed = true})));
    }
    recorder_.wait(4);
    ::kill(::getpid(), SIGKILL);
  }
  const store::embedded::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("MB_JOBS_FOLDER", folder.path().c_str(), 1);
    ::execl("/proc/self/exe", "jobs_test", "--gtest_filter=DurableTest.SurvivesAKill", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;

  Cores cores(2);
  cores.start();
  {
    auto store = store::EmbeddedStore::open(folder.path(), {}, cores, systemCollections(), clock_);
    ASSERT_TRUE(store) << store.error().message();
    Queue queue({**store, cores, ids_, clock_, master_});
    Kind kind;
    kind.name = "note";
    kind.handler = [this](JobRun run) { return note(std::move(run)); };
    queue.declare(std::move(kind));
    barrier_.open();
    queue.start();
    auto notes = recorder_.wait(20);
    std::ranges::sort(notes);
    EXPECT_EQ(std::unique(notes.begin(), notes.end()) - notes.begin(), 20);
    ASSERT_TRUE(queue.stop(20s));
  }
  cores.stop();
  cores.join();
}

}  // namespace
}  // namespace mb::jobs
