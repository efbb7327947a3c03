#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAll = R"({"type":"database","collection":"notes","events":["insert","update","delete"]})";

class PostJobsTest : public RunningFixture {
 protected:
  PostJobsTest() { collection("notes"); }
  std::vector<std::string> statuses(const std::string& name) {
    std::vector<std::string> all;
    for (const RunView& each : log(name)) all.push_back(each.status);
    return all;
  }
  // A handler whose runs insert into `notes`.
  void inserts(const std::string& name) {
    executor_.script(name, [](workers::RunRequest request) -> Async<Outcome> {
      auto made = co_await request.bridge->call("db.insertOne", json(R"({"0":"notes","1":{}})"));
      EXPECT_TRUE(made);
      co_return gives("1");
    });
  }
};

TEST_F(PostJobsTest, runsAfterEachChangeWithTheDocumentAsItWas) {
  define("tell", kAll);
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  ASSERT_TRUE(patch("notes", "a", R"({"n":2})"));
  ASSERT_TRUE(remove("notes", "a"));
  ASSERT_TRUE(ran(3));
  // Runs for one document run one after another.
  const char* events[] = {"insert", "update", "delete"};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(events[i], eventOf(i).view().stringOr("event"));
  EXPECT_EQ(1, eventOf(0).view().findPath("document.n")->asInteger());
  EXPECT_FALSE(eventOf(0).view().find("previous"));
  EXPECT_EQ(2, eventOf(1).view().findPath("document.n")->asInteger());
  EXPECT_EQ(1, eventOf(1).view().findPath("previous.n")->asInteger());
  EXPECT_EQ(doc::BsonType::null, eventOf(2).view().find("document")->type());
  EXPECT_EQ(2, eventOf(2).view().findPath("previous.n")->asInteger());
  EXPECT_EQ("notes", eventOf(2).view().stringOr("collection"));
  EXPECT_EQ(3, log("tell").size());
  EXPECT_EQ(3, *run(running_.log().runsOfMonth(shop_, clock_.now())));
}

TEST_F(PostJobsTest, aHandlerThatThrowsIsNotRunAgain) {
  define("tell", kAll);
  executor_.answer("tell", {ends(workers::RunStatus::error, "boom"), ends(workers::RunStatus::timeout)});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(2));
  EXPECT_EQ((std::vector<std::string>{"timeout", "error"}), statuses("tell"));
}

TEST_F(PostJobsTest, oneThatFoundNoWorkerIsTriedAgain) {
  define("tell", kAll);
  executor_.answer("tell", {ends(workers::RunStatus::busy), ends(workers::RunStatus::busy), gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return executor_.runs() == 1; }));
  EXPECT_EQ(1, jobs());
  ASSERT_TRUE(until([&] {
    pass(1s);
    return executor_.runs() == 3;
  }));
  ASSERT_TRUE(ran(3));
  EXPECT_EQ((std::vector<std::string>{"success"}), statuses("tell"));
}

TEST_F(PostJobsTest, oneThatTheServersStopEndedIsRunAgain) {
  define("tell", kAll);
  Outcome stopped = ends(workers::RunStatus::error, "the worker ended");
  stopped.stopped = true;
  executor_.answer("tell", {stopped, gives("1")});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] {
    pass(10s);
    return jobs() == 0;
  }));
  EXPECT_EQ(2, executor_.runs());
  EXPECT_EQ((std::vector<std::string>{"success", "error"}), statuses("tell"));
}

TEST_F(PostJobsTest, oneWhoseWorkerWasKilledFromOutsideIsRunAgainThreeTimes) {
  define("tell", kAll);
  Outcome killed = ends(workers::RunStatus::error, "the worker ended");
  killed.killed = true;
  executor_.answer("tell", {killed});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] {
    pass(10s);
    return jobs() == 0;
  }));
  EXPECT_EQ(4, executor_.runs());
  EXPECT_EQ(4, log("tell").size());
}

TEST_F(PostJobsTest, whatADisabledOrDeletedFunctionWasToGetIsDropped) {
  define("gone", kAll);
  define("off", kAll);
  executor_.answer("gone", {ends(workers::RunStatus::busy)});
  executor_.answer("off", {ends(workers::RunStatus::busy)});
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return executor_.runs() == 2; }));
  undefine("gone");
  define("off", kAll, R"({"enabled":false})");
  ASSERT_TRUE(until([&] {
    pass(1s);
    return jobs() == 0;
  }));
  EXPECT_TRUE(log("off").empty());
}

TEST_F(PostJobsTest, changesFromBeforeAreNotForIt) {
  define("other", kAll);
  define("late", kAll, R"({"after":1000})");
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(ran(1));
  EXPECT_EQ("other", executor_.requests()[0].module->source);
}

TEST_F(PostJobsTest, goesFiveRunsDeepAndSaysSo) {
  define("grow", kAll);
  inserts("grow");
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return log("grow").size() == 6 && jobs() == 0; }));
  EXPECT_EQ(5, executor_.runs());
  EXPECT_EQ(6, stored("notes").size());
  EXPECT_EQ("skipped", log("grow").front().status);
  EXPECT_EQ("5 triggers precede this change: no further function runs", log("grow").front().error);
}

TEST_F(PostJobsTest, aSuspendedProjectsRunsWaitForTheResume) {
  define("tell", kAll);
  executor_.answer("tell", {ends(workers::RunStatus::busy), gives("1")});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(create("notes", fmt::format(R"({{"id":"{:02}"}})", i)));
  ASSERT_TRUE(until([&] { return executor_.runs() >= 1 && jobs() <= 30; }));
  suspend();
  for (int i = 0; i < 10; ++i) pass(10s);
  EXPECT_GE(jobs(), 1);
  resume();
  ASSERT_TRUE(until([&] {
    pass(1s);
    return log("tell").size() == 30 && jobs() == 0;
  }));
  EXPECT_EQ(31, executor_.runs());
  EXPECT_EQ(std::vector<std::string>(30, "success"), statuses("tell"));
}

TEST_F(PostJobsTest, aRunThatTheSuspensionCutShortIsRunAgainAfterTheResume) {
  define("tell", kAll);
  executor_.script("tell", [&](workers::RunRequest request) -> Async<Outcome> {
    if (executor_.runs() == 1) suspend();
    auto made = co_await request.bridge->call("db.count", json(R"({"0":"notes"})"));
    if (made) co_return gives("1");
    EXPECT_EQ(ErrorCode::projectSuspended, made.error().code());
    co_return ends(workers::RunStatus::error, "PROJECT_SUSPENDED");
  });
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_TRUE(until([&] { return log("tell").size() == 1; }));
  for (int i = 0; i < 10; ++i) pass(10s);
  EXPECT_EQ(1, jobs());
  EXPECT_EQ(1, executor_.runs());
  resume();
  ASSERT_TRUE(ran(2));
  EXPECT_EQ((std::vector<std::string>{"success", "error"}), statuses("tell"));
}

TEST_F(PostJobsTest, twoLargeDocumentsGoWithoutTheOneThatWas) {
  define("tell", kAll);
  const std::string large(700 << 10, 'x');
  ASSERT_TRUE(create("notes", fmt::format(R"({{"id":"a","text":"{}"}})", large)));
  ASSERT_TRUE(ran(1));
  ASSERT_TRUE(patch("notes", "a", fmt::format(R"({{"text":"{}y"}})", large)));
  ASSERT_TRUE(ran(2));
  EXPECT_TRUE(eventOf(1).view().find("document"));
  EXPECT_FALSE(eventOf(1).view().find("previous"));
}

}  // namespace
}  // namespace mb::functions
