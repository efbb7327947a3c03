#include "base/fair_queue.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

using Queue = FairQueue<std::string>;
const Queue::Time kStart = std::chrono::steady_clock::now();
const Queue::Time kLater = kStart + std::chrono::hours(1);

bool push(Queue& queue, std::string project, std::string target, std::string name, Queue::Time deadline = kLater) {
  return queue.push({std::move(project), std::move(target)}, deadline, name);
}
std::string next(Queue& queue) {
  return queue.next().value_or("-");
}

TEST(FairQueue, ProjectsTakeTurns) {
  Queue queue({.running = 10});
  for (const char* name : {"a1", "a2", "a3"}) push(queue, "a", "", name);
  push(queue, "b", "", "b1");
  EXPECT_EQ(next(queue), "a1");
  EXPECT_EQ(next(queue), "b1");
  EXPECT_EQ(next(queue), "a2");
  push(queue, "b", "", "b2");
  EXPECT_EQ(next(queue), "a3");
  EXPECT_EQ(next(queue), "b2");
  EXPECT_EQ(next(queue), "-");
  EXPECT_EQ(queue.running(), 5u);
}

TEST(FairQueue, BoundsOfAllProjectAndTarget) {
  Queue queue({.running = 3, .runningOfProject = 2, .runningOfTarget = 1});
  push(queue, "a", "x", "a-x1");
  push(queue, "a", "x", "a-x2");
  push(queue, "a", "y", "a-y1");
  push(queue, "a", "", "a-1");
  push(queue, "b", "x", "b-x1");
  push(queue, "c", "", "c-1");
  EXPECT_EQ(next(queue), "a-x1");
  EXPECT_EQ(next(queue), "b-x1");
  EXPECT_EQ(next(queue), "c-1");
  EXPECT_EQ(next(queue), "-");
  queue.done({"b", "x"});
  EXPECT_EQ(next(queue), "a-y1");
  queue.done({"c", ""});
  EXPECT_EQ(next(queue), "-");  // a runs two
  queue.done({"a", "y"});
  EXPECT_EQ(next(queue), "a-1");  // a-x2 waits for its target
  queue.done({"a", "x"});
  EXPECT_EQ(next(queue), "a-x2");
  queue.done({"a", ""});
  queue.done({"a", "x"});
  EXPECT_EQ(queue.running(), 0u);
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST(FairQueue, AProjectIsTakenOutWhole) {
  Queue queue({.running = 10});
  push(queue, "a", "x", "a-x1");
  EXPECT_EQ(next(queue), "a-x1");
  for (const char* name : {"a1", "a2"}) push(queue, "a", "", name);
  push(queue, "a", "x", "a-x2");
  push(queue, "b", "", "b1");
  std::vector<std::string> taken = queue.takeProject("a");
  std::ranges::sort(taken);
  EXPECT_EQ(taken, (std::vector<std::string>{"a-x2", "a1", "a2"}));
  EXPECT_TRUE(queue.takeProject("a").empty());
  EXPECT_TRUE(queue.takeProject("none").empty());
  EXPECT_EQ(queue.waiting(), 1u);
  EXPECT_EQ(next(queue), "b1");
  push(queue, "a", "", "a3");
  EXPECT_EQ(next(queue), "a3");
  queue.done({"a", "x"});
  queue.done({"a", ""});
  EXPECT_EQ(queue.running(), 1u);
}

TEST(FairQueue, GroupsOfAProjectTakeTurns) {
  std::map<std::string, size_t> limits = {{"a", 2}, {"slow", 1}};
  Queue queue({.running = 10, .runningOfProject = 4}, [&](const std::string& project, const std::string& group) {
    return project == "p" ? limits[group] : size_t{10};
  });
  const auto add = [&](std::string project, std::string group, std::string name) {
    return queue.push({std::move(project), "", std::move(group)}, kLater, name);
  };
  for (const char* name : {"s1", "s2", "s3"}) add("p", "slow", name);
  for (const char* name : {"a1", "a2", "a3"}) add("p", "a", name);
  add("q", "slow", "q1");
  EXPECT_EQ(next(queue), "s1");
  EXPECT_EQ(next(queue), "q1");
  EXPECT_EQ(next(queue), "a1");
  EXPECT_EQ(next(queue), "a2");  // the limit of "slow" is reached
  EXPECT_EQ(next(queue), "-");
  queue.done({"p", "", "slow"});
  EXPECT_EQ(next(queue), "s2");
  limits["slow"] = 2;
  EXPECT_EQ(next(queue), "s3");
  EXPECT_EQ(next(queue), "-");
  queue.done({"p", "", "slow"});
  limits["a"] = 0;
  queue.done({"p", "", "a"});
  EXPECT_EQ(next(queue), "-");
  limits["a"] = 3;
  EXPECT_EQ(next(queue), "a3");
  for (const char* group : {"slow", "a", "a"}) queue.done({"p", "", group});
  queue.done({"q", "", "slow"});
  EXPECT_EQ(queue.running(), 0u);
  EXPECT_EQ(queue.waiting(), 0u);
  EXPECT_EQ(next(queue), "-");
}

TEST(FairQueue, RefusesWhatIsTooMuch) {
  Queue queue({.waiting = 3, .waitingOfProject = 2});
  EXPECT_TRUE(push(queue, "a", "", "a1"));
  EXPECT_TRUE(push(queue, "a", "", "a2"));
  EXPECT_FALSE(push(queue, "a", "", "a3"));
  EXPECT_TRUE(push(queue, "b", "", "b1"));
  std::string refused = "c1";
  EXPECT_FALSE(queue.push({"c", ""}, kLater, refused));
  EXPECT_EQ(refused, "c1");
  EXPECT_EQ(next(queue), "a1");
  EXPECT_TRUE(push(queue, "c", "", "c1"));
}

TEST(FairQueue, GivesBackWhatIsLate) {
  Queue queue({.running = 1});
  push(queue, "a", "", "a1", kStart);
  push(queue, "a", "", "a2");
  push(queue, "b", "", "b1", kStart + std::chrono::seconds(1));
  EXPECT_EQ(queue.earliestDeadline(), kStart);
  EXPECT_EQ(queue.expired(kStart), std::vector<std::string>{"a1"});
  EXPECT_EQ(queue.expired(kStart + std::chrono::seconds(2)), std::vector<std::string>{"b1"});
  EXPECT_EQ(next(queue), "a2");
  EXPECT_EQ(queue.earliestDeadline(), std::nullopt);
  push(queue, "b", "", "b2");
  EXPECT_EQ(queue.takeAll(), std::vector<std::string>{"b2"});
  queue.done({"a", ""});
  EXPECT_EQ(next(queue), "-");
  EXPECT_EQ(queue.waiting(), 0u);
}

}  // namespace
}  // namespace mb
