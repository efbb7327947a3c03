#include "base/fair_pool.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "base/cores.h"

namespace mb {
namespace {

// Keeps the only thread of a pool busy until it is released, so that jobs queued before that wait.
class Gate {
 public:
  explicit Gate(FairPool& pool) {
    std::promise<void> begun;
    pool.submit("gate", [&begun, wait = release_.get_future().share()] {
      begun.set_value();
      wait.wait();
    });
    begun.get_future().wait();
  }
  void release() { release_.set_value(); }

 private:
  std::promise<void> release_;
};

Async<Result<int>> runIn(FairPool& pool, std::string project, int divisor) {
  const auto work = [divisor]() -> Result<int> {
    if (divisor == 0) throw std::runtime_error("a bug");
    return 84 / divisor;
  };
  co_return co_await pool.run(std::move(project), work);
}

Result<int> runOn(Cores& cores, Async<Result<int>> work) {
  return asio::co_spawn(cores.at(0), std::move(work), asio::use_future).get();
}

TEST(FairPool, ProjectsTakeTurns) {
  FairPool pool("test", 1);
  Gate gate(pool);
  std::vector<std::string> ran;
  const auto add = [&](const std::string& project, std::string name) {
    EXPECT_TRUE(pool.submit(project, [&ran, name = std::move(name)] { ran.push_back(name); }));
  };
  for (const char* name : {"a1", "a2", "a3", "a4"}) add("a", name);
  for (const char* name : {"b1", "b2"}) add("b", name);
  add("", "platform");
  EXPECT_EQ(pool.queued(), 7U);
  gate.release();
  pool.stop();
  EXPECT_EQ(ran, (std::vector<std::string>{"a1", "b1", "platform", "a2", "b2", "a3", "a4"}));
}

TEST(FairPool, RefusesPastTheBoundsOfAProjectAndOfAll) {
  Cores cores(1);
  cores.start();
  FairPool pool("test", 1, {.waitingOfProject = 2, .waiting = 3});
  Gate gate(pool);
  std::atomic<int> ran = 0;
  const auto add = [&](const std::string& project) { return pool.submit(project, [&ran] { ++ran; }); };
  EXPECT_TRUE(add("a"));
  EXPECT_TRUE(add("a"));
  EXPECT_FALSE(add("a")) << "its own bound";
  EXPECT_EQ(runOn(cores, runIn(pool, "a", 2)).error().code(), ErrorCode::unavailable);
  EXPECT_TRUE(add("b")) << "another project still has its share";
  EXPECT_FALSE(add("c")) << "the bound of all";
  EXPECT_EQ(runOn(cores, runIn(pool, "c", 2)).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(pool.queued(), 3U);
  gate.release();
  pool.stop();
  EXPECT_EQ(ran, 3);
  EXPECT_FALSE(add("a"));
  EXPECT_EQ(runOn(cores, runIn(pool, "a", 2)).error().code(), ErrorCode::unavailable);
}

TEST(FairPool, ResumesTheCallerWhateverItsWorkDoes) {
  Cores cores(1);
  cores.start();
  FairPool pool("test", 2);
  EXPECT_EQ(runOn(cores, runIn(pool, "a", 2)), 42);
  const Result<int> thrown = runOn(cores, runIn(pool, "a", 0));
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code(), ErrorCode::internal);
  EXPECT_EQ(thrown.error().cause(), "a bug");
  pool.submit("a", [] { throw std::runtime_error("a bug"); });
  EXPECT_EQ(runOn(cores, runIn(pool, "a", 4)), 21);
}

TEST(FairPool, BeginsNothingOnceItStops) {
  Cores cores(1);
  cores.start();
  FairPool pool("test", 1, {.waitingOfProject = 1 << 24, .waiting = 1 << 24});  // only its stop refuses
  Gate gate(pool);
  auto waiting = asio::co_spawn(cores.at(0), runIn(pool, "a", 2), asio::use_future);
  while (pool.queued() == 0) std::this_thread::yield();
  std::thread stopping([&] { pool.stop(); });
  while (pool.submit("b", [] {})) std::this_thread::yield();
  gate.release();
  stopping.join();
  EXPECT_EQ(waiting.get().error().code(), ErrorCode::unavailable);
}

TEST(FairPool, AProjectRunsAtMostItsNumberOfJobs) {
  FairPool pool("test", 3, {.runningOfProject = 1});
  std::atomic<int> ofA = 0;
  std::atomic<int> ran = 0;
  std::atomic<bool> together = false;
  std::promise<void> release;
  const auto wait = release.get_future().share();
  for (int i = 0; i < 5; ++i) {
    pool.submit("a", [&, wait] {
      if (++ofA > 1) together = true;
      wait.wait();
      --ofA;
      ++ran;
      if (ran == 2) throw std::runtime_error("a bug");
    });
  }
  std::promise<void> others;
  pool.submit("b", [&] { others.set_value(); });
  others.get_future().wait();  // threads are left for others
  release.set_value();
  pool.stop();
  EXPECT_EQ(ran, 5);
  EXPECT_FALSE(together);
}

TEST(FairPool, RunsHereWhatItRefuses) {
  Cores cores(1);
  cores.start();
  FairPool pool("test", 1);
  const auto thread = [&] {
    const auto current = []() -> Result<std::thread::id> { return std::this_thread::get_id(); };
    return *asio::co_spawn(cores.at(0), pool.runOrHere("a", current), asio::use_future).get();
  };
  std::promise<std::thread::id> core;
  asio::post(cores.at(0), [&core] { core.set_value(std::this_thread::get_id()); });
  const std::thread::id here = core.get_future().get();
  EXPECT_NE(thread(), here);
  pool.stop();
  EXPECT_EQ(thread(), here);
}

}  // namespace
}  // namespace mb
