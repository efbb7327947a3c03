#include "functions/functions.h"

#include "events/subscription.h"
#include "functions/flow_compiler.h"
#include "functions/functions_fixture.h"
#include "functions/timetable.h"
#include "store/configuration_limits.h"
#include "store/records.h"

namespace mb::functions {
namespace {

class FunctionsTest : public FunctionsFixture {
 protected:
  template <class T>
  static std::vector<std::string> paths(const Result<T>& result) {
    std::vector<std::string> found;
    if (result) return found;
    for (const ErrorDetail& each : result.error().details()) found.push_back(each.path);
    return found;
  }
  using Paths = std::vector<std::string>;

  std::vector<VersionView> versions(std::string name, int64_t limit = kMaxVersions) {
    auto found = run(functions_.versions(snapshot(shop_), std::move(name), limit));
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<VersionView>();
  }
  // Runs the task when the next write arrives, on another core: the core of the write waits for it.
  template <class Start>
  void beforeNextWrite(Start start) {
    memory_.beforeNextWrite([start = std::move(start)] {
      Cores other(1);
      other.start();
      EXPECT_TRUE(store::testing::runOn(other, 0, start()));
    });
  }
  FunctionRecord stored(std::string_view name) {
    for (const doc::Document& each : memory_.all({shop_, kFunctions, 0})) {
      if (each.view().stringOr("id") == name) return *store::fromStore<FunctionRecord>(each.view());
    }
    ADD_FAILURE() << "no function " << name;
    return {};
  }
};

TEST_F(FunctionsTest, AreMadeAndSeen) {
  const auto made = create(function("greet", kHttp));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->name, "greet");
  EXPECT_EQ(made->timing, "post");
  EXPECT_TRUE(made->enabled);
  EXPECT_EQ(made->timeoutMs.value, std::nullopt);
  EXPECT_EQ(made->version, 1);
  EXPECT_EQ(doc::toJson(doc::encode(*made)), doc::toJson(doc::encode(view("greet"))));
  const FunctionPtr known = compiledOne("greet");
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->record.functionId.starts_with("fn_"));
  EXPECT_EQ(known->module->id, known->record.functionId + "@1");
  EXPECT_EQ(known->module->source, "/* runs */ export default async () => 1;");
  EXPECT_EQ(known->module->map, "map");
  EXPECT_EQ(known->timeout, std::chrono::seconds(10));
  EXPECT_EQ(known->record.runs, "");
  ASSERT_TRUE(create(function("another", R"({"type":"cron","schedule":"@daily"})")));
  EXPECT_EQ(functions_.list(*snapshot(shop_)).at(0).name, "another");
  EXPECT_EQ(codeOf(create(function("greet"))), "CONFLICT");
  EXPECT_EQ(codeOf(functions_.get(*snapshot(shop_), "nobody")), "NOT_FOUND");
  EXPECT_EQ(codeOf(change("nobody", "{}")), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(functions_.remove(access(), "nobody"))), "NOT_FOUND");
  EXPECT_EQ(auditActions(shop_), (std::vector<std::string>{"function.created", "function.created"}));
}

TEST_F(FunctionsTest, CodeIsCheckedAtSave) {
  NewFunction bad = function("bad");
  bad.code = "let a;\n  syntax!";
  const auto refused = create(bad);
  EXPECT_EQ(codeOf(refused), "VALIDATION");
  EXPECT_EQ(refused.error().details().at(0).path, "/code");
  EXPECT_EQ(refused.error().details().at(0).message, "line 2, column 3: Unexpected token");
  bad.name = "Bad";
  EXPECT_EQ(paths(create(bad)), Paths{"/name"});
  ASSERT_TRUE(create(function("good")));
  EXPECT_EQ(paths(change("good", R"({"code":"syntax!"})")), Paths{"/code"});
  executor_.unavailable = true;
  NewFunction later = function("later");
  EXPECT_TRUE(create(later));
  later.name = "much-later";
  later.code = "export default async () => 'new';";
  EXPECT_EQ(codeOf(create(later)), "UNAVAILABLE");
  EXPECT_EQ(codeOf(change("good", R"({"code":"x"})")), "UNAVAILABLE");
  // Fields other than the code need no check.
  EXPECT_TRUE(change("good", R"({"enabled":false,"timeoutMs":200})"));
}

