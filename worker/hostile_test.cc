// Hostile programs, and how each ends. The worker continues with the next program, unless its process has ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

using std::chrono::milliseconds;

// The end of a program. A run that is out of memory may end its process, or exceed its time before: both count as
// outOfMemory. `stuck`: in a loop of the engine that cannot be interrupted, so its process ends.
enum class End { done, threw, timedOut, outOfMemory, neverSettles, notCloneable, tooLarge, notLoadable, stuck };

struct Hostile {
  const char* name;
  const char* body;  // of the handler (event, ctx)
  End end;
  const char* expected = "";  // a part of the result or message
};

const Hostile kLoops[] = {
    {"for", "for (;;);", End::timedOut},
    {"while with work", "let n = 0; while (true) n += Math.sqrt(n);", End::timedOut},
    {"try and finally", "for (;;) { try { for (;;); } catch { continue } finally { continue } }", End::timedOut},
    {"finally that loops", "try { throw 1 } finally { for (;;); }", End::timedOut},
    {"recursion caught again and again", "const f = () => { try { f() } catch { f() } }; f()", End::timedOut},
    {"await null", "for (;;) await null;", End::timedOut},
    {"microtasks that make microtasks", "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})",
     End::outOfMemory},
    {"queueMicrotask", "const f = () => queueMicrotask(f); f()", End::timedOut},
    {"microtasks doubled", "const f = () => { queueMicrotask(f); queueMicrotask(f) }; f()", End::timedOut},
    {"async recursion", "const f = async () => { await f() }; await f()", End::threw, "RangeError"},
    {"thenable that never ends", "const t = { then(r) { r(t) } }; await t", End::timedOut},
    {"async generator", "async function* g() { for (;;) yield 1 } for await (const x of g());", End::timedOut},
    {"sort's comparator", "[3, 2, 1].sort(() => { for (;;); })", End::timedOut},
    {"replace's callback", "'a'.replace(/a/, () => { for (;;); })", End::timedOut},
    {"toString", "`${{ toString() { for (;;); } }}`", End::timedOut},
    {"Symbol.toPrimitive", "+{ [Symbol.toPrimitive]() { for (;;); } }", End::timedOut},
    {"iterator", "[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }]", End::outOfMemory},
    {"for of an endless iterator", "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });",
     End::timedOut},
    {"getter of the result", "return { get a() { for (;;); } }", End::timedOut},
    {"getter of an argument", "ctx.db.find({ get a() { for (;;); } })", End::timedOut},
    {"getter of a line", "console.log({ get a() { for (;;); } })", End::timedOut},
    {"toJSON of a line", "console.log({ toJSON() { for (;;); } })", End::timedOut},
    {"getter of what is thrown", "throw { get message() { for (;;); } }", End::timedOut},
    {"stack of what is thrown", "throw Object.defineProperty(new Error('x'), 'stack', { get() { for (;;); } })",
     End::timedOut},
    {"prepareStackTrace", "Error.prepareStackTrace = () => { for (;;); }; throw new Error('x')", End::timedOut},
    {"then of the result", "return { get then() { for (;;); } }", End::timedOut},
    {"proxy traps", "return { ...new Proxy({}, { ownKeys() { for (;;); } }) }", End::timedOut},
    {"regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')", End::timedOut},
    {"regular expression with look-behind", "/(?<=(x+x+)+y)z/.test('x'.repeat(64))", End::done},
    {"regular expression in a split", "'a'.repeat(50).split(/(a*)*b/)", End::timedOut},
    {"BigInt powers", "let n = 3n; for (;;) n *= n;", End::timedOut},
    {"BigInt to text", "(2n ** 4000000n).toString(); for (;;);", End::timedOut},
    {"Date in a loop", "while (new Date().getTime() < Infinity);", End::timedOut},
    {"timers that make timers", "const f = () => setTimeout(f); f(); await new Promise(() => {})", End::timedOut},
    {"a timer that loops", "setTimeout(() => { for (;;); }); await new Promise(() => {})", End::timedOut},
    {"Atomics.wait", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", End::threw, "SharedArrayBuffer"},
    {"structuredClone of a getter", "structuredClone({ get a() { for (;;); } })", End::timedOut},
    {"URLSearchParams of an endless list",
     "new URLSearchParams({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: ['a', 'b'] }) }) })",
     End::outOfMemory},
    {"Array.from of a length", "Array.from({ length: 4294967295 }, () => 0)", End::outOfMemory},
    {"join of a sparse array", "const a = []; a[4294967294] = 1; a.join()", End::stuck},
    {"indexOf of what has no end", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", End::stuck},
    {"fill of what has no end", "Array.prototype.fill.call(new Proxy({ length: 2 ** 53 - 1 }, { set: () => true }), 1)",
     End::timedOut},
    {"WeakRef and garbage", "for (;;) new WeakRef({})", End::timedOut},
    {"finalizers",
     "const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1e5; i++) r.register({}, 1)",
     End::done},
};

const Hostile kMemory[] = {
    {"arrays of arrays", "const a = []; for (;;) a.push(new Array(1000).fill(1))", End::outOfMemory},
    {"one array", "const a = []; for (;;) a.push(a.length)", End::outOfMemory},
    {"new Array", "new Array(50_000_000).fill({})", End::outOfMemory},
    {"doubled text", "let s = 'x'; for (;;) s += s", End::threw, "RangeError"},
    {"doubled text, flattened", "let s = 'xy'; for (;;) { s += s; s.charCodeAt(1); }", End::outOfMemory},
    {"repeat and split", "const a = []; for (;;) a.push('ab'.repeat(2 ** 20).split(''))", End::outOfMemory},
    {"padded text", "const a = []; for (let i = 0; ; i++) a.push(`${i}`.padEnd(100000, i) + 'x'.charCodeAt(0))",
     End::outOfMemory},
    {"array buffers", "const a = []; for (;;) a.push(new Uint8Array(16 << 20))", End::threw,
     "Array buffer allocation failed"},
    {"array buffers, caught", "const a = []; for (;;) { try { a.push(new Uint8Array(16 << 20)) } catch {} }",
     End::timedOut},
    {"one array buffer", "new ArrayBuffer(2 ** 40)", End::threw, "RangeError"},
    {"a million small buffers", "const a = []; for (;;) a.push(new ArrayBuffer(16))", End::outOfMemory},
    {"buffers that are dropped", "for (let i = 0; i < 100; i++) new Uint8Array(8 << 20); return 'fine'", End::done,
     "fine"},
    {"map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})", End::outOfMemory},
    {"set of text", "const s = new Set(); for (let i = 0; ; i++) s.add('k' + i)", End::outOfMemory},
    {"weak map that keeps all", "const w = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); w.set(o, o) }",
     End::outOfMemory},
    {"symbols", "const a = []; for (;;) a.push(Symbol('x'.repeat(100)))", End::outOfMemory},
    {"properties", "const o = {}; for (let i = 0; ; i++) o['k' + i] = i", End::outOfMemory},
    {"closures", "const a = []; for (;;) { const big = new Array(100).fill(0); a.push(() => big) }", End::outOfMemory},
    {"promises", "const a = []; for (;;) a.push(new Promise(() => {}))", End::outOfMemory},
    {"async functions that wait",
     "const a = []; const f = async () => { await new Promise(() => {}) }; for (;;) a.push(f())", End::outOfMemory},
    {"BigInt", "const a = []; for (let n = 2n ** 100000n; ; n += 1n) a.push(n)", End::outOfMemory},
    {"one BigInt", "2n ** (2n ** 40n)", End::threw, "RangeError"},
    {"regular expression's size", "new RegExp('(?:a{1000}){1000}'.repeat(10)).test('a')", End::done},
    {"regular expression's captures", "new RegExp('()'.repeat(70000))", End::threw, "SyntaxError"},
    {"matches", "const a = []; for (;;) a.push([...'ab'.repeat(1000).matchAll(/a/g)])", End::outOfMemory},
    {"JSON text", "const a = new Array(1e6).fill(1); const b = []; for (;;) b.push(JSON.stringify(a))",
     End::outOfMemory},
    {"JSON.parse", "JSON.parse('[' + '{},'.repeat(3_000_000) + '1]')", End::outOfMemory},
    {"JSON.parse, deep", "JSON.parse('['.repeat(100_000))", End::threw, "SyntaxError"},
    {"structuredClone, again and again", "let v = [1]; for (;;) v = structuredClone([...v, ...v])", End::outOfMemory},
    {"TextEncoder", "const e = new TextEncoder(), a = []; for (;;) a.push(e.encode('x'.repeat(1 << 20)))", End::threw,
     "Array buffer allocation failed"},
    {"TextEncoder of much", "new TextEncoder().encode('x'.repeat(2 ** 28))", End::threw, "RangeError"},
    {"atob", "atob('A'.repeat(2 ** 29 - 100))", End::outOfMemory},
    {"URL", "new URL('http://h/' + 'x'.repeat(2 ** 28))", End::threw, "RangeError"},
    {"Intl", "const a = []; for (;;) a.push(new Intl.NumberFormat('de'))", End::outOfMemory},
    {"errors with causes", "let e; for (;;) e = new Error('x', { cause: e })", End::outOfMemory},
    {"stack traces",
     "Error.stackTraceLimit = Infinity; const a = []; const f = (n) => n ? f(n - 1) : a.push(new Error('x')); "
     "for (;;) f(1000)",
     End::outOfMemory},
    {"timers' arguments",
     "for (let i = 0; i < 1000; i++) setTimeout(() => {}, 1e6, new Array(20000).fill(i)); return 1", End::outOfMemory},
};

const Hostile kDepth[] = {
    {"recursion", "const f = () => f() + 1; f()", End::threw, "RangeError"},
    {"recursion of getters", "const o = { get a() { return this.a } }; o.a", End::threw, "RangeError"},
    {"recursion by proxies", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x", End::threw,
     "RangeError"},
    {"recursion by bind", "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f()", End::done,
     "1"},
    {"recursion by toString", "const o = { toString() { return `${o}` } }; `${o}`", End::threw, "RangeError"},
    {"recursion in JSON", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)", End::threw,
     "RangeError"},
    {"recursion in a line", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a); return 1", End::done,
     "1"},
    {"recursion in structuredClone", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; structuredClone(a)",
     End::threw, "RangeError"},
    {"recursion in the result", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a", End::notCloneable,
     "100"},
    {"recursion in an argument", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; await ctx.db.find(a)", End::threw,
     "100"},
    {"recursion in a regular expression", "new RegExp('('.repeat(50000) + ')'.repeat(50000))", End::done},
    {"recursion through the console", "const o = { toJSON() { console.log(o); return 1 } }; console.log(o); return 1",
     End::done, "1"},
    {"recursion of concatenation",
     "let s = 'x'; for (let i = 0; i < 1e4; i++) s = s + 'y' + s.length; return s.charCodeAt(9)", End::done, ""},
    {"prototype chain", "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); return typeof o.nothing",
     End::done, "undefined"},
};

