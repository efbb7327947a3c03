// Values through a worker and back, and values that cannot be passed.
#include <gtest/gtest.h>

#include <span>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

using namespace std::string_view_literals;
using clone::Tag;
using clone::Writer;

struct Case {
  const char* code;  // an expression
  const char* expected;
};

void expectAll(TestWorker& worker, std::span<const Case> cases) {
  for (const Case& c : cases)
    EXPECT_EQ(worker.run(std::string("export default () => (") + c.code + "\n)").summary(), c.expected) << c.code;
}

TEST(ValuesTest, ValuesThatCanBePassed) {
  const Case cases[] = {
      {"undefined", "done undefined"},
      {"null", "done null"},
      {"[true, false]", "done [true, false]"},
      {"[0, -0, 1, -1, 2147483647, -2147483648]", "done [0, -0, 1, -1, 2147483647, -2147483648]"},
      {"[2147483648, 1.5, NaN, Infinity, -Infinity, 1e300, 2**53]",
       "done [2147483648, 1.5, NaN, Infinity, -Infinity, 1e+300, 9007199254740992]"},
      {"[0n, -1n, 2n**64n, -(2n**64n)]", "done [0n, -1n, 18446744073709551616n, -18446744073709551616n]"},
      {"10n**399n > 0n && (10n**3n)", "done 1000n"},
      {"['', 'aä€😀', 'a\\u0000b', '\\ud83d', 'x\\udc00y']",
       "done [\"\", \"aä€😀\", \"a\0b\", \"\xEF\xBF\xBD\", \"x\xEF\xBF\xBDy\"]"},
      {"new Date(86400000)", "done Date(86400000)"},
      {"new Date(NaN)", "done Date(NaN)"},
      {"[[], [1, [2, [3]]], [, 1]]", "done [[], [1, [2, [3]]], [undefined, 1]]"},
      {"({ a: 1, b: { c: undefined }, 2: 3, 'x y': null })", "done {2: 3, a: 1, b: {c: undefined}, x y: null}"},
      {"Object.create({ inherited: 1 }, { hidden: { value: 1 }, own: { value: 2, enumerable: true } })",
       "done {own: 2}"},
      {"({ [Symbol('s')]: 1, a: 2 })", "done {a: 2}"},
      {"JSON.parse('{\"__proto__\": {\"a\": 1}, \"constructor\": 2}')", "done {__proto__: {a: 1}, constructor: 2}"},
      {"new Map([['a', 1], [{ b: 2 }, new Set([3])]])", "done Map(\"a\": 1, {b: 2}: Set(3))"},
      {"new Set([1, 'a', [2]])", "done Set(1, \"a\", [2])"},
      {"/a\\/b+/gi", "done /a\\/b+/gi"},
      {"/x/dgimsuy", "done /x/dgimsuy"},
      {"new TypeError('bad')", "done TypeError(bad)"},
      {"Object.assign(new Error('x'), { name: 'Mine', more: 1 })", "done Mine(x)"},
      {"new Uint8Array([1, 2, 255])", "done Bytes(0102ff)"},
      {"new Uint8Array([1, 2, 3, 4]).subarray(1, 3)", "done Bytes(0203)"},
      {"new Uint8Array([9, 8]).buffer", "done Bytes(0908)"},
      {"new Uint16Array([258])", "done Bytes(0201)"},
      {"new DataView(new ArrayBuffer(2), 1)", "done Bytes(00)"},
      {"new Uint8Array(0)", "done Bytes()"},
      {"[new Number(1), new String('s'), new Boolean(false), Object(3n)]", "done [1, \"s\", false, 3n]"},
      {"({ get a() { return 1 } })", "done {a: 1}"},
      {"new (class Point { x = 1; #y = 2 })", "done {x: 1}"},
      {"(function () { return arguments })(1, 2)", "done {0: 1, 1: 2}"},
      {"Promise.resolve(7)", "done 7"},
      {"({ then(resolve) { resolve(8) } })", "done 8"},
      {"(() => { const a = { x: 1 }; return [a, a] })()", "done [{x: 1}, {x: 1}]"},
      {"globalThis.nothing", "done undefined"},
  };
  TestWorker worker;
  for (const Case& c : cases) {
    // One of them holds a NUL, which ends a literal.
    if (std::string_view(c.code).find("\\u0000") != std::string_view::npos) continue;
    EXPECT_EQ(worker.run(std::string("export default () => (") + c.code + "\n)").summary(), c.expected) << c.code;
  }
  EXPECT_EQ(worker.run("export default () => 'a\\u0000b'").result, std::string("\"a\0b\"", 5));
  EXPECT_EQ(worker.run("export default () => ['aä€😀', '\\ud83d', 'x\\udc00y']").result,
            "[\"aä€😀\", \"\xEF\xBF\xBD\", \"x\xEF\xBF\xBDy\"]");
}