TEST_F(FunctionsTest, AChangeThatAnotherOvertookIsMadeOnTheNewRecord) {
  ASSERT_TRUE(create(function("one")));
  beforeNextWrite([this, as = access()] {
    return functions_.change(as, "one", *doc::decode<FunctionPatch>(json(R"({"timeoutMs":500})")));
  });
  ASSERT_TRUE(change("one", R"({"code":"two"})"));
  EXPECT_EQ(view("one").code, "two");
  EXPECT_EQ(view("one").timeoutMs.value, 500);
  const auto all = versions("one");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].code, "two");
  EXPECT_EQ(all[1].code, "export default async () => 1;");
  EXPECT_EQ(auditActions(shop_).size(), 3u);
}

TEST_F(FunctionsTest, OfTwoFunctionsOfANameTheFirstIsCreated) {
  beforeNextWrite([this, as = access()] { return functions_.create(as, function("one", kHttp)); });
  const auto refused = create(function("one"));
  EXPECT_EQ(codeOf(refused), "CONFLICT");
  EXPECT_EQ(refused.error().message(), "there is a function of this name already");
  EXPECT_EQ(doc::toJson(view("one").trigger), kHttp);
  EXPECT_EQ(versions("one").size(), 1u);
  EXPECT_EQ(auditActions(shop_).size(), 1u);
}

TEST_F(FunctionsTest, AVersionIsCutWhereWhatRunsIsAnother) {
  struct Case {
    std::string_view patch;
    int64_t version;
  };
  ASSERT_TRUE(create(function("one")));
  const Case cases[] = {
      {R"({"enabled":false})", 1},
      {R"({"tests":[{"name":"a","event":{},"expect":{}}]})", 1},
      {R"({"code":"export default async () => 1;"})", 1},
      {R"({"trigger":{"events":["insert"],"collection":"orders","type":"database"},"timing":"post"})", 1},
      {R"({"timeoutMs":null})", 1},
      {R"({})", 1},
      {R"({"code":"export default async () => 2;"})", 2},
      {R"({"timeoutMs":500})", 3},
      {R"({"timeoutMs":500,"enabled":true})", 3},
      {R"({"timing":"pre"})", 4},
      {R"({"trigger":{"type":"database","collection":"orders","events":["delete"]},"timeoutMs":null})", 5},
      {R"({"timing":"post","trigger":{"type":"cron","schedule":"@hourly"}})", 6},
  };
  for (const Case& each : cases) {
    const auto done = change("one", each.patch);
    EXPECT_TRUE(done) << each.patch << done.error().message();
    EXPECT_EQ(view("one").version, each.version) << each.patch;
  }
  const auto all = versions("one");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].version, 6);
  EXPECT_EQ(all[3].timeoutMs.value, 500);
  EXPECT_EQ(all[3].timing, "post");
  EXPECT_EQ(all[5].code, "export default async () => 1;");
  EXPECT_EQ(all[5].createdBy, "user_admin");
  EXPECT_EQ(versions("one", 2).size(), 2u);
  EXPECT_EQ(run(functions_.version(snapshot(shop_), "one", 2))->code, "export default async () => 2;");
  for (const int64_t none : {int64_t{0}, int64_t{-1}, int64_t{7}, int64_t{56}, INT64_MAX}) {
    EXPECT_EQ(codeOf(run(functions_.version(snapshot(shop_), "one", none))), "NOT_FOUND") << none;
  }
}