const Hostile kBridge[] = {
    {"a hundred thousand calls", "for (let i = 0; i < 1e5; i++) ctx.db.find('c').catch(() => {}); return 'over'",
     End::done, "over"},
    {"calls one after the other", "for (;;) await ctx.db.find('c')", End::threw, "More than 1000 calls"},
    {"calls that are caught", "for (;;) try { await ctx.db.find('c') } catch {}", End::timedOut},
    {"large arguments", "for (let i = 0; ; i++) await ctx.db.insertOne('c', 'x'.repeat(2e6))", End::threw, "64 MiB"},
    {"too large an argument", "await ctx.db.insertOne('c', 'x'.repeat(3e6))", End::threw, "2 MiB"},
    {"a million lines", "for (let i = 0; i < 1e6; i++) console.log('x'.repeat(10000)); return 'over'", End::done,
     "over"},
    {"a long line", "console.log('x'.repeat(2 ** 28)); return 1", End::done, "1"},
    {"a line of much", "console.log(new Array(1e6).fill('xx')); return 1", End::done, "1"},
    {"a large result", "return 'x'.repeat(2 ** 28)", End::tooLarge},
    {"a sparse result", "const a = []; a[4294967294] = 1; return a", End::tooLarge},
    {"a wide result", "const o = {}; const k = 'x'.repeat(1000); for (let i = 0; i < 1e4; i++) o[k + i] = i; return o",
     End::tooLarge},
    {"results of shared parts", "let a = ['x'.repeat(1000)]; for (let i = 0; i < 60; i++) a = [a, a]; return a",
     End::tooLarge},
    {"a call without a run", "setTimeout(() => ctx.db.find('late'), 1); return 1", End::done, "1"},
    {"what never comes", "await new Promise(() => {})", End::neverSettles},
    {"a promise of itself", "let r; const p = new Promise((x) => r = x); r(p); await p", End::threw, "TypeError"},
};

