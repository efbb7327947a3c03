// A queue over a store in memory, with a handler that the test scripts. With MB_JOBS_REDIS set its leases and wake-ups
// go through a real Redis.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/testing.h"
#include "document/json.h"
#include "jobs/queue_impl.h"
#include "jobs/redis_leases.h"
#include "jobs/row.h"
#include "redis/testing.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::jobs {

inline doc::Document payload(std::string_view text) {
  doc::BsonWriter out;
  out.appendString("text", text);
  return out.finish();
}

// A RunRecorder records what handlers do. The test's thread waits on it.
class RunRecorder {
 public:
  void note(std::string what) {
    const std::scoped_lock lock(mutex_);
    notes_.push_back(std::move(what));
    changed_.notify_all();
  }
  std::vector<std::string> notes() const {
    const std::scoped_lock lock(mutex_);
    return notes_;
  }
  // Blocks until there are at least `count` notes.
  std::vector<std::string> wait(size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return notes_.size() >= count; }))
        << notes_.size() << " of " << count;
    return notes_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

// A HandlerBarrier blocks handlers until it is opened.
class HandlerBarrier {
 public:
  void open() { open_ = true; }
  Async<void> pass() {
    while (!open_) co_await sleepFor(std::chrono::milliseconds(1));
  }

 private:
  std::atomic<bool> open_ = false;
};

// The set of suspended projects. Thread-safe.
class Suspensions {
 public:
  void set(store::ProjectNo project, bool suspended) {
    const std::scoped_lock lock(mutex_);
    if (suspended) {
      projects_.insert(project);
    } else {
      projects_.erase(project);
    }
  }
  void failWith(std::optional<ErrorCode> code) {
    const std::scoped_lock lock(mutex_);
    failure_ = code;
  }
  Task<bool> contains(store::ProjectNo project) {
    const std::scoped_lock lock(mutex_);
    ++calls_;
    if (failure_) co_return fail(*failure_, "as the test asked");
    co_return projects_.contains(project);
  }
  int calls() const {
    const std::scoped_lock lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<store::ProjectNo> projects_;
  std::optional<ErrorCode> failure_;
  int calls_ = 0;
};

// Leases of one queue in a Redis.
class SharedLeases {
 public:
  SharedLeases(Cores& cores, redis::Address address, RedisLeasesConfig config)
      : client_(cores.at(0).get_executor(), std::move(address)),
        leases_(client_, cores.at(0).get_executor(), std::move(config)) {
    leases_.start();
    client_.start();
    EXPECT_TRUE(until([&] { return client_.up(); }));
  }
  ~SharedLeases() {
    leases_.stop();
    client_.stop();
  }
  redis::Client& client() { return client_; }
  RedisLeases& leases() { return leases_; }

 private:
  redis::Client client_;
  RedisLeases leases_;
};

class QueueFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kNowMs = 1'800'000'000'000;

  QueueFixture() {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    cores_.start();
    if (std::getenv("MB_JOBS_REDIS")) {
      redis_ = std::make_unique<redis::testing::RedisServer>();
      shared_ = std::make_unique<SharedLeases>(cores_, redis_->address(), RedisLeasesConfig{"test", "only", true});
    }
    makeQueue();
  }
  ~QueueFixture() override {
    barrier_.open();
    queue_->stop(std::chrono::seconds(20));
    shared_.reset();
    cores_.stop();
    cores_.join();
    queue_.reset();
  }

  void makeQueue() {
    Leases* leases = shared_ ? &shared_->leases() : nullptr;
    queue_ =
        std::make_unique<Queue>(QueueDeps{store_, cores_, ids_, clock_, master_, leases,
                                          [this](store::ProjectNo project) { return suspended_.contains(project); }});
  }
  // A kind whose handler records "<payload text>" and succeeds.
  Kind noting(std::string name = "note") {
    Kind kind;
    kind.name = std::move(name);
    kind.handler = [this](JobRun run) { return noteRun(std::move(run)); };
    return kind;
  }
  Task<> noteRun(JobRun run) {
    recorder_.note(std::string(run.payload.view().stringOr("text")));
    co_return Result<>();
  }
  // Records "<text> <attempt>[!]" and fails, except for the attempt in `succeedsAt`.
  Task<> failingRun(JobRun run) {
    recorder_.note(fmt::format("{} {}{}", run.payload.view().stringOr("text"), run.attempt, run.last ? "!" : ""));
    if (run.attempt == succeedsAt_) co_return Result<>();
    co_return fail(Error(ErrorCode::upstreamFailed, "request failed").withCause("n\xC3\xB6 connection"));
  }
  // Records "<text> <attempt>"; a run with the text "again" ends its job, any other repeats it with that text in an
  // hour.
  Task<> repeatingRun(JobRun run) {
    const std::string text(run.payload.view().stringOr("text"));
    recorder_.note(fmt::format("{} {}", text, run.attempt));
    if (run.attempt < succeedsAt_) co_return fail(ErrorCode::upstreamFailed, "request failed");
    if (text != "again") *run.repetition = Repetition{{clock_.now().ms + 3'600'000}, payload("again")};
    co_return Result<>();
  }
  Task<> heldRun(JobRun run) {
    const int now = ++running_;
    max_ = std::max<int>(max_, now);
    recorder_.note(fmt::format("{} begins", run.payload.view().stringOr("text")));
    co_await barrier_.pass();
    --running_;
    recorder_.note(fmt::format("{} ends", run.payload.view().stringOr("text")));
    co_return Result<>();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  std::string put(JobSpec spec) {
    auto id = run(queue_->put(std::move(spec)));
    EXPECT_TRUE(id) << id.error().message();
    return id.value_or("");
  }
  // Changes a project's status as a commit does; the queue is not notified.
  void commitStatus(store::ProjectNo project, bool suspended) {
    suspended_.set(project, suspended);
    store_.bumpEpoch(project);
  }
  void suspend(store::ProjectNo project) {
    commitStatus(project, true);
    queue_->projectChanged(project);
  }
  void resume(store::ProjectNo project) {
    commitStatus(project, false);
    queue_->projectChanged(project);
  }
  // Commits the job without notifying the queue.
  std::string commitOnly(JobSpec spec) {
    auto job = queue_->insertOf(std::move(spec));
    EXPECT_TRUE(job);
    std::string id = job->id();
    store::Write write(asServer());
    write.insert(*std::move(job));
    EXPECT_TRUE(run(store_.write(std::move(write), nullptr)));
    return id;
  }
  std::vector<Row> rows() const {
    std::vector<Row> out;
    for (const auto& document : store_.all({store::kControlProject, kJobs, 0})) {
      auto row = Row::fromDocument(document);
      EXPECT_TRUE(row);
      out.push_back(*std::move(row));
    }
    return out;
  }
  bool untilEmpty() {
    return until([&] { return rows().empty(); });
  }
  KindStats stats() const { return queue_->stats().at(0); }

  ManualClock clock_{kNowMs};
  IdGenerator ids_{clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  Cores cores_{2};
  store::testing::MemoryStore store_{systemCollections()};
  Suspensions suspended_;
  std::unique_ptr<redis::testing::RedisServer> redis_;
  std::unique_ptr<SharedLeases> shared_;
  std::unique_ptr<Queue> queue_;
  RunRecorder recorder_;
  HandlerBarrier barrier_;
  std::atomic<int> running_ = 0;
  std::atomic<int> max_ = 0;
  int succeedsAt_ = 0;
};

}  // namespace mb::jobs