TEST_F(FunctionsTest, TheLastFiftyVersionsAreKept) {
  ASSERT_TRUE(create(function("one")));
  for (int i = 2; i <= 53; ++i) ASSERT_TRUE(change("one", fmt::format(R"({{"code":"code {}"}})", i)));
  const auto all = versions("one");
  ASSERT_EQ(all.size(), 50u);
  EXPECT_EQ(all.front().version, 53);
  EXPECT_EQ(all.back().version, 4);
  EXPECT_EQ(codeOf(run(functions_.version(snapshot(shop_), "one", 3))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(functions_.rollback(access(), "one", 3))), "NOT_FOUND");
  ASSERT_TRUE(run(functions_.remove(access(), "one")));
  EXPECT_TRUE(memory_.all({shop_, kVersions, 0}).empty());
  EXPECT_TRUE(memory_.all({shop_, kFunctions, 0}).empty());
}

TEST_F(FunctionsTest, RollingBackIsANewVersion) {
  ASSERT_TRUE(create(function("one", kHttp)));
  ASSERT_TRUE(change("one", R"({"code":"two","timeoutMs":200,"enabled":false,
                              "trigger":{"type":"database","collection":"orders","events":["delete"]},"timing":"pre"})"));
  ASSERT_TRUE(change("one", R"({"tests":[{"name":"a","event":{},"expect":{}}]})"));
  const auto back = run(functions_.rollback(access(), "one", 1));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->version, 3);
  EXPECT_EQ(back->code, "export default async () => 1;");
  EXPECT_EQ(back->timing, "post");
  EXPECT_EQ(back->timeoutMs.value, std::nullopt);
  EXPECT_EQ(doc::toJson(back->trigger), kHttp);
  EXPECT_FALSE(back->enabled);
  EXPECT_EQ(back->tests.size(), 1u);
  EXPECT_EQ(versions("one").size(), 3u);
  EXPECT_EQ(compiledOne("one")->module->source, "/* runs */ export default async () => 1;");
  // Also to the current version.
  EXPECT_EQ(run(functions_.rollback(access(), "one", 3))->version, 4);
}

TEST_F(FunctionsTest, ARouteHasOneFunction) {
  ASSERT_TRUE(create(function("aa", kHttp)));
  NewFunction same = function("bb", R"({"type":"http","method":"GET","path":"/hello/:other"})");
  same.enabled = false;
  const auto refused = create(same);
  EXPECT_EQ(codeOf(refused), "CONFLICT");
  EXPECT_EQ(refused.error().message(), "GET /hello/: is the route of another function");
  ASSERT_TRUE(create(function("bb", R"({"type":"http","method":"POST","path":"/hello/:name"})")));
  EXPECT_EQ(codeOf(change("bb", R"({"trigger":{"type":"http","method":"GET","path":"/hello/:x"}})")), "CONFLICT");
  EXPECT_EQ(view("bb").version, 1);
  ASSERT_TRUE(change("aa", R"({"trigger":{"type":"cron","schedule":"@daily"}})"));
  ASSERT_TRUE(change("bb", R"({"trigger":{"type":"http","method":"GET","path":"/hello/:x"}})"));
  // A rollback would take a route that another function has now.
  EXPECT_EQ(codeOf(run(functions_.rollback(access(), "aa", 1))), "CONFLICT");
}

