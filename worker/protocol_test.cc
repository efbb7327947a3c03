// The frames of clone/frames.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

using clone::FailReason;
using clone::FrameKind;
using clone::Tag;
using clone::Writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(ProtocolTest, ReportsThatItIsReadyAndItsConfinement) {
  const TestWorker worker;
  EXPECT_THAT(worker.engine, StartsWith("V8 "));
  EXPECT_THAT(worker.confinement, HasSubstr("seccomp no-new-privs limits jitless"));
  EXPECT_THAT(worker.confinement, HasSubstr("dies-with-server"));
  EXPECT_THAT(TestWorker("manybase-worker", {"--jit"}).confinement, Not(HasSubstr("jitless")));
}

TEST(ProtocolTest, RunsAModuleAgainAndAgainInTheSameContext) {
  TestWorker worker;
  worker.load("fn_1@1", "let count = 0;\nexport default () => ++count;");
  worker.load("fn_1@2", "export default (event, ctx) => [event, ctx.function, typeof ctx.db];");
  EXPECT_EQ(worker.runModule("fn_1@1", {}).summary(), "done 1");
  EXPECT_EQ(worker.runModule("fn_1@1", {}).summary(), "done 2");
  EXPECT_EQ(worker.runModule("fn_1@2", {.event = [](Writer& out) { out.integer(7); }}).summary(),
            "done [7, \"orders\", \"object\"]");
  EXPECT_EQ(worker.runModule("fn_1@2", {.bridge = clone::BridgeKind::none}).summary(),
            "done [null, \"orders\", \"undefined\"]");
  EXPECT_EQ(worker.runModule("fn_1@1", {}).summary(), "done 3");
  worker.send(FrameKind::unload, [](Writer& out) { out.text("fn_1@1"); });
  worker.send(FrameKind::unload, [](Writer& out) { out.text("never there"); });
  EXPECT_EQ(worker.runModule("fn_1@1", {}).summary(), "not loadable the module was not loaded");
  worker.hangUp();
  EXPECT_EQ(worker.wait(), 0);
}

TEST(ProtocolTest, ReportsTheTimeOfARun) {
  TestWorker worker;
  const Outcome outcome =
      worker.run("export default () => { const end = Date.now() + 50; while (Date.now() < end); return 1 }");
  EXPECT_EQ(outcome.summary(), "done 1");
  EXPECT_GT(outcome.cpu, 5'000U);
  EXPECT_LT(worker.run("export default () => new Promise((r) => setTimeout(r, 100))").cpu, 90'000U);
}

TEST(ProtocolTest, LinesGoAsTextOrJson) {
  TestWorker worker;
  const Outcome outcome = worker.run(R"(export default () => {
    console.log("plain", 1, { a: [1, "x"] }, null, undefined, true);
    console.info(NaN, 12n, Symbol("s"), () => 1);
    console.warn(new TypeError("bad"), new Date(0));
    const circle = {}; circle.self = circle;
    console.error(circle, { toJSON() { throw 1 } });
    console.debug();
    console.log("\ud83d", "ä\n");
  })");
  EXPECT_EQ(outcome.summary(), "done undefined");
  EXPECT_THAT(outcome.logs,
              ElementsAre("log: plain 1 {\"a\":[1,\"x\"]} null undefined true", "info: null 12 Symbol(s) [function]",
                          "warn: {\"name\":\"TypeError\",\"message\":\"bad\"} \"1970-01-01T00:00:00.000Z\"",
                          "error: Object Object", "debug: ", "log: \xEF\xBF\xBD ä\n"));
}

TEST(ProtocolTest, LinesAreCutAndCounted) {
  TestWorker worker;
  Outcome outcome = worker.run("export default () => { for (let i = 0; i < 1000; i++) console.log(i) }");
  EXPECT_THAT(outcome.logs, SizeIs(clone::kMaxLogLines));
  EXPECT_EQ(outcome.logs.back(), "log: 199");
  outcome =
      worker.run("export default () => { console.log('ä'.repeat(100000)); console.log('a', 'b'.repeat(8191), 'c') }");
  ASSERT_THAT(outcome.logs, SizeIs(2));
  EXPECT_EQ(outcome.logs[0].size(), strlen("log: ") + clone::kMaxLogBytes);
  EXPECT_EQ(outcome.logs[1].size(), strlen("log: ") + clone::kMaxLogBytes);
  outcome = worker.run("export default () => { console.log('x' + 'ä'.repeat(100000)) }");
  EXPECT_EQ(outcome.logs[0].size(), strlen("log: ") + clone::kMaxLogBytes - 1);
}

TEST(ProtocolTest, CallsAreResolvedOrRejected) {
  TestWorker worker;
  const TestWorker::Host host = [](TestWorker& to, uint32_t call, const std::string& operation, const std::string&) {
    if (operation == "db.count") return to.reply(call, [](Writer& out) { out.integer(3); });
    to.reject(call, "VALIDATION", "no such collection");
  };
  const Outcome outcome = worker.run({.code = R"(export default async (event, { db, integrations }) => {
    const { count } = db;
    const n = await count("posts", { a: new Date(0), b: [1, undefined] });
    try { await integrations.call("mail", "send", { to: "x" }) } catch (e) {
      return [n, e instanceof Error, e.code, e.message, Object.keys(e)];
    }
  })",
                                      .host = host});
  EXPECT_EQ(outcome.summary(), R"(done [3, true, "VALIDATION", "no such collection", ["code"]])");
  EXPECT_THAT(outcome.calls, ElementsAre(R"(db.count ["posts", {a: Date(0), b: [1, undefined]}])",
                                         R"(integrations.call ["mail", "send", {to: "x"}])"));
  const Outcome uncaught =
      worker.run({.code = "export default async (event, ctx) => {\n  await ctx.db.find('a');\n}", .host = host});
  EXPECT_EQ(uncaught.summary(), "threw no such collection");
  EXPECT_EQ(uncaught.stack, "at default (2:16)");
}

