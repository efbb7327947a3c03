// Workers with the real worker program.
#include "base/testing.h"
#include "workers/workers_fixture.h"

namespace mb::workers {
namespace {

using namespace std::chrono_literals;

class RealWorker : public WorkersFixture {
 protected:
  RealWorker() : WorkersFixture(4, nextToThisProgram("manybase-worker")) {}
  void SetUp() override {
    MB_REQUIRE_PART(std::filesystem::exists(nextToThisProgram("manybase-worker")), "manybase-worker");
  }
  RunOutcome runBody(const std::string& body, const With& with) {
    return run("export default async (event, ctx) => {" + body + "};", with);
  }
  RunOutcome runBody(const std::string& body) { return runBody(body, With()); }
};

TEST_F(RealWorker, RunsAndKeepsTheModule) {
  const RunOutcome outcome = runBody("return event.text + '!';", {.event = text("hello")});
  EXPECT_EQ(textOf(outcome), "hello!");
  const std::string counts = "let n = 0; export default () => String(++n);";
  EXPECT_EQ(textOf(run(counts)), "1");
  EXPECT_EQ(textOf(run(counts)), "2");
  EXPECT_EQ(textOf(run(counts, {.project = 2})), "1");
  EXPECT_FALSE(workers_.stats().confinement.empty());
}

TEST_F(RealWorker, ReportsErrorsAndLogLines) {
  const RunOutcome outcome = runBody("console.warn('careful', {a: 1}); null.x;");
  EXPECT_EQ(outcome.status, RunStatus::error);
  EXPECT_NE(outcome.error.find("null"), std::string::npos) << outcome.error;
  ASSERT_EQ(outcome.logs.size(), 1u);
  EXPECT_EQ(outcome.logs[0].level, clone::LogLevel::warn);
  EXPECT_NE(outcome.logs[0].message.find("careful"), std::string::npos);
}

TEST_F(RealWorker, CallsItsHost) {
  const auto bridge = std::make_shared<FakeBridge>();
  EXPECT_EQ(textOf(runBody("return await ctx.db.count('notes', {});", {.bridge = bridge})), "db.count");
  EXPECT_EQ(textOf(runBody("return await ctx.db.count('notes', {});", {.bridge = bridge, .core = 1})), "db.count");
  bridge->fails = true;
  EXPECT_EQ(textOf(runBody("try { await ctx.db.find('x', {}); } catch (e) { return e.message; }", {.bridge = bridge})),
            "not for you");
  EXPECT_EQ(textOf(runBody("return typeof ctx.db;")), "undefined");
}

TEST_F(RealWorker, HasWhatItsBridgeOffers) {
  const auto bridge = std::make_shared<FakeBridge>();
  bridge->given = clone::BridgeKind::lookup;
  EXPECT_EQ(textOf(runBody("return await ctx.lookup.get('notes', 'a');", {.bridge = bridge})), "lookup.get");
  EXPECT_EQ(textOf(runBody("return Object.keys(ctx).join();", {.bridge = bridge})), "lookup");
  bridge->given = clone::BridgeKind::full;
  EXPECT_EQ(textOf(runBody("return Object.keys(ctx).join();", {.bridge = bridge})), "db,storage,integrations");
}

TEST_F(RealWorker, HasTheBytesOfABody) {
  doc::BsonWriter context;
  context.beginDocument("request");
  context.end();
  // Larger than what is converted through JSON.
  const std::string body(100 << 10, '\xff');
  EXPECT_EQ(textOf(runBody("const {rawBody} = ctx.request; return `${rawBody.constructor.name} ${rawBody.length} "
                           "${rawBody[9]} ${JSON.stringify(ctx)}`;",
                           {.context = context.finish(), .rawBody = body})),
            "Uint8Array 102400 255 {\"request\":{}}");
}

TEST_F(RealWorker, EndsAnEndlessRun) {
  const RunOutcome endless = runBody("for (;;);", {.timeout = 200ms});
  EXPECT_EQ(endless.status, RunStatus::timeout);
  EXPECT_EQ(workers_.stats().killed, 0u) << "by its own watch";
  const RunOutcome parsing = runBody("JSON.parse('['.repeat(50000000));", {.timeout = 200ms});
  EXPECT_NE(parsing.status, RunStatus::success);
  EXPECT_EQ(textOf(runBody("return 'well';")), "well");
}

TEST_F(RealWorker, SurvivesOutOfMemory) {
  const RunOutcome heap = runBody("const all = []; for (;;) all.push(new Array(1000).fill(all.length));");
  EXPECT_TRUE(heap.error.starts_with("out of memory")) << heap.error;
  EXPECT_TRUE(heap.endedWorker);
  const RunOutcome strings = runBody("let s = 'x'; for (;;) s += s + s.length;");
  EXPECT_EQ(strings.status, RunStatus::error);
  EXPECT_EQ(textOf(runBody("return 'well';")), "well");
}

TEST_F(RealWorker, BoundsResults) {
  EXPECT_EQ(runBody("return 'x'.repeat(7 << 20);").status, RunStatus::error);
  EXPECT_EQ(runBody("return {f() {}};").status, RunStatus::error);
  EXPECT_EQ(runBody("return 10n ** 30n;").error, "the result holds a BigInt beyond 64 bits");
  EXPECT_EQ(runBody("return {'a\\0b': 1};").error, "the result holds a key with a NUL");
  EXPECT_EQ(workers_.stats().killed, 0u);
}

TEST_F(RealWorker, ChecksCode) {
  const auto check = [this](std::string source) {
    return runBlocking(cores_, workers_.check(1, std::move(source), true));
  };
  const auto good = check("export default (event: {a: number}): number => event.a;");
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_EQ(good->code.find("number"), std::string::npos) << good->code;
  const auto wrong = check("export default function (event) {\n  return 1 +;\n}");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message().substr(0, 2), "2:") << wrong.error().message();
  EXPECT_FALSE(check("export const a = 1;"));
}

TEST_F(RealWorker, ReportsUnhandledRejections) {
  const RunOutcome outcome = runBody("Promise.reject(new Error('lost')); return 'well';");
  EXPECT_EQ(textOf(outcome), "well");
  ASSERT_EQ(outcome.logs.size(), 1u);
  EXPECT_EQ(outcome.logs[0].level, clone::LogLevel::error);
  EXPECT_TRUE(outcome.logs[0].message.starts_with("Unhandled rejection: lost\nat ")) << outcome.logs[0].message;
}

}  // namespace
}  // namespace mb::workers