TEST_F(FunctionsTest, FlowsAreCompiled) {
  NewFunction input = function("flowing");
  input.flow = flow();
  EXPECT_EQ(paths(create(input)), Paths{"/code"});
  input.code.reset();
  const auto made = create(input);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->code.starts_with(kFlowHeader));
  EXPECT_TRUE(made->code.contains("console.info(\"hi\");"));
  EXPECT_TRUE(made->flow.value);
  EXPECT_EQ(paths(change("flowing", R"({"code":"mine"})")), Paths{"/code"});
  EXPECT_EQ(paths(change("flowing", R"({"timing":"pre"})")), Paths{"/timing"});
  EXPECT_EQ(paths(change("flowing", fmt::format(R"({{"flow":{},"code":"x"}})", doc::toJson(flow())))), Paths{"/code"});
  ASSERT_TRUE(change("flowing", fmt::format(R"({{"flow":{}}})", doc::toJson(flow("ho")))));
  EXPECT_EQ(view("flowing").version, 2);
  EXPECT_TRUE(view("flowing").code.contains("console.info(\"ho\");"));
  // A node's position does not change the code.
  std::string moved = doc::toJson(flow("ho"));
  moved.replace(moved.find("\"y\":1"), 5, "\"y\":9");
  ASSERT_TRUE(change("flowing", fmt::format(R"({{"flow":{}}})", moved)));
  EXPECT_EQ(view("flowing").version, 2);
  EXPECT_EQ(doc::toJson(*view("flowing").flow.value), moved);
  ASSERT_TRUE(change("flowing", R"({"flow":null,"code":"mine"})"));
  EXPECT_EQ(view("flowing").code, "mine");
  EXPECT_FALSE(view("flowing").flow.value);
  EXPECT_EQ(view("flowing").version, 3);
  ASSERT_TRUE(change("flowing", R"({"timing":"pre"})"));
  // A version that had a flow has it again.
  ASSERT_TRUE(run(functions_.rollback(access(), "flowing", 2)));
  EXPECT_TRUE(view("flowing").flow.value);
  EXPECT_EQ(paths(change("flowing", R"({"code":"mine"})")), Paths{"/code"});
  // Without new code the compiled code stays, without its header.
  ASSERT_TRUE(change("flowing", R"({"flow":null})"));
  EXPECT_TRUE(view("flowing").code.starts_with("export default async function")) << view("flowing").code;
  EXPECT_EQ(view("flowing").version, 6);
}

TEST_F(FunctionsTest, ErrorsOfAFlowAreReportedByNode) {
  NewFunction input = function("flowing");
  input.code.reset();
  input.flow = flow("{{ nobody }}");
  EXPECT_EQ(paths(create(input)), Paths{"/flow/nodes/1/data/message"});
  input.flow = json(R"({"nodes":[{"id":"t","type":"trigger"},{"id":"c","type":"code","data":{"code":"\n syntax!"}}],
                        "edges":[{"id":"e","source":"t","target":"c"}]})");
  const auto refused = create(input);
  EXPECT_EQ(paths(refused), Paths{"/flow/nodes/1/data/code"});
  EXPECT_EQ(refused.error().details().at(0).message, "node \"c\" line 2, column 2: Unexpected token");
}

TEST_F(FunctionsTest, APostFunctionSeesWhatComesAfterIt) {
  const auto orders = collection("orders");
  store::Write write(store::WriteOptions{});
  write.insert({{shop_, orders.number, orders.version}, json(R"({"id":"a"})")});
  ASSERT_TRUE(run(memory_.write(std::move(write), nullptr)));
  NewFunction quiet = function("quiet");
  quiet.enabled = false;
  ASSERT_TRUE(create(quiet));
  NewFunction pre = function("pre");
  pre.timing = "pre";
  ASSERT_TRUE(create(pre));
  EXPECT_EQ(stored("quiet").after, 0);
  EXPECT_EQ(stored("pre").after, 0);
  ASSERT_TRUE(change("quiet", R"({"enabled":true})"));
  EXPECT_GT(stored("quiet").after, 0);
  const auto& table = snapshot(shop_)->get(functions_.slot());
  EXPECT_EQ(table.post.at(orders.number).at(0)->name(), "quiet");
  EXPECT_EQ(table.pre.at(orders.number).at(0)->name(), "pre");
  EXPECT_EQ(stored("quiet").collectionNo, orders.number);
}

TEST_F(FunctionsTest, ARenamedCollectionIsFollowed) {
  const auto orders = collection("orders");
  ASSERT_TRUE(create(function("one")));
  const data::AdminAccess as{admin(), snapshot(shop_)};
  ASSERT_TRUE(run(data_->collections().rename(as, "orders", "purchases")));
  EXPECT_EQ(view("one").trigger.view().stringOr("collection"), "purchases");
  EXPECT_EQ(view("one").version, 1);
  EXPECT_EQ(snapshot(shop_)->get(functions_.slot()).post.at(orders.number).size(), 1u);
  // The current name is not a change; another one is.
  ASSERT_TRUE(change("one", R"({"trigger":{"type":"database","collection":"purchases","events":["insert"]}})"));
  EXPECT_EQ(view("one").version, 1);
  ASSERT_TRUE(change("one", R"({"trigger":{"type":"database","collection":"orders","events":["insert"]}})"));
  EXPECT_EQ(view("one").version, 2);
  EXPECT_EQ(view("one").trigger.view().stringOr("collection"), "orders");
  // The former version is bound to the collection, also after its rename.
  ASSERT_TRUE(run(functions_.rollback(access(), "one", 1)));
  EXPECT_EQ(view("one").trigger.view().stringOr("collection"), "purchases");
}