const Hostile kTricks[] = {
    {"constructor of the handler", "return ctx.constructor.constructor('return 1')()", End::threw, "EvalError"},
    {"constructor of a native", "return console.log.constructor('return 1')()", End::threw, "EvalError"},
    {"constructor of the bridge", "return ctx.db.find.constructor('return 1')()", End::threw, "EvalError"},
    {"constructor of a promise of the bridge",
     "const p = ctx.db.find(1); return p.constructor.constructor('return 1')()", End::threw, "EvalError"},
    {"eval by another name", "const e = eval; return (0, e)('1')", End::threw, "EvalError"},
    {"caller and arguments", "return [typeof ctx.db.find.caller]", End::threw, "TypeError"},
    {"prepareStackTrace sees functions",
     "Error.prepareStackTrace = (e, s) => s.map((c) => typeof c.getFunction()).join(); "
     "return new Error('x').stack",
     End::done, "undefined"},
    {"prototype of what is passed",
     "Object.prototype.injected = 1; Object.defineProperty(Object.prototype, 'db', { set() { "
     "throw 'seen' }, configurable: true }); return Object.keys(ctx).length",
     End::done, ""},
    {"promise replaced",
     "globalThis.Promise = class { static resolve() { throw 1 } }; return (await ctx.db.find(1)) === null", End::done,
     "true"},
    {"then of Promise.prototype", "Promise.prototype.then = function () { throw 'seen' }; return 5", End::done, "5"},
    {"then of Object.prototype", "Object.prototype.then = function (r) { r(7) }; return { a: 1 }", End::done, "7"},
    {"toJSON of Object.prototype", "Object.prototype.toJSON = () => 'spoilt'; console.log({}); return { a: 1 }",
     End::done, "{a: 1}"},
    {"iterator of Array.prototype",
     "Array.prototype[Symbol.iterator] = null; return (await ctx.db.find(1, 2)) === null", End::done, "true"},
    {"setter of array items",
     "Object.defineProperty(Array.prototype, 0, { set() { throw 'seen' }, configurable: true }); "
     "await ctx.db.find('x'); return new URL('http://h').host",
     End::done, "h"},
    {"frozen globals",
     "for (const n of Object.getOwnPropertyNames(globalThis)) try { Object.freeze(globalThis[n]) } catch {} "
     "return 1",
     End::done, "1"},
    {"deleted globals",
     "for (const n of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[n] } catch {} return [(await "
     "ctx.db.find(1)) === null]",
     End::done, "true"},
    {"console taken apart", "console.log = null; globalThis.console = null; return 1", End::done, "1"},
    {"natives called for others", "return URL.prototype.toString.call(Object.create(URL.prototype))", End::threw,
     "TypeError"},
    {"natives constructed", "return new setTimeout(() => {})", End::threw, "TypeError"},
    {"a detached buffer",
     "const b = new Uint8Array(8); structuredClone(b.buffer, { transfer: [b.buffer] }); "
     "crypto.getRandomValues(b); return [new TextDecoder().decode(b), b.length]",
     End::done, "[\"\", 0]"},
    {"a buffer detached by a getter",
     "const b = new Uint8Array(8); return new TextDecoder('utf-8', {}).decode(b, { get "
     "stream() { structuredClone(b.buffer, { transfer: [b.buffer] }); return false } })",
     End::done, ""},
    {"an array that shrinks while it is passed", "const a = [{ get x() { a.length = 0; return 1 } }, 2, 3]; return a",
     End::done, "[{x: 1}, undefined, undefined]"},
    {"an object that changes while it is passed",
     "const o = { get a() { delete o.b; o.c = 1; return 1 }, b: 2 }; return o", End::done, "{a: 1, b: undefined}"},
    {"a map that grows while it is passed", "const m = new Map([[{ get x() { m.set(9, 9); return 1 } }, 1]]); return m",
     End::done, "Map({x: 1}: 1)"},
    {"names of the host's objects", "return [typeof process, typeof require, typeof global, typeof Deno, typeof fetch]",
     End::done, "\"undefined\", \"undefined\", \"undefined\", \"undefined\", \"undefined\""},
    {"import", "return import('node:fs')", End::threw, "nothing to import"},
    {"import of data", "return import('data:text/javascript,export default 1')", End::threw, "nothing to import"},
    {"intrinsics", "return typeof globalThis['%DebugPrint']", End::done, "undefined"},
    {"WebAssembly", "return new WebAssembly.Module(new Uint8Array(8))", End::threw, "WebAssembly"},
    {"an exception that is none", "throw Object.create(null)", End::threw, "{}"},
    {"an exception of a revoked proxy", "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
     End::threw, ""},
};

