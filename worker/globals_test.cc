// The globals that exist, and those that do not; timers and microtasks.
#include <gmock/gmock.h>

#include "api_fixture.h"

namespace mb::worker {

namespace {

TEST(GlobalsTest, GlobalsThatExistAndThatDoNot) {
  const Expression cases[] = {
      {"['console', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'structuredClone', "
       "'crypto', "
       "'setTimeout', 'clearTimeout', 'queueMicrotask', 'DOMException', 'CryptoKey', 'Intl', 'WeakRef', "
       "'FinalizationRegistry', 'Atomics', 'BigInt64Array', 'globalThis'].filter((n) => !(n in globalThis))",
       "[]"},
      {"['process', 'require', 'module', 'fetch', 'WebAssembly', 'SharedArrayBuffer', 'Buffer', 'Deno', 'window', "
       "'self', "
       "'XMLHttpRequest', 'WebSocket', 'Worker', 'importScripts', 'gc', 'd8', 'print', 'load', 'read', 'quit', "
       "'probe', "
       "'stripTypes', 'native', 'manybase'].filter((n) => n in globalThis)",
       "[]"},
      // The globals that the worker adds are not enumerable.
      {"Object.keys(globalThis)", "[]"},
      {"eval('1')", "threw EvalError: eval and Function are not there: text does not become code"},
      {"new Function('return 1')()", "threw EvalError: eval and Function are not there: text does not become code"},
      {"(async () => {}).constructor('return 1')",
       "threw EvalError: eval and Function are not there: text does not become code"},
      {"(function* () {}).constructor('yield 1')",
       "threw EvalError: eval and Function are not there: text does not become code"},
      {"setTimeout('1')", "threw TypeError: setTimeout takes a function"},
      {"import('fs')", "threw TypeError: There is nothing to import: a function is one module"},
      {"typeof import.meta.url", "\"undefined\""},
      {"this === undefined", "true"},
      {"Atomics.wait(new Int32Array(new ArrayBuffer(4)), 0, 0)",
       "threw TypeError: [object Int32Array] is not a shared typed array."},
      {"new Date(0).toString()", "\"Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)\""},
      {"Intl.DateTimeFormat().resolvedOptions().timeZone", "\"UTC\""},
      {"new Intl.NumberFormat('de-DE').format(1234.5)", "\"1.234,5\""},
      {"new Date(Date.UTC(2026, 6, 1, 12)).toLocaleString('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' })",
       "\"21:00\""},
      {"'ﬀ'.normalize('NFKC')", "\"ff\""},
      {"['i'.toLocaleUpperCase('tr'), 'ä'.localeCompare('z', 'sv') > 0]", "[\"İ\", true]"},
      // The level of the language, from ES2022.
      {"[[1, 2].at(-1), Object.hasOwn({ a: 1 }, 'a'), /a(?<n>b)/d.exec('ab').indices.groups.n, [1, 2, 3].findLast((x) "
       "=> x "
       "< 3), 'aXbX'.replaceAll('X', '-'), new Error('x', { cause: 1 }).cause, 1_000, null ?? 2]",
       "[2, true, [1, 2], 2, \"a-b-\", 1, 1000, 2]"},
      {"class A { static #n = 1; static { A.m = A.#n + 1 } #p() { return 3 } q() { return #p in this && this.#p() } } "
       "return "
       "[A.m, new A().q()]",
       "[2, 3]"},
      {"[[].toSorted, Object.groupBy, Promise.withResolvers, new Set().union].filter((f) => f !== undefined)", "[]"},
      {"Object.prototype.toString.call(new DOMException())", "\"[object DOMException]\""},
      {"const e = new DOMException('m', 'AbortError'); return [String(e), e.code, typeof e.stack]",
       "[\"AbortError: m\", 20, \"string\"]"},
  };
  expectEach(cases);
}

TEST(GlobalsTest, Timers) {
  const Expression cases[] = {
      {"const seen = []; setTimeout(() => seen.push('c'), 20); setTimeout(() => seen.push('b'), 1); setTimeout(() => "
       "seen.push('a')); await new Promise((r) => setTimeout(r, 40)); return seen",
       "[\"a\", \"b\", \"c\"]"},
      {"return new Promise((r) => setTimeout((...given) => r(given), 1, 'x', { y: 1 }))", "[\"x\", {y: 1}]"},
      {"const id = setTimeout(() => { throw new Error('cleared') }, 1); clearTimeout(id); clearTimeout(id); "
       "clearTimeout(undefined); clearTimeout(-7); await new Promise((r) => setTimeout(r, 5)); return typeof id",
       "\"number\""},
      {"setTimeout(() => { throw new RangeError('in a timer') }, 1); return new Promise((r) => setTimeout(r, 50))",
       "threw RangeError: in a timer"},
      {"const t = Date.now(); await new Promise((r) => setTimeout(r, 30)); return Date.now() - t >= 29", "true"},
      {"return await new Promise((r) => setTimeout(r, NaN, 1)) + await new Promise((r) => setTimeout(r, -5, 2)) + "
       "await new "
       "Promise((r) => setTimeout(r, '1', 3))",
       "6"},
      {"for (let i = 0; i < 1000; i++) setTimeout(() => {}, 1e9); try { setTimeout(() => {}, 1) } catch (e) { return "
       "e.message }",
       "\"Too many timers wait at the same time\""},
      {"let n = 0; for (let i = 0; i < 3000; i++) await new Promise((r) => setTimeout(r)); return 'done'", "\"done\""},
      {"const seen = []; queueMicrotask(() => seen.push(1)); Promise.resolve().then(() => seen.push(2)); seen.push(0); "
       "await "
       "null; await null; return seen",
       "[0, 1, 2]"},
      {"queueMicrotask(1)", "threw TypeError: queueMicrotask takes a function"},
      {"queueMicrotask(() => { throw new Error('in a microtask') }); await new Promise((r) => setTimeout(r, 5)); "
       "return 1",
       "threw in a microtask"},
  };
  expectEach(cases);
}

TEST(GlobalsTest, TimersSetWhileAReplyIsAwaited) {
  TestWorker worker;
  const TestWorker::Host late = [](TestWorker&, uint32_t, const std::string&, const std::string&) {};
  const Outcome outcome = worker.run({.code = R"(export default async (event, ctx) => {
    const first = await Promise.race([ctx.db.find("slow"), new Promise((r) => setTimeout(r, 20, "timer"))]);
    return first;
  })",
                                      .host = late});
  EXPECT_EQ(outcome.summary(), "done \"timer\"");
  EXPECT_THAT(outcome.calls, testing::SizeIs(1));
}

}  // namespace

}  // namespace mb::worker
