#include "functions/tests_run.h"

#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

constexpr std::string_view kPostRoute = R"({"type":"http","method":"POST","path":"/a/:id"})";

class TestsRunTest : public RunningFixture {
 protected:
  TestsRunTest() {
    collection("notes", R"({"type":"object","properties":{"n":{"type":"integer"}}})");
    const policy::Caller caller = admin();
    const snapshot::SnapshotPtr now = snapshot(shop_);
    EXPECT_TRUE(run(data_->collections().createIndex(
        {caller, now}, "notes", *doc::decode<data::NewIndex>(json(R"({"keys":{"n":1},"unique":true})")))));
  }
  void testing(const std::string& cases, std::string_view trigger = kPostRoute, std::string_view timing = "post") {
    define("code", trigger, fmt::format(R"({{"timing":"{}","tests":{}}})", timing, cases));
  }
  TestReport report(store::Deadline deadline = soon()) {
    auto done = run(running_.tests().run(snapshot(shop_), function("code"), deadline));
    EXPECT_TRUE(done) << done.error().message();
    return *std::move(done);
  }
  // The result of the only case.
  std::vector<std::string> failures() { return report().results.at(0).failures; }
  std::vector<std::string> failures(std::string_view expect, Outcome outcome) {
    testing(fmt::format(R"([{{"name":"one","event":{{}},"expect":{}}}])", expect));
    executor_.answer("code", {std::move(outcome)});
    return failures();
  }
  // The code makes these calls one after another, and returns their results.
  void calls(std::vector<std::pair<std::string, std::string>> all) {
    executor_.script("code", [all](workers::RunRequest request) -> Async<Outcome> {
      doc::BsonWriter out;
      out.beginArray("");
      for (size_t i = 0; i < all.size(); ++i) {
        auto given = co_await request.bridge->call(
            all[i].first, doc::Document(doc::parseJsonValue(all[i].second)->view().begin()->value.asDocument()));
        if (!given) co_return ends(workers::RunStatus::error, given.error().message());
        out.append(std::to_string(i), given->view());
      }
      out.end();
      Outcome outcome = gives("null");
      outcome.result = doc::Value(out.finish().view().begin()->value);
      co_return outcome;
    });
  }
  using Failures = std::vector<std::string>;
};

TEST_F(TestsRunTest, ComparesStatusResultAndError) {
  const auto boom = ends(workers::RunStatus::error, "boom: it broke");
  EXPECT_EQ(Failures{}, failures("{}", gives("1")));
  EXPECT_EQ(Failures{"status is error, not success: boom: it broke"}, failures("{}", boom));
  EXPECT_EQ(Failures{}, failures(R"({"status":"error"})", boom));
  EXPECT_EQ(Failures{}, failures(R"({"error":"it broke"})", boom));
  EXPECT_EQ(Failures{R"(error is "boom: it broke", without "fell")"}, failures(R"({"error":"fell"})", boom));
  EXPECT_EQ(Failures{"status is timeout, not success: timed out"}, failures("{}", ends(workers::RunStatus::timeout)));
  EXPECT_EQ(Failures{}, failures(R"({"error":"timed out"})", ends(workers::RunStatus::timeout)));
  EXPECT_EQ(Failures{}, failures(R"({"result":{"a":1}})", gives(R"({"a":1,"b":2})")));
  EXPECT_EQ(Failures{"result.a is 2, not 1"}, failures(R"({"result":{"a":1}})", gives(R"({"a":2})")));
  EXPECT_EQ(Failures{}, failures(R"({"status":201})", gives(R"({"status":201})")));
  EXPECT_EQ(Failures{"status is 200, not 201"}, failures(R"({"status":201})", gives("1")));
  EXPECT_EQ(Failures{}, failures(R"({"status":500})", boom));
  EXPECT_EQ(Failures{}, failures(R"({"status":504})", ends(workers::RunStatus::timeout)));
}

