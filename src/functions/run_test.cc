#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

constexpr std::string_view kHttp = R"({"type":"http","method":"GET","path":"/a"})";

class RunTest : public RunningFixture {
 protected:
  doc::Document contextOf(size_t at) { return executor_.requests().at(at).context; }
};

TEST_F(RunTest, theContextNamesCallerAndFunction) {
  define("hello", kHttp);
  policy::Caller caller = admin();
  caller.role = "Owner";
  caller.projectId = ProjectId("proj_x");
  caller.claims = json(R"({"plan":"gold"})");
  invoke("hello", {.caller = caller});
  invoke("hello");
  invoke("hello", {.caller = policy::Caller(), .request = json(R"({"method":"GET"})")});
  EXPECT_EQ(fmt::format(R"({{"auth":{{"kind":"member","uid":"user_admin","role":"Owner","pid":"proj_x",)"
                        R"("email":"admin@example.com","token":{{"plan":"gold"}}}},"project":"proj_{}",)"
                        R"("function":"hello","variables":{{}}}})",
                        shop_),
            doc::toJson(contextOf(0)));
  EXPECT_EQ(fmt::format(R"({{"auth":null,"project":"proj_{}","function":"hello","variables":{{}}}})", shop_),
            doc::toJson(contextOf(1)));
  EXPECT_EQ(fmt::format(R"({{"auth":null,"project":"proj_{}","function":"hello","variables":{{}},)"
                        R"("request":{{"method":"GET"}}}})",
                        shop_),
            doc::toJson(contextOf(2)));
  EXPECT_EQ("fn_hello@1", executor_.requests()[0].module->id);
}

TEST_F(RunTest, takesTheFunctionsTimeOrLess) {
  define("hello", kHttp, R"({"timeoutMs":4000})");
  invoke("hello");
  invoke("hello", {.timeout = std::chrono::milliseconds(500)});
  invoke("hello", {.timeout = std::chrono::milliseconds(50'000)});
  EXPECT_EQ(4000, executor_.requests()[0].timeout.count());
  EXPECT_EQ(500, executor_.requests()[1].timeout.count());
  EXPECT_EQ(4000, executor_.requests()[2].timeout.count());
}

TEST_F(RunTest, theLogHoldsLinesAndResult) {
  define("hello", kHttp);
  Outcome outcome = gives(R"({"a":1})");
  outcome.logs = {{clone::LogLevel::warn, "careful", clock_.now()}, {clone::LogLevel::log, "done", clock_.now()}};
  executor_.answer("hello", {outcome});
  const FinishedRun run = invoke("hello", {.trigger = "http"});
  EXPECT_EQ("success", run.view.status);
  EXPECT_TRUE(run.view.id.starts_with("run_"));
  const std::vector<RunView> entries = log("hello");
  ASSERT_EQ(1, entries.size());
  EXPECT_EQ(run.view.id, entries[0].id);
  EXPECT_EQ("http", entries[0].trigger);
  EXPECT_EQ(7, entries[0].durationMs);
  ASSERT_EQ(2, entries[0].logs.size());
  EXPECT_EQ("warn", entries[0].logs[0].level);
  EXPECT_EQ("careful", entries[0].logs[0].message);
  EXPECT_EQ(R"({"a":1})", doc::toJson(entries[0].result->view().asDocument()));
  EXPECT_FALSE(entries[0].error);
}

TEST_F(RunTest, anErrorHasItsPlaceBelowIt) {
  define("hello", kHttp);
  Outcome outcome = ends(workers::RunStatus::error, "boom");
  outcome.stack = "at handler (3:9)\nat async x (4:1)\nmade up";
  executor_.answer("hello", {outcome});
  EXPECT_EQ("boom\n    at handler (3:9)\n    at async x (4:1)", invoke("hello").view.error);
}

TEST_F(RunTest, aTimeoutHasNoLogs) {
  define("hello", kHttp);
  Outcome outcome = ends(workers::RunStatus::timeout);
  outcome.logs = {{clone::LogLevel::log, "begun", clock_.now()}};
  executor_.answer("hello", {outcome});
  const FinishedRun run = invoke("hello");
  EXPECT_EQ("timeout", run.view.status);
  EXPECT_TRUE(run.view.logs.empty());
  EXPECT_EQ("timed out", run.view.error);
}

TEST_F(RunTest, aBusyPoolIsNeitherLoggedNorCounted) {
  define("hello", kHttp);
  executor_.answer("hello", {ends(workers::RunStatus::busy)});
  EXPECT_EQ(workers::RunStatus::busy, invoke("hello").status);
  EXPECT_TRUE(log("hello").empty());
  EXPECT_EQ(0, *this->run(running_.log().runsOfMonth(shop_, clock_.now())));
}

TEST_F(RunTest, aLargeResultIsReturnedAndNotLogged) {
  define("hello", kHttp);
  executor_.answer("hello", {gives(fmt::format(R"("{}")", std::string(kMaxKeptResult, 'x')))});
  EXPECT_TRUE(invoke("hello").view.result);
  EXPECT_FALSE(log("hello")[0].result);
}

TEST_F(RunTest, whatIsNotToBeLoggedIsNot) {
  define("hello", kHttp);
  invoke("hello", {.logged = false});
  EXPECT_TRUE(log("hello").empty());
}

TEST_F(RunTest, hooksLookUpAndAllOthersHaveTheWholeBridge) {
  collection("notes");
  define("hello", kHttp);
  define("hook", R"({"type":"database","collection":"notes","events":["insert"]})", R"({"timing":"pre"})");
  std::vector<clone::BridgeKind> kinds;
  for (const char* name : {"hello", "hook"}) {
    executor_.script(name, [&](workers::RunRequest request) -> Async<Outcome> {
      kinds.push_back(request.bridge->kind());
      co_return gives("null");
    });
  }
  invoke("hello");
  invoke("hook");
  ASSERT_TRUE(create("notes", "{}"));
  EXPECT_EQ((std::vector{clone::BridgeKind::full, clone::BridgeKind::lookup, clone::BridgeKind::lookup}), kinds);
}

TEST_F(RunTest, theBytesOfABodyGoToTheWorker) {
  define("hello", kHttp);
  invoke("hello", {.request = json(R"({"method":"POST"})"), .rawBody = "a\xff"});
  invoke("hello");
  EXPECT_EQ("a\xff", executor_.requests()[0].rawBody);
  EXPECT_EQ(std::nullopt, executor_.requests()[1].rawBody);
}

TEST_F(RunTest, aRepeatableRunsInputIsKept) {
  define("hello", kHttp);
  const FinishedRun kept = invoke("hello", {.event = json(R"({"a":1})"), .depth = 2, .repeatable = true});
  const FinishedRun plain = invoke("hello", {.event = json(R"({"a":2})")});
  const RunOf of{shop_, "hello", "fn_hello"};
  const auto found = run(running_.log().find(of, kept.view.id)).value();
  ASSERT_TRUE(found && found->input);
  EXPECT_EQ(kept.view.id, found->run.id);
  EXPECT_EQ(2, found->input->depth);
  EXPECT_EQ(R"({"a":1})", doc::toJson(found->input->event));
  const auto other = run(running_.log().find(of, plain.view.id)).value();
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->input);
  EXPECT_FALSE(run(running_.log().find(of, "run_other")).value());
}

}  // namespace
}  // namespace mb::functions
