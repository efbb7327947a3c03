#include "functions/call_log.h"

#include "functions/call_fixture.h"
#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

using namespace std::chrono_literals;

const CallLog::Time kBegin{};

std::string shownCall(const RunCall& call) {
  return fmt::format("{} {} {} {} {}", call.kind, call.name, call.detail, call.ms, call.outcome);
}

TEST(CallLog, HoldsNamesTimesAndOutcomes) {
  CallLog log;
  const auto find = log.begin("db.find", argumentsOf(R"(["notes",{"secret":"s"}])"), kBegin);
  const auto send = log.begin("integrations.call", argumentsOf(R"(["mail","send",{"to":"a@b.c"}])"), kBegin + 1ms);
  log.begin("lookup.get", argumentsOf(R"(["notes","a"])"), kBegin + 2ms);
  const Error failed(ErrorCode::upstreamFailed, "s");
  log.end(*send, &failed, kBegin + 31ms);
  log.end(*find, nullptr, kBegin + 1240us);
  const auto calls = log.calls(kBegin + 52ms);
  ASSERT_EQ(3, calls.size());
  EXPECT_EQ("db notes find 1.2 ok", shownCall(calls[0]));
  EXPECT_EQ("integration mail send 30 UPSTREAM_FAILED", shownCall(calls[1]));
  EXPECT_EQ("db notes get 50 unfinished", shownCall(calls[2]));
}

TEST(CallLog, TextThatIsNotANameIsLeftOut) {
  CallLog log;
  const std::string long_(65, 'x');
  for (const std::string& name : {std::string("ann@example.com"), std::string("two words"), std::string("é"), long_}) {
    log.begin("db.count", argumentsOf(fmt::format(R"(["{}"])", name)), kBegin);
    log.begin("integrations.call", argumentsOf(fmt::format(R"(["mail","{}"])", name)), kBegin);
  }
  log.begin("db.count", argumentsOf("[]"), kBegin);
  log.begin("db.count", argumentsOf("[1]"), kBegin);
  for (const RunCall& call : log.calls(kBegin)) {
    EXPECT_EQ(call.kind == "db" ? "" : "mail", call.name);
    EXPECT_EQ(call.kind == "db" ? "count" : "", call.detail);
  }
  EXPECT_EQ(10, log.calls(kBegin).size());
}

TEST(CallLog, OtherOperationsAreNotLogged) {
  CallLog log;
  for (const char* operation : {"", "db.drop", "db.find ", "storage.read", "lookup.find", "integrations"}) {
    EXPECT_FALSE(log.begin(operation, argumentsOf(R"(["notes"])"), kBegin)) << operation;
  }
  EXPECT_TRUE(log.calls(kBegin).empty());
}

TEST(CallLog, HasABoundOfCallsAndOfBytes) {
  CallLog many;
  for (size_t i = 0; i < kMaxCalls; ++i) EXPECT_TRUE(many.begin("db.count", argumentsOf(R"(["a"])"), kBegin));
  EXPECT_FALSE(many.begin("db.count", argumentsOf(R"(["a"])"), kBegin));
  EXPECT_EQ(kMaxCalls, many.calls(kBegin).size());
  CallLog large;
  const std::string name(64, 'n');
  const doc::Document arguments = argumentsOf(fmt::format(R"(["{}","{}"])", name, name));
  size_t logged = 0;
  while (large.begin("integrations.call", arguments, kBegin)) ++logged;
  EXPECT_EQ(kMaxCallBytes / 128, logged);
}

class RunCallsTest : public RunningFixture {
 protected:
  RunCallsTest() { collection("notes"); }
};

TEST_F(RunCallsTest, ARunAndItsEntryHoldTheCalls) {
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  executor_.script("hello", [&](workers::RunRequest request) -> Async<Outcome> {
    co_await request.bridge->call("db.insertOne", argumentsOf(R"(["notes",{"id":"a","n":"sesame"}])"));
    co_await request.bridge->call("db.find", argumentsOf(R"(["nothing"])"));
    co_await request.bridge->call("integrations.call", argumentsOf(R"(["mail","send",{"to":"sesame"}])"));
    co_return gives("1");
  });
  const FinishedRun finished = invoke("hello");
  for (const RunView& run : {finished.view, log("hello")[0]}) {
    ASSERT_TRUE(run.calls);
    ASSERT_EQ(3, run.calls->size());
    std::string all;
    for (RunCall call : *run.calls) {
      EXPECT_GE(call.ms, 0);
      call.ms = 0;
      all += shownCall(call) + "; ";
    }
    EXPECT_EQ("db notes insertOne 0 ok; db nothing find 0 NOT_FOUND; integration mail send 0 ok; ", all);
    EXPECT_EQ(std::string::npos, doc::toJson(doc::encode(run).view()).find("sesame"));
  }
}

TEST_F(RunCallsTest, ARunWithoutCallsHasNone) {
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  EXPECT_FALSE(invoke("hello").view.calls);
  EXPECT_FALSE(log("hello")[0].calls);
}

}  // namespace
}  // namespace mb::functions