TEST_F(TestsRunTest, eachCaseHasADatabaseOfItsOwn) {
  testing(R"([
    {"name":"first","event":{},"seed":{"notes":[{"id":"s","n":1}]},
     "expect":{"result":[1,{"n":5}],"documents":{"notes":[{"n":5},{"id":"s"}]}}},
    {"name":"second","event":{},"expect":{"result":[0,{"n":5}],"documents":{"notes":[{"n":5},{"id":"s"}]}}}])");
  calls({{"db.count", R"(["notes",{}])"}, {"db.insertOne", R"(["notes",{"n":5}])"}});
  const TestReport all = report();
  EXPECT_EQ(1, all.passed);
  EXPECT_EQ(1, all.failed);
  EXPECT_TRUE(all.results[0].passed);
  EXPECT_EQ(Failures{"documents.notes.1 is not there"}, all.results[1].failures);
  EXPECT_TRUE(stored("notes").empty());
  EXPECT_EQ(0, run(memory_.feed().changes(shop_, 0, 10))->entries.size());
  EXPECT_TRUE(memory_.all(kScratchRows).empty());
}

TEST_F(TestsRunTest, schemaAndUniqueIndexesHoldThereToo) {
  testing(R"([{"name":"one","event":{},"seed":{"notes":[{"n":1}]},"expect":{"error":"unique index"}}])");
  calls({{"db.insertOne", R"(["notes",{"n":1}])"}});
  EXPECT_EQ(Failures{}, failures());
  calls({{"db.insertOne", R"(["notes",{"n":"x"}])"}});
  EXPECT_EQ(1, failures().size());
  calls({{"db.insertOne", R"(["nothing",{}])"}});
  EXPECT_EQ(1, failures().size());
}

TEST_F(TestsRunTest, anInvalidSeedIsReported) {
  testing(R"([{"name":"one","event":{},"seed":{"notes":[{"n":1},{"n":"x"}]},"expect":{}}])");
  ASSERT_EQ(1, failures().size());
  EXPECT_TRUE(failures()[0].starts_with("seed.notes.1: ")) << failures()[0];
  EXPECT_EQ(0, executor_.runs());
  testing(R"([{"name":"one","event":{},"seed":{"nothing":[{}]},"expect":{}}])");
  EXPECT_EQ(Failures{"seed.nothing.0: no such collection"}, failures());
}

TEST_F(TestsRunTest, whatJsonLacksIsWrittenAsExtendedJson) {
  testing(R"([{"name":"one","event":{"at":{"$date":"2026-01-01T00:00:00Z"}},
               "seed":{"notes":[{"id":"a","at":{"$date":"2026-01-02T00:00:00Z"}}]},
               "expect":{"documents":{"notes":[{"at":"2026-01-02T00:00:00.000Z"}]}}}])");
  EXPECT_EQ(Failures{}, failures());
  EXPECT_EQ(doc::BsonType::date, eventOf(0).view().find("at")->type());
  testing(R"([{"name":"one","event":{"at":{"$date":"yesterday"}},"expect":{}}])");
  EXPECT_EQ(1, failures().size());
}

TEST_F(TestsRunTest, integrationsReturnStubs) {
  const std::string stubs = R"("stubs":{"mail.send":{"ok":true},"later.op":2})";
  calls({{"integrations.call", R"(["mail","send",{"to":"a@b.c"}])"}, {"integrations.call", R"(["later","op"])"}});
  testing(fmt::format(R"([{{"name":"one","event":{{}},{},"expect":{{"result":[{{"ok":true}},2],
    "calls":[{{"integration":"mail","op":"send","args":{{"to":"a@b.c"}}}},{{"integration":"later"}}]}}}}])",
                      stubs));
  EXPECT_EQ(Failures{}, failures());
  testing(fmt::format(R"([{{"name":"one","event":{{}},{},"expect":{{"calls":[]}}}}])", stubs));
  EXPECT_EQ(Failures{"calls has 2 elements, not 0"}, failures());
  testing(R"([{"name":"one","event":{},"expect":{"error":"no stub for \"mail.send\""}}])");
  EXPECT_EQ(Failures{}, failures());
  // Arguments that the integration would reject are rejected.
  calls({{"integrations.call", R"(["mail","send",{}])"}});
  testing(fmt::format(R"([{{"name":"one","event":{{}},{},"expect":{{"error":"send needs to"}}}}])", stubs));
  EXPECT_EQ(Failures{}, failures());
}