TEST(ProtocolTest, SendsCallsInOrderAndSixteenAtATime) {
  TestWorker worker;
  size_t max = 0;
  std::vector<uint32_t> held;
  const TestWorker::Host host = [&](TestWorker& to, uint32_t call, const std::string&, const std::string&) {
    held.push_back(call);
    max = std::max(max, held.size());
    if (held.size() < clone::kMaxCallsAtOnce) return;
    // The worker sends no other call before a reply.
    EXPECT_FALSE(to.next(std::chrono::milliseconds(50)));
    for (const uint32_t one : std::exchange(held, {})) to.reply(one, [&](Writer& out) { out.integer(1); });
  };
  const Outcome outcome = worker.run({.code = R"(export default async (event, { db }) => {
    const all = await Promise.all(Array.from({ length: 160 }, (_, i) => db.count("c", i)));
    return all.length;
  })",
                                      .host = host});
  EXPECT_EQ(outcome.summary(), "done 160");
  EXPECT_EQ(max, clone::kMaxCallsAtOnce);
  EXPECT_EQ(outcome.calls.front(), "db.count [\"c\", 0]");
  EXPECT_EQ(outcome.calls.back(), "db.count [\"c\", 159]");
}

TEST(ProtocolTest, ALookupBridgeHasFiveCallsAndNothingElse) {
  TestWorker worker;
  const Outcome outcome = worker.run({.code = R"(export default async (event, ctx) => {
    const given = [Object.keys(ctx).join(), Object.keys(ctx.lookup).join(), typeof ctx.db, typeof ctx.integrations];
    for (let i = 0; i < 4; i++) await ctx.lookup.get("c", `${i}`);
    await ctx.lookup.findOne("c", { n: 1 });
    try { await ctx.lookup.get("c", "6") } catch (e) { given.push(e.code, e.message) }
    return given;
  })",
                                      .bridge = clone::BridgeKind::lookup});
  EXPECT_EQ(outcome.summary(),
            "done [\"function,lookup\", \"get,findOne\", \"undefined\", \"undefined\", \"LIMIT\", "
            "\"More than 5 lookups in one run\"]");
  EXPECT_THAT(outcome.calls, SizeIs(clone::kMaxLookups));
  EXPECT_EQ(outcome.calls.front(), "lookup.get [\"c\", \"0\"]");
  EXPECT_EQ(outcome.calls.back(), "lookup.findOne [\"c\", {n: 1}]");
  // The next run has the calls of its own bridge.
  EXPECT_EQ(worker
                .run("export default async (event, ctx) => { for (let i = 0; i < 9; i++) await ctx.db.count('c'); "
                     "return typeof ctx.lookup }")
                .summary(),
            "done \"undefined\"");
}

TEST(ProtocolTest, ARequestGetsTheBytesOfItsBody) {
  TestWorker worker;
  const std::string code = R"(export default (event, { request }) =>
    [request?.rawBody, request && Object.keys(request).length, JSON.stringify(request)])";
  EXPECT_EQ(worker.run({.code = code, .rawBody = std::string("a\0\xff", 3)}).summary(),
            "done [Bytes(6100ff), 0, \"{}\"]");
  EXPECT_EQ(worker.run({.code = code, .rawBody = ""}).summary(), "done [Bytes(), 0, \"{}\"]");
  EXPECT_EQ(worker.run({.code = code}).summary(), "done [undefined, undefined, undefined]");
}