TEST(ValuesTest, ValuesThatCannotBePassed) {
  const Case cases[] = {
      {"() => 1", "not cloneable The result cannot be passed: a function cannot be passed"},
      {"({ items: [{ done() {} }] })",
       "not cloneable The result cannot be passed: a function cannot be passed (items.0.done)"},
      {"class {}", "not cloneable The result cannot be passed: a function cannot be passed"},
      {"Symbol('s')", "not cloneable The result cannot be passed: a symbol cannot be passed"},
      {"Object(Symbol('s'))", "not cloneable The result cannot be passed: a symbol cannot be passed"},
      {"[Promise.resolve(1)]",
       "not cloneable The result cannot be passed: a promise cannot be passed: it was not awaited (0)"},
      {"[new Proxy({}, {})]", "not cloneable The result cannot be passed: a proxy cannot be passed (0)"},
      {"new WeakMap()", "not cloneable The result cannot be passed: a weak collection cannot be passed"},
      {"(() => { const a = {}; a.b = { a }; return a })()",
       "not cloneable The result cannot be passed: an object that holds itself (b.a)"},
      {"(() => { const a = []; a.push(a); return a })()",
       "not cloneable The result cannot be passed: an object that holds itself (0)"},
      {"(() => { const m = new Map(); m.set('m', m); return m })()",
       "not cloneable The result cannot be passed: an object that holds itself (0)"},
      {"10n ** 400n", "not cloneable The result cannot be passed: a BigInt of more than 400 digits cannot be passed"},
      {"({ get a() { throw new Error('getter') } })", "threw getter"},
      {"Object.defineProperty([], 0, { get() { throw new Error('item') } })", "threw item"},
      {"'x'.repeat(7_000_000)", "too large"},
      {"'ä'.repeat(4_000_000)", "too large"},
      {"new Uint8Array(7_000_000)", "too large"},
      {"Array.from({ length: 3_500_000 }, (_, i) => i)", "too large"},
      {"(() => { const a = []; a.length = 4294967295; return a })()", "too large"},
      {"Array(400).fill('x'.repeat(20_000))", "too large"},
  };
  TestWorker worker;
  expectAll(worker, cases);
  EXPECT_EQ(worker.run("export default () => 1").summary(), "done 1");
}

TEST(ValuesTest, ContainersInsideEachOther) {
  TestWorker worker;
  const auto nested = [](int depth) {
    return "export default () => { let v = 1; for (let i = 0; i < " + std::to_string(depth) +
           "; i++) v = [v]; return v }";
  };
  EXPECT_TRUE(worker.run(nested(100)).done);
  EXPECT_EQ(worker.run(nested(101)).reason, clone::FailReason::notCloneable);
  EXPECT_EQ(worker.run(nested(1'000'000)).reason, clone::FailReason::notCloneable);
}

TEST(ValuesTest, ValuesComeBackUnchanged) {
  const auto event = [](Writer& out) {
    out.tag(Tag::object);
    out.count(9);
    out.text("__proto__");
    out.integer(-5);
    out.text("real");
    out.real(1.25);
    out.text("big");
    out.tag(Tag::bigInt);
    out.text("-123456789012345678901234567890");
    out.text("date");
    out.date(5);
    out.text("bytes");
    out.bytes(std::string_view("\0\xff", 2));
    out.text("re");
    out.tag(Tag::regexp);
    out.text("a+");
    out.text("ixs");
    out.text("error");
    out.tag(Tag::error);
    out.text("TypeError");
    out.text("words");
    out.text("map");
    out.tag(Tag::map);
    out.count(1);
    out.string("k");
    out.tag(Tag::yes);
    out.text("set");
    out.tag(Tag::set);
    out.count(2);
    out.tag(Tag::undefined);
    out.tag(Tag::no);
  };
  TestWorker worker;
  EXPECT_EQ(worker.run({.code = "export default (event) => event", .event = event}).summary(),
            "done {__proto__: -5, real: 1.25, big: -123456789012345678901234567890n, date: Date(5), bytes: "
            "Bytes(00ff), re: /a+/is, error: TypeError(words), map: Map(\"k\": true), set: Set(undefined, false)}");
  EXPECT_EQ(worker
                .run({.code = "export default (e) => [e.bytes instanceof Uint8Array, e.date instanceof Date, e.map "
                              "instanceof Map, e.set.size, e.re.test('xAA'), e.error instanceof Error, typeof e.big, "
                              "Object.getPrototypeOf(e) === Object.prototype]",
                      .event = event})
                .summary(),
            "done [true, true, true, 2, true, true, \"bigint\", true]");
}