TEST_F(TestsRunTest, anHttpCaseHasARequest) {
  testing(
      R"([{"name":"one","event":{"type":"http","params":{"id":"7"},"body":{"a":1}},"auth":{"uid":"u1"},"expect":{}}])");
  EXPECT_EQ(Failures{}, failures());
  EXPECT_EQ(
      fmt::format(
          R"({{"auth":{{"uid":"u1"}},"project":"proj_{}","function":"code","variables":{{}},"request":{{"method":"POST",)"
          R"("path":"/a/:id","service":"http://localhost:8090","params":{{"id":"7"}},"query":{{}},)"
          R"("headers":{{}},"body":{{"a":1}}}}}})",
          shop_),
      doc::toJson(executor_.requests()[0].context));
}

TEST_F(TestsRunTest, aCasesBodyHasBytes) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", ""},
      {R"({"body":null})", ""},
      {R"({"body":"a=1"})", "a=1"},
      {R"({"body":{"a":[1]}})", R"({"a":[1]})"},
      {R"({"body":{"$binary":{"base64":"aGk=","subType":"00"}}})", "hi"},
  };
  for (const auto& [event, body] : cases) {
    testing(fmt::format(R"([{{"name":"one","event":{},"expect":{{}}}}])", event));
    EXPECT_EQ(Failures{}, failures());
    EXPECT_EQ(body, executor_.requests().back().rawBody) << event;
  }
}

TEST_F(TestsRunTest, aPreHookLooksUpItsSeedAndMayAbort) {
  const std::string_view trigger = R"({"type":"database","collection":"notes","events":["insert"]})";
  calls({{"lookup.get", R"(["notes","s"])"}, {"lookup.findOne", R"(["notes",{"n":2}])"}});
  testing(R"([{"name":"one","event":{},"seed":{"notes":[{"id":"s","n":1}]},"expect":{"result":[{"n":1},null]}}])",
          trigger, "pre");
  EXPECT_EQ(Failures{}, failures());
  calls({{"db.find", R"(["notes"])"}});
  EXPECT_EQ("status is error, not success: there is no such call", failures().front());
  std::optional<clone::BridgeKind> bridge;
  executor_.script("code", [&](workers::RunRequest request) -> Async<Outcome> {
    bridge = request.bridge->kind();
    co_return gives(R"({"abort":true,"reason":"no"})");
  });
  testing(R"([{"name":"one","event":{},"expect":{"status":"aborted","result":{"reason":"no"}}},
              {"name":"two","event":{},"expect":{"result":{"abort":true}}},
              {"name":"three","event":{},"expect":{"status":"success"}}])",
          trigger, "pre");
  const TestReport all = report();
  EXPECT_EQ(clone::BridgeKind::lookup, bridge);
  EXPECT_EQ(2, all.passed);
  EXPECT_EQ(Failures{"status is aborted, not success"}, all.results[2].failures);
}

TEST_F(TestsRunTest, noneIsLoggedOrMetered) {
  testing(R"([{"name":"one","event":{},"expect":{}}])");
  EXPECT_EQ(Failures{}, failures());
  EXPECT_TRUE(log("code").empty());
  EXPECT_EQ(0, *run(running_.log().runsOfMonth(shop_, clock_.now())));
}

TEST_F(TestsRunTest, whatHasNoTimeLeftFails) {
  testing(R"([{"name":"one","event":{},"expect":{}}])");
  const TestReport late = report(std::chrono::steady_clock::now());
  EXPECT_EQ(1, late.failed);
  EXPECT_EQ(0, executor_.runs());
}

TEST_F(TestsRunTest, whatAKilledServerLeftIsSwept) {
  Scratch left({store_, data_->slot()}, snapshot(shop_));
  ASSERT_TRUE(run(left.find("notes")));
  ASSERT_EQ(1, memory_.all(kScratchRows).size());
  ASSERT_TRUE(run(Scratch::sweep(store_)));
  EXPECT_TRUE(memory_.all(kScratchRows).empty());
}

}  // namespace
}  // namespace mb::functions