TEST_F(FunctionsTest, CronFunctionsAreInTheTimetable) {
  const auto rows = [&] { return memory_.all(kTimetableRows); };
  ASSERT_TRUE(create(function("nightly", R"({"type":"cron","schedule":"@daily"})")));
  ASSERT_EQ(rows().size(), 1u);
  ASSERT_TRUE(change("nightly", R"({"enabled":false})"));
  EXPECT_TRUE(rows().empty());
  ASSERT_TRUE(change("nightly", R"({"enabled":true})"));
  EXPECT_EQ(rows().size(), 1u);
  ASSERT_TRUE(run(functions_.remove(access(), "nightly")));
  EXPECT_TRUE(rows().empty());
}

TEST_F(FunctionsTest, ATimeZoneIsPartOfTheSchedule) {
  const auto row = [&] { return memory_.all(kTimetableRows).at(0); };
  ASSERT_TRUE(create(function("nightly", R"({"timezone":"Europe/Zurich","schedule":"0 9 * * *","type":"cron"})")));
  EXPECT_EQ(doc::toJson(view("nightly").trigger),
            R"({"type":"cron","schedule":"0 9 * * *","timezone":"Europe/Zurich"})");
  EXPECT_EQ(row().view().stringOr("timezone"), "Europe/Zurich");
  const Timestamp zoned = row().view().find("dueAt")->asDate();
  ASSERT_TRUE(change("nightly", R"({"trigger":{"type":"cron","schedule":"0 9 * * *"}})"));
  EXPECT_EQ(view("nightly").version, 2);
  EXPECT_FALSE(row().view().find("timezone"));
  EXPECT_NE(row().view().find("dueAt")->asDate(), zoned);
  ASSERT_TRUE(run(functions_.rollback(access(), "nightly", 1)));
  EXPECT_EQ(row().view().find("dueAt")->asDate(), zoned);
  EXPECT_EQ(paths(change("nightly", R"({"trigger":{"type":"cron","schedule":"@daily","timezone":"Here"}})")),
            Paths{"/trigger/timezone"});
}

TEST_F(FunctionsTest, RetriesBelongToTheFunctionNotToItsVersions) {
  NewFunction input = function("one");
  input.retry = {.attempts = 3, .backoffSeconds = 60};
  const auto made = create(std::move(input));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->retry, (RetryPolicy{3, 60}));
  ASSERT_TRUE(change("one", R"({"retry":{"attempts":5,"backoffSeconds":1}})"));
  EXPECT_EQ(view("one").retry, (RetryPolicy{5, 1}));
  EXPECT_EQ(view("one").version, 1);
  ASSERT_TRUE(change("one", R"({"code":"two"})"));
  EXPECT_EQ(run(functions_.rollback(access(), "one", 1))->retry, (RetryPolicy{5, 1}));
  EXPECT_EQ(paths(change("one", R"({"retry":{"attempts":0,"backoffSeconds":1}})")), Paths{"/retry/attempts"});
  EXPECT_FALSE(doc::decode<FunctionPatch>(json(R"({"retry":{"attempts":2}})")));
  // A pre-hook has none.
  EXPECT_EQ(paths(change("one", R"({"timing":"pre"})")), Paths{"/retry"});
  ASSERT_TRUE(change("one", R"({"timing":"pre","retry":null})"));
  EXPECT_FALSE(view("one").retry);
  EXPECT_EQ(paths(change("one", R"({"retry":{"attempts":2,"backoffSeconds":1}})")), Paths{"/retry"});
  ASSERT_TRUE(change("one", R"({"timing":"post","retry":{"attempts":2,"backoffSeconds":1}})"));
  EXPECT_EQ(paths(run(functions_.rollback(access(), "one", 4))), Paths{"/retry"});
  // What has none is stored and shown without the field.
  ASSERT_TRUE(create(function("two", kHttp)));
  EXPECT_FALSE(doc::toJson(doc::encode(view("two"))).contains("retry"));
  EXPECT_FALSE(doc::toJson(doc::encode(stored("two"))).contains("retry"));
}