TEST(ProtocolTest, NothingOfARunActsInTheNext) {
  TestWorker worker;
  worker.load("m", R"(let kept;
    export default async (event, ctx) => {
      if (event === 1) {
        kept = ctx;
        setTimeout(() => console.log("late timer"), 1);
        ctx.db.find("late").then(() => console.log("late answer"));
        Promise.resolve().then(() => console.log("in time"));
        return;
      }
      try { await kept.db.find("stolen") } catch (e) { console.log(e.code) }
      await new Promise((r) => setTimeout(r, 30));
      return ctx.db === kept.db;
    })");
  const TestWorker::Host none = [](TestWorker&, uint32_t, const std::string&, const std::string&) {};
  const Outcome first = worker.runModule("m", {.event = [](Writer& out) { out.integer(1); }, .host = none});
  EXPECT_EQ(first.summary(), "done undefined");
  EXPECT_THAT(first.logs, ElementsAre("log: in time"));
  EXPECT_THAT(first.calls, ElementsAre("db.find [\"late\"]"));
  worker.reply(1, [](Writer& out) { out.tag(Tag::null); });  // to a run that is over
  const Outcome second = worker.runModule("m", {});
  EXPECT_EQ(second.summary(), "done false");
  EXPECT_THAT(second.logs, ElementsAre("log: RUN_OVER"));
  EXPECT_TRUE(second.calls.empty());
}

TEST(ProtocolTest, AnInterruptedModuleIsEvaluatedAgain) {
  TestWorker worker;
  worker.load("m", R"(let count = 0;
    export default async (event) => {
      count++;
      if (event === 1) { Promise.resolve().then(() => console.log("late")); for (;;); }
      return count;
    })");
  EXPECT_EQ(worker.runModule("m", {}).summary(), "done 1");
  EXPECT_EQ(worker.runModule("m", {}).summary(), "done 2");
  EXPECT_EQ(
      worker.runModule("m", {.timeout = std::chrono::milliseconds(100), .event = [](Writer& out) { out.integer(1); }})
          .summary(),
      "timed out");
  const Outcome after = worker.runModule("m", {});
  EXPECT_EQ(after.summary(), "done 1");
  EXPECT_TRUE(after.logs.empty());
}

TEST(ProtocolTest, FramesMayComeWhileARunWaits) {
  TestWorker worker;
  const TestWorker::Host host = [](TestWorker& to, uint32_t call, const std::string&, const std::string&) {
    to.load("other", "export default () => 'other'");
    to.send(FrameKind::unload, [](Writer& out) { out.text("m"); });  // the one that runs
    to.reply(call, [](Writer& out) { out.integer(1); });
  };
  worker.load("m", "export default async (event, ctx) => { await ctx.db.find('x'); return 'm' }");
  EXPECT_EQ(worker.runModule("m", {.host = host}).summary(), "done \"m\"");
  EXPECT_EQ(worker.runModule("m", {}).summary(), "not loadable the module was not loaded");
  EXPECT_EQ(worker.runModule("other", {}).summary(), "done \"other\"");
}

TEST(ProtocolTest, LoadErrorsHavePositions) {
  struct Case {
    const char* code;
    const char* expected;
    const char* stack;
  };
  const Case cases[] = {
      {"export default 1", "not loadable There is no default export that is a function", ""},
      {"export const a = 1", "not loadable There is no default export that is a function", ""},
      {"export default () => {\n  let a = ;\n}", "not loadable SyntaxError: Unexpected token ';'", "at 2:11"},
      {"let a = 1;\nthrow new Error('at the top');", "not loadable at the top", "at 2:7"},
      {"await new Promise(() => {});\nexport default () => 1",
       "not loadable The promise never settles: nothing is left that it could wait for", ""},
      {"import fs from 'fs';\nexport default () => 1",
       "not loadable TypeError: There is nothing to import: a function is one module", ""},
  };
  TestWorker worker;
  for (const Case& c : cases) {
    const Outcome outcome = worker.run(std::string(c.code));
    EXPECT_EQ(outcome.summary(), c.expected) << c.code;
    EXPECT_EQ(outcome.stack, c.stack) << c.code;
  }
  EXPECT_EQ(worker.run("await new Promise((r) => setTimeout(r, 5));\nexport default () => 1").summary(), "done 1");
}