const Hostile kTopLevel[] = {
    {"a loop", "for (;;);", End::timedOut},
    {"a bomb", "const a = []; for (;;) a.push(new Array(1000).fill(1))", End::outOfMemory},
    {"what never comes", "await new Promise(() => {});", End::notLoadable, "never settles"},
    {"an exception", "throw new Error('at the top');", End::notLoadable, "at the top"},
    {"import", "import 'fs';", End::notLoadable, "nothing to import"},
    {"export from", "export * from 'fs';", End::notLoadable, "nothing to import"},
    {"a syntax error", "return (;", End::notLoadable, "SyntaxError"},
    {"brackets", nullptr, End::notLoadable, ""},
};

std::string nameOf(End end) {
  constexpr const char* kNames[] = {"done",          "threw",     "timed out",    "out of memory", "never settles",
                                    "not cloneable", "too large", "not loadable", "ended"};
  return kNames[static_cast<int>(end)];
}

class HostileTest : public testing::Test {
 protected:
  // Programs that end by themselves get enough time, also on a loaded machine.
  static milliseconds timeoutFor(End end) {
    if (end == End::timedOut || end == End::stuck) return milliseconds(300);
    return end == End::outOfMemory ? milliseconds(1000) : milliseconds(20'000);
  }

  void expect(const std::string& name, const std::string& code, End end, const char* expected) {
    if (!worker_) worker_.emplace();
    const Outcome outcome = worker_->run({.code = code, .timeout = timeoutFor(end)});
    const bool memory = end == End::outOfMemory;
    if (outcome.ended && (memory || end == End::stuck)) {
      // Ended by the engine (a trap), by the lack of address space, or by the watchdog.
      const int status = worker_->wait();
      EXPECT_TRUE(memory ? status != 0 : status == 5) << name << ": " << status;
    } else {
      // A memory bomb may exceed its time before it fills the memory.
      if (!(memory && outcome.summary() == "timed out"))
        EXPECT_THAT(outcome.summary(), testing::StartsWith(nameOf(end))) << name;
      EXPECT_THAT(outcome.summary(), testing::HasSubstr(expected)) << name;
    }
    EXPECT_LE(outcome.logs.size(), clone::kMaxLogLines) << name;
    EXPECT_LE(outcome.calls.size(), clone::kMaxCalls) << name;
    if (memory || outcome.ended) {
      worker_.reset();
    } else {
      EXPECT_EQ(worker_->run("export default () => 'alive'").summary(), "done \"alive\"") << "after " << name;
    }
  }

  template <size_t count>
  void expectEach(const Hostile (&cases)[count]) {
    for (const Hostile& c : cases) {
      expect(c.name, std::string("export default async (event, ctx) => {") + c.body + "\n}", c.end,
             c.end == End::outOfMemory ? "" : c.expected);
    }
  }

  std::optional<TestWorker> worker_;
};

TEST_F(HostileTest, Loops) {
  expectEach(kLoops);
}
TEST_F(HostileTest, Memory) {
  expectEach(kMemory);
}
TEST_F(HostileTest, Depth) {
  expectEach(kDepth);
}
TEST_F(HostileTest, Bridge) {
  expectEach(kBridge);
}
TEST_F(HostileTest, Tricks) {
  expectEach(kTricks);
}

TEST_F(HostileTest, TopLevel) {
  for (const Hostile& c : kTopLevel) {
    const std::string code = c.body == nullptr ? std::string(200'000, '[') : c.body;
    expect(c.name, code + "\nexport default () => 1", c.end, c.end == End::outOfMemory ? "" : c.expected);
  }
}

TEST_F(HostileTest, AtLeastAHundredPrograms) {
  EXPECT_GE(std::size(kLoops) + std::size(kMemory) + std::size(kDepth) + std::size(kBridge) + std::size(kTricks) +
                std::size(kTopLevel),
            100U);
}

TEST_F(HostileTest, TheSameWithMachineCode) {
  worker_.emplace("manybase-worker", std::vector<std::string>{"--jit"});
  for (const Hostile& c : kLoops) {
    if (c.end != End::timedOut) continue;
    expect(c.name, std::string("export default async (event, ctx) => {") + c.body + "\n}", c.end, c.expected);
  }
  EXPECT_THAT(worker_->confinement, testing::Not(testing::HasSubstr("jitless")));
}

}  // namespace

}  // namespace mb::worker