TEST_F(FunctionsTest, TimeoutsAreWhatTheirTimingAllows) {
  NewFunction pre = function("pre");
  pre.timing = "pre";
  ASSERT_TRUE(create(pre));
  EXPECT_EQ(compiledOne("pre")->timeout, std::chrono::milliseconds(2'000));
  ASSERT_TRUE(change("pre", R"({"timeoutMs":60000})"));
  EXPECT_EQ(compiledOne("pre")->timeout, std::chrono::milliseconds(2'000));
  EXPECT_EQ(view("pre").timeoutMs.value, 60'000);
  ASSERT_TRUE(change("pre", R"({"timeoutMs":100})"));
  EXPECT_EQ(compiledOne("pre")->timeout, std::chrono::milliseconds(100));
  ASSERT_TRUE(change("pre", R"({"timing":"post","timeoutMs":60000})"));
  EXPECT_EQ(compiledOne("pre")->timeout, std::chrono::milliseconds(60'000));
}

TEST_F(FunctionsTest, AProjectHasSoManyAndNoMore) {
  for (size_t i = 0; i < store::kMaxFunctions; ++i) ASSERT_TRUE(create(function(fmt::format("f{}", i))));
  EXPECT_EQ(codeOf(create(function("more"))), "CONFLICT");
  EXPECT_EQ(functions_.list(*snapshot(shop_)).size(), store::kMaxFunctions);
}

TEST_F(FunctionsTest, AFailedCommitLeavesNothingBehind) {
  store_.stopAfter(0);
  EXPECT_FALSE(create(function("one")));
  store_.stopAfter(-1);
  EXPECT_TRUE(functions_.list(*snapshot(shop_)).empty());
  EXPECT_TRUE(create(function("one")));
}

TEST_F(FunctionsTest, OneThatIsBackedUpNamesItsCollectionAsThatIsCalledNow) {
  const store::CollectionInfo orders = collection("orders");
  ASSERT_TRUE(create(function("one")));
  const doc::Document stored = memory_.all({shop_, kFunctions, 0}).at(0);
  const auto nameIn = [&](std::vector<store::CollectionInfo> collections) {
    const auto backedUp = store::fromStore<FunctionRecord>(events::backedUpFollower(stored, collections).view());
    return std::string(backedUp->trigger.view().stringOr("collection"));
  };
  EXPECT_EQ(nameIn({{orders.number, "sales", 2, {}, {}}, {orders.number + 1, "orders", 1, {}, {}}}), "sales");
  EXPECT_EQ(nameIn({{orders.number + 1, "sales", 1, {}, {}}}), "orders");
}

TEST_F(FunctionsTest, OneThatIsRestoredDoesNothingUntilItIsEnabled) {
  collection("orders");
  ASSERT_TRUE(create(function("one")));
  const doc::Document stored = memory_.all({shop_, kFunctions, 0}).at(0);
  const auto restored =
      store::fromStore<FunctionRecord>(events::restoredFollower(stored, {{"orders", 1007}, {"others", 1008}}).view());
  ASSERT_TRUE(restored);
  EXPECT_FALSE(restored->enabled);
  EXPECT_EQ(restored->after, 0);
  EXPECT_EQ(restored->collectionNo, 1007);
  // Its collection was deleted, or comes later in a backup of an earlier version.
  EXPECT_EQ(store::fromStore<FunctionRecord>(events::restoredFollower(stored, {}).view())->collectionNo, 0);
  EXPECT_EQ(restored->code, "export default async () => 1;");
}

}  // namespace
}  // namespace mb::functions