// Values that JSON can represent are read in another way than others.
TEST(ValuesTest, PlainValuesComeAsOthersDo) {
  const auto plain = [](Writer& out) {
    out.tag(Tag::object);
    out.count(8);
    out.text("__proto__");
    out.string("own");
    out.text("2");
    out.tag(Tag::null);
    out.text("1");
    out.tag(Tag::no);
    out.text("a\0\"\\\n\x1f\x7f"sv);
    out.string("\0\"\\\n\x1f\x7f/\u2028ä€😀"sv);
    out.text("numbers");
    out.tag(Tag::array);
    out.count(7);
    for (const double value : {0.0, -0.0, 1.5, 1e300, -5e-324, 9007199254740993.0}) out.real(value);
    out.integer(INT32_MIN);
    out.text("");
    out.tag(Tag::array);
    out.count(0);
    out.text("empty");
    out.tag(Tag::object);
    out.count(0);
    out.text("twice");
    out.tag(Tag::array);
    out.count(1);
    out.tag(Tag::object);
    out.count(2);
    out.text("a");
    out.tag(Tag::yes);
    out.text("a");
    out.integer(2);
  };
  const auto beside = [&](Writer& out) {
    out.tag(Tag::array);
    out.count(2);
    plain(out);
    out.tag(Tag::undefined);
  };
  TestWorker worker;
  const std::string alone = worker.run({.code = "export default (event) => event", .event = plain}).summary();
  EXPECT_EQ(worker.run({.code = "export default (event) => event[0]", .event = beside}).summary(), alone);
  EXPECT_EQ(worker
                .run({.code = "export default (e) => [Object.keys(e).join(), Object.getPrototypeOf(e) === "
                              "Object.prototype, Object.is(e.numbers[1], -0), e.numbers[4], e.twice[0].a]",
                      .event = plain})
                .summary(),
            "done [\"1,2,__proto__,a\0\\\"\\\\\\n\x1f\x7f,numbers,,empty,twice\", true, true, -5e-324, 2]"sv);
}

// Indexes whose low bits are all zero share one slot of the engine's string table, at a quadratic cost.
TEST(ValuesTest, ChosenIndexesAsKeysDoNotCollide) {
  constexpr uint32_t kKeys = 32'768;
  const auto keys = [](Writer& out) {
    out.tag(Tag::object);
    out.count(kKeys);
    for (uint32_t i = 0; i < kKeys; ++i) {
      out.text(std::to_string(i << 17));
      out.integer(static_cast<int32_t>(i));
    }
  };
  TestWorker worker;
  EXPECT_EQ(worker
                .run({.code = "export default (event) => [Object.keys(event).length, event[32767 * 131072]]",
                      .timeout = std::chrono::seconds(1),
                      .event = keys})
                .summary(),
            "done [32768, 32767]");
  // The reply to a call is read in the same way.
  EXPECT_EQ(worker
                .run({.code = "export default async (event, { db }) => Object.keys(await db.find('a')).length",
                      .timeout = std::chrono::seconds(1),
                      .host = [&](TestWorker& to, uint32_t call, const std::string&,
                                  const std::string&) { to.reply(call, keys); }})
                .summary(),
            "done 32768");
}

TEST(ValuesTest, IndexesAndNames) {
  const auto event = [](Writer& out) {
    const std::string_view keys[] = {"10", "2",  "4294967295", "4294967294", "007",
                                     "0",  "-1", "1.0",        "+1",         "4294967296"};
    out.tag(Tag::array);
    out.count(2);
    out.tag(Tag::undefined);
    out.tag(Tag::object);
    out.count(std::size(keys));
    for (const std::string_view key : keys) {
      out.text(key);
      out.string(key);
    }
  };
  TestWorker worker;
  EXPECT_EQ(worker
                .run({.code = "export default (e) => [Object.keys(e[1]).join(), Object.keys(e[1]).every((k) => "
                              "e[1][k] === k)]",
                      .event = event})
                .summary(),
            "done [\"0,2,10,4294967294,4294967295,007,-1,1.0,+1,4294967296\", true]");
}

TEST(ValuesTest, ACallWhoseArgumentsCannotBePassedIsRejected) {
  TestWorker worker;
  const Outcome outcome = worker.run(R"(export default async (event, { db }) => {
    const said = [];
    for (const bad of [() => 1, 'x'.repeat(3_000_000), Symbol()]) {
      try { await db.insertOne("c", { bad }) } catch (e) { said.push(e.code) }
    }
    try { db.insertOne("c", { get bad() { throw new TypeError("mine") } }) } catch (e) { said.push(e.message) }
    return said;
  })");
  EXPECT_EQ(outcome.summary(), R"(done ["DATA_CLONE", "LIMIT", "DATA_CLONE", "mine"])");
  EXPECT_TRUE(outcome.calls.empty());
}

}  // namespace

}  // namespace mb::worker
