#include "base/cores.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "base/task_group.h"
#include "base/worker_pool.h"

namespace mb {
namespace {

using std::chrono::milliseconds;

// Runs one coroutine on a core and returns its result.
template <class T>
T runOn(Cores& cores, int core, Async<T> work) {
  return asio::co_spawn(cores.at(core), std::move(work), asio::use_future).get();
}

Async<int> whichCore() {
  co_return Cores::current();
}

Async<bool> staysThroughASleep() {
  const int before = Cores::current();
  co_await sleepFor(milliseconds(1));
  co_return before == Cores::current();
}

TEST(Cores, EachRunsOnItsOwnThread) {
  Cores cores(3);
  cores.start();
  EXPECT_EQ(Cores::current(), -1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(runOn(cores, i, whichCore()), i);
    EXPECT_TRUE(runOn(cores, i, staysThroughASleep()));
  }
}

TEST(Cores, JoinRunsOutOfWork) {
  Cores cores(1);
  bool ran = false;
  asio::post(cores.at(0), [&ran] { ran = true; });
  cores.start();
  cores.join();
  EXPECT_TRUE(ran);
}

TEST(Cores, StopDoesNotWaitForTimers) {
  Cores cores(1);
  cores.start();
  asio::co_spawn(cores.at(0), sleepFor(std::chrono::hours(1)), asio::detached);
  cores.stop();
  cores.join();
}

// Records the core on which it is destroyed.
struct Guard {
  std::vector<int>& went;
  explicit Guard(std::vector<int>& all) : went(all) {}
  Guard(const Guard&) = delete;
  ~Guard() { went.push_back(Cores::current()); }
};
using GuardPtr = std::unique_ptr<Guard>;

Async<void> holdForAnHour(GuardPtr guard) {
  co_await sleepFor(std::chrono::hours(1));
}

// Resumes the waiting coroutine in its destructor.
struct Handover {
  Resumer<bool> next;
  ~Handover() {
    if (next) next.resume(true);
  }
};

Async<void> waitForHandover(Handover& handover, GuardPtr guard) {
  co_await suspend<bool>([&handover](Resumer<bool> resumer) { handover.next = std::move(resumer); });
}

Async<void> holdHandover(std::unique_ptr<Handover> handover) {
  co_await sleepFor(std::chrono::hours(1));
}

TEST(Cores, JoinDestroysWhatIsStillSuspended) {
  Cores cores(2);
  asio::steady_timer timer(cores.at(0), std::chrono::hours(1));
  std::vector<int> went;
  auto handover = std::make_unique<Handover>();
  asio::co_spawn(cores.at(0), waitForHandover(*handover, std::make_unique<Guard>(went)), asio::detached);
  cores.start();
  runOn(cores, 0, whichCore());
  asio::co_spawn(cores.at(1), holdForAnHour(std::make_unique<Guard>(went)), asio::detached);
  asio::co_spawn(cores.at(1), holdHandover(std::move(handover)), asio::detached);
  runOn(cores, 1, whichCore());
  cores.stop();
  cores.join();
  // Core 0 was shut down before the frame on core 1 that it waited for was destroyed.
  EXPECT_EQ(went, (std::vector<int>{1, 0}));
  EXPECT_EQ(Cores::current(), -1);
  EXPECT_EQ(timer.cancel(), 0U) << "an object of a core may be destroyed later";
}

Async<int> countLocal(PerCore<int>& counters) {
  co_return ++counters.local();
}

TEST(Cores, PerCoreValuesAreApart) {
  PerCore<int> counters(2);
  Cores cores(2);
  cores.start();
  runOn(cores, 0, countLocal(counters));
  runOn(cores, 0, countLocal(counters));
  runOn(cores, 1, countLocal(counters));
  EXPECT_EQ(counters.at(0), 2);
  EXPECT_EQ(counters.at(1), 1);
  EXPECT_THROW(counters.local(), std::out_of_range) << "this thread does not belong to a core";
}

Async<std::pair<int, int>> resumedBy(std::thread& thread) {
  const int value = co_await suspend<int>([&thread](Resumer<int> resumer) {
    thread = std::thread([resumer = std::move(resumer)]() mutable { resumer.resume(42); });
  });
  co_return std::pair(value, Cores::current());
}

TEST(Suspend, ResumesOnTheCoreOfTheCoroutine) {
  Cores cores(2);
  cores.start();
  std::thread other;
  EXPECT_EQ(runOn(cores, 1, resumedBy(other)), std::pair(42, 1));
  other.join();
}

Async<int> resumedAtOnce() {
  co_return co_await suspend<int>([](Resumer<int> resumer) { resumer.resume(7); });
}

TEST(Suspend, MayBeResumedBeforeStartReturns) {
  Cores cores(1);
  cores.start();
  EXPECT_EQ(runOn(cores, 0, resumedAtOnce()), 7);
}

// What a pool job found: the core on which its caller continued, and the result.
struct Outcome {
  int core = -1;
  Result<int> result = 0;
};

Async<Outcome> runInPool(WorkerPool& pool, int divisor) {
  const auto work = [divisor]() -> Result<int> {
    if (Cores::current() != -1) throw std::logic_error("ran on a core");
    if (divisor == 0) return fail(ErrorCode::validation, "by nothing");
    return 84 / divisor;
  };
  Result<int> result = co_await pool.run(work);
  co_return Outcome{Cores::current(), std::move(result)};
}

TEST(WorkerPool, RunsWorkAndResumesTheCallerOnItsCore) {
  Cores cores(2);
  cores.start();
  WorkerPool pool("test", 2, 16);
  const Outcome good = runOn(cores, 1, runInPool(pool, 2));
  EXPECT_EQ(good.core, 1);
  EXPECT_EQ(good.result, 42);
  EXPECT_EQ(runOn(cores, 0, runInPool(pool, 0)).result.error().code(), ErrorCode::validation);
}

Async<Result<int>> throwInPool(WorkerPool& pool) {
  const auto work = []() -> Result<int> { throw std::runtime_error("a bug"); };
  co_return co_await pool.run(work);
}

TEST(WorkerPool, WorkThatThrowsIsAnInternalError) {
  Cores cores(1);
  cores.start();
  WorkerPool pool("test", 1, 16);
  const Result<int> result = runOn(cores, 0, throwInPool(pool));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::internal);
  EXPECT_EQ(result.error().cause(), "a bug");
  EXPECT_EQ(result.error().message().find("a bug"), std::string::npos);
}

TEST(WorkerPool, AFullQueueIsRefusedAtOnce) {
  Cores cores(1);
  cores.start();
  WorkerPool pool("test", 1, 2);
  std::promise<void> release;
  std::promise<void> begun;
  ASSERT_TRUE(pool.submit([&begun, wait = release.get_future().share()] {
    begun.set_value();
    wait.wait();
  }));
  begun.get_future().wait();
  std::atomic<int> ran = 0;
  EXPECT_TRUE(pool.submit([&ran] { ++ran; }));
  EXPECT_TRUE(pool.submit([&ran] { ++ran; }));
  EXPECT_FALSE(pool.submit([&ran] { ++ran; }));
  EXPECT_EQ(pool.queued(), 2U);
  EXPECT_EQ(runOn(cores, 0, runInPool(pool, 2)).result.error().code(), ErrorCode::unavailable);
  release.set_value();
  pool.stop();
  EXPECT_EQ(ran, 2) << "stop finishes what is queued";
  EXPECT_FALSE(pool.submit([&ran] { ++ran; }));
  EXPECT_EQ(runOn(cores, 0, runInPool(pool, 2)).result.error().code(), ErrorCode::unavailable);
}

TEST(WorkerPool, SurvivesAJobThatThrows) {
  WorkerPool pool("test", 1, 16);
  std::promise<void> ran;
  pool.submit([] { throw std::runtime_error("a bug"); });
  pool.submit([&ran] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(WorkerPool, RunsEveryJobOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kJobs = 5000;
  WorkerPool pool("test", 3, kThreads * kJobs);
  std::atomic<int> ran = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kJobs; ++k) {
        EXPECT_TRUE(pool.submit([&ran] { ++ran; }));
        if (k % 16 == 0) std::this_thread::yield();  // so that workers become idle, too
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  pool.stop();
  EXPECT_EQ(ran, kThreads * kJobs);
}

TEST(WorkerPool, AnIdleThreadBeginsAJobOnceItIsWoken) {
  WorkerPool pool("test", 1, 16);
  std::atomic<int> ran = 0;
  int submitted = 0;
  WorkerPool::Wakeup wakeup;
  while (!wakeup) {  // a thread that is not idle yet takes the job from the queue
    std::this_thread::yield();
    ASSERT_TRUE(pool.submit([&ran] { ++ran; }, wakeup));
    ++submitted;
    while (!wakeup && ran < submitted) std::this_thread::yield();
  }
  EXPECT_EQ(ran, submitted - 1);
  wakeup.reset();
  pool.stop();
  EXPECT_EQ(ran, submitted);
}

Async<void> waitFor(asio::steady_timer& timer, std::atomic<int>& ended) {
  try {
    co_await timer.async_wait(useAwaitable);
  } catch (const std::exception&) {
    ++ended;
  }
}

Async<void> throwAtOnce() {
  throw std::runtime_error("a bug");
  co_return;
}

TEST(TaskGroup, WaitsForWhatItSpawnedAndRefusesMore) {
  Cores cores(1);
  asio::steady_timer timer(cores.at(0), std::chrono::hours(1));
  std::atomic<int> ended = 0;
  TaskGroup group;
  cores.start();
  EXPECT_TRUE(group.spawn(cores.at(0).get_executor(), waitFor(timer, ended)));
  EXPECT_TRUE(group.spawn(cores.at(0).get_executor(), throwAtOnce()));
  EXPECT_FALSE(group.closeAndWait(milliseconds(0)));
  EXPECT_FALSE(group.spawn(cores.at(0).get_executor(), waitFor(timer, ended)));
  EXPECT_FALSE(group.tryEnter());
  asio::post(cores.at(0), [&timer] { timer.cancel(); });
  EXPECT_TRUE(group.closeAndWait(std::chrono::minutes(1)));
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(group.running(), 0U);
}

TEST(TaskGroup, CountsWorkThatIsNoCoroutine) {
  TaskGroup group;
  ASSERT_TRUE(group.tryEnter());
  ASSERT_TRUE(group.tryEnter());
  EXPECT_EQ(group.running(), 2U);
  group.leave();
  EXPECT_FALSE(group.closeAndWait(milliseconds(0)));
  group.leave();
  EXPECT_TRUE(group.closeAndWait(milliseconds(0)));
}

}  // namespace
}  // namespace mb