TEST(ProtocolTest, ErrorsHavePositionsOfTheOriginalCode) {
  TestWorker worker;
  const TestWorker::Checked checked = worker.check(
      "interface Order { id: string }\n"
      "function deep<T>(order: Order, more: T): never {\n"
      "  throw new RangeError(`no ${(order as Order).id}`);\n"
      "}\n"
      "export default async (event: { a: number }): Promise<void> => { await null; deep<number>({ id: \"x\" }, 1); "
      "};\n",
      true);
  ASSERT_TRUE(checked.well) << checked.problem;
  const Outcome outcome = worker.run({.code = checked.code, .map = checked.map});
  EXPECT_EQ(outcome.summary(), "threw RangeError: no x");
  EXPECT_EQ(outcome.stack, "at deep (3:9)\nat default (5:77)");
}

TEST(ProtocolTest, ThrownValuesHaveMessages) {
  struct Case {
    const char* thrown;
    const char* expected;
  };
  const Case cases[] = {
      {"new Error('out of stock')", "threw out of stock"},
      {"new TypeError('bad')", "threw TypeError: bad"},
      {"'text'", "threw text"},
      {"42", "threw 42"},
      {"null", "threw null"},
      {"undefined", "threw undefined"},
      {"{ code: 7 }", "threw {\"code\":7}"},
      {"Symbol('s')", "threw Symbol(s)"},
      {"12n", "threw 12"},
      {"{ message: 'like an error', name: 'Mine' }", "threw Mine: like an error"},
      {"{ toJSON() { throw 1 } }", "threw #<Object>"},
      {"new DOMException('gone', 'NotFoundError')", "threw NotFoundError: gone"},
      {"Object.assign(new Error('x'), { name: 7 })", "threw x"},
  };
  TestWorker worker;
  for (const Case& c : cases) {
    EXPECT_EQ(worker.run(std::string("export default () => { throw ") + c.thrown + " }").summary(), c.expected)
        << c.thrown;
    EXPECT_EQ(worker.run(std::string("export default async () => { await null; throw ") + c.thrown + " }").summary(),
              c.expected)
        << c.thrown;
  }
}

TEST(ProtocolTest, ABreachEndsTheProcess) {
  const std::pair<const char*, std::string> cases[] = {
      {"a frame of no length", std::string(4, '\0')},
      {"a frame too long", std::string("\xff\xff\xff\x7f\x03", 5)},
      {"a kind of the worker's own", std::string("\x01\0\0\0\x20", 5)},
      {"an unknown kind", std::string("\x01\0\0\0\x63", 5)},
      {"a run without fields", std::string("\x01\0\0\0\x03", 5)},
      {"a load that is cut", std::string("\x03\0\0\0\x01\x05m", 7)},
      {"text that is no UTF-8", std::string("\x06\0\0\0\x01\x01\xff\x00\x00\x00", 10)},
  };
  for (const auto& [name, bytes] : cases) {
    TestWorker worker;
    worker.sendRaw(bytes);
    EXPECT_EQ(worker.wait(), 2) << name;
  }
}

TEST(ProtocolTest, ARunWithinARunIsABreach) {
  TestWorker worker;
  const TestWorker::Host host = [](TestWorker& to, uint32_t, const std::string&, const std::string&) {
    to.send(FrameKind::run, [](Writer& out) { out.u64(9); });
  };
  EXPECT_EQ(worker.run({.code = "export default (event, ctx) => ctx.db.find('x')", .host = host}).summary(), "ended");
  EXPECT_EQ(worker.wait(), 2);
}

TEST(ProtocolTest, EndsWithItsServer) {
  TestWorker waiting;
  waiting.hangUp();
  EXPECT_EQ(waiting.wait(), 0);
  // Also during a run, when it next reads.
  TestWorker running;
  running.load("m", "export default (event, ctx) => ctx.db.find('x')");
  const TestWorker::Host host = [](TestWorker& to, uint32_t, const std::string&, const std::string&) { to.hangUp(); };
  EXPECT_EQ(running.runModule("m", {.host = host}).summary(), "ended");
  EXPECT_EQ(running.wait(), 0);
}

TEST(ProtocolTest, TakesLargeFramesInPiecesAndGivesThemBack) {
  TestWorker worker;
  const std::string large(5'000'000, 'x');
  worker.load("m", "export default (event) => event.length");
  EXPECT_EQ(worker.runModule("m", {.event = [&](Writer& out) { out.string(large); }}).summary(), "done 5000000");
  worker.load("echo", "export default (event) => event");
  const Outcome echoed = worker.runModule("echo", {.event = [&](Writer& out) { out.string(large); }});
  EXPECT_EQ(echoed.result, "\"" + large + "\"");
  EXPECT_EQ(worker.runModule("m", {.event = [](Writer& out) { out.string("ab"); }}).summary(), "done 2");
}

}  // namespace

}  // namespace mb::worker
