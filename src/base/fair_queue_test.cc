#include "base/fair_queue.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

using Line = FairQueue<std::string>;
const Line::Time kStart = std::chrono::steady_clock::now();
const Line::Time kLater = kStart + std::chrono::hours(1);

bool push(Line& line, std::string project, std::string target, std::string name, Line::Time deadline = kLater) {
  return line.push({std::move(project), std::move(target)}, deadline, name);
}
std::string next(Line& line) {
  return line.next().value_or("-");
}

TEST(FairQueue, ProjectsTakeTurns) {
  Line line({.running = 10});
  for (const char* name : {"a1", "a2", "a3"}) push(line, "a", "", name);
  push(line, "b", "", "b1");
  EXPECT_EQ(next(line), "a1");
  EXPECT_EQ(next(line), "b1");
  EXPECT_EQ(next(line), "a2");
  push(line, "b", "", "b2");
  EXPECT_EQ(next(line), "a3");
  EXPECT_EQ(next(line), "b2");
  EXPECT_EQ(next(line), "-");
  EXPECT_EQ(line.running(), 5u);
}

TEST(FairQueue, BoundsOfAllProjectAndTarget) {
  Line line({.running = 3, .runningOfProject = 2, .runningOfTarget = 1});
  push(line, "a", "x", "a-x1");
  push(line, "a", "x", "a-x2");
  push(line, "a", "y", "a-y1");
  push(line, "a", "", "a-1");
  push(line, "b", "x", "b-x1");
  push(line, "c", "", "c-1");
  EXPECT_EQ(next(line), "a-x1");
  EXPECT_EQ(next(line), "b-x1");
  EXPECT_EQ(next(line), "c-1");
  EXPECT_EQ(next(line), "-");
  line.done({"b", "x"});
  EXPECT_EQ(next(line), "a-y1");
  line.done({"c", ""});
  EXPECT_EQ(next(line), "-");  // a runs two
  line.done({"a", "y"});
  EXPECT_EQ(next(line), "a-1");  // a-x2 waits for its target
  line.done({"a", "x"});
  EXPECT_EQ(next(line), "a-x2");
  line.done({"a", ""});
  line.done({"a", "x"});
  EXPECT_EQ(line.running(), 0u);
  EXPECT_EQ(line.waiting(), 0u);
}

TEST(FairQueue, AProjectIsTakenOutWhole) {
  Line line({.running = 10});
  push(line, "a", "x", "a-x1");
  EXPECT_EQ(next(line), "a-x1");
  for (const char* name : {"a1", "a2"}) push(line, "a", "", name);
  push(line, "a", "x", "a-x2");
  push(line, "b", "", "b1");
  std::vector<std::string> taken = line.takeProject("a");
  std::ranges::sort(taken);
  EXPECT_EQ(taken, (std::vector<std::string>{"a-x2", "a1", "a2"}));
  EXPECT_TRUE(line.takeProject("a").empty());
  EXPECT_TRUE(line.takeProject("none").empty());
  EXPECT_EQ(line.waiting(), 1u);
  EXPECT_EQ(next(line), "b1");
  push(line, "a", "", "a3");
  EXPECT_EQ(next(line), "a3");
  line.done({"a", "x"});
  line.done({"a", ""});
  EXPECT_EQ(line.running(), 1u);
}

TEST(FairQueue, GroupsOfAProjectTakeTurns) {
  std::map<std::string, size_t> limits = {{"a", 2}, {"slow", 1}};
  Line line({.running = 10, .runningOfProject = 4}, [&](const std::string& project, const std::string& group) {
    return project == "p" ? limits[group] : size_t{10};
  });
  const auto add = [&](std::string project, std::string group, std::string name) {
    return line.push({std::move(project), "", std::move(group)}, kLater, name);
  };
  for (const char* name : {"s1", "s2", "s3"}) add("p", "slow", name);
  for (const char* name : {"a1", "a2", "a3"}) add("p", "a", name);
  add("q", "slow", "q1");
  EXPECT_EQ(next(line), "s1");
  EXPECT_EQ(next(line), "q1");
  EXPECT_EQ(next(line), "a1");
  EXPECT_EQ(next(line), "a2");  // slow has what it may
  EXPECT_EQ(next(line), "-");
  line.done({"p", "", "slow"});
  EXPECT_EQ(next(line), "s2");
  limits["slow"] = 2;
  EXPECT_EQ(next(line), "s3");
  EXPECT_EQ(next(line), "-");
  line.done({"p", "", "slow"});
  limits["a"] = 0;
  line.done({"p", "", "a"});
  EXPECT_EQ(next(line), "-");
  limits["a"] = 3;
  EXPECT_EQ(next(line), "a3");
  for (const char* group : {"slow", "a", "a"}) line.done({"p", "", group});
  line.done({"q", "", "slow"});
  EXPECT_EQ(line.running(), 0u);
  EXPECT_EQ(line.waiting(), 0u);
  EXPECT_EQ(next(line), "-");
}

TEST(FairQueue, RefusesWhatIsTooMuch) {
  Line line({.waiting = 3, .waitingOfProject = 2});
  EXPECT_TRUE(push(line, "a", "", "a1"));
  EXPECT_TRUE(push(line, "a", "", "a2"));
  EXPECT_FALSE(push(line, "a", "", "a3"));
  EXPECT_TRUE(push(line, "b", "", "b1"));
  std::string refused = "c1";
  EXPECT_FALSE(line.push({"c", ""}, kLater, refused));
  EXPECT_EQ(refused, "c1");
  EXPECT_EQ(next(line), "a1");
  EXPECT_TRUE(push(line, "c", "", "c1"));
}

TEST(FairQueue, GivesBackWhatIsLate) {
  Line line({.running = 1});
  push(line, "a", "", "a1", kStart);
  push(line, "a", "", "a2");
  push(line, "b", "", "b1", kStart + std::chrono::seconds(1));
  EXPECT_EQ(line.earliestDeadline(), kStart);
  EXPECT_EQ(line.expired(kStart), std::vector<std::string>{"a1"});
  EXPECT_EQ(line.expired(kStart + std::chrono::seconds(2)), std::vector<std::string>{"b1"});
  EXPECT_EQ(next(line), "a2");
  EXPECT_EQ(line.earliestDeadline(), std::nullopt);
  push(line, "b", "", "b2");
  EXPECT_EQ(line.takeAll(), std::vector<std::string>{"b2"});
  line.done({"a", ""});
  EXPECT_EQ(next(line), "-");
  EXPECT_EQ(line.waiting(), 0u);
}

}  // namespace
}  // namespace mb
