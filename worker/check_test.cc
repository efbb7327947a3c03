// The check of code: errors and their positions, and the code that is left of TypeScript.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

struct Refused {
  const char* source;
  const char* problem;
};

TEST(CheckTest, JavaScriptThatCanRun) {
  TestWorker worker;
  const char* cases[] = {
      "export default async (event, ctx) => {}",
      "export default function handler() { return 1 }",
      "const h = () => 1; export { h as default }",
      "export default class {}",  // the kind of the export is only known when it runs
      "const wait = await Promise.resolve(1);\nexport default () => wait",
      "throw 1;\nexport default () => 1",  // nothing is evaluated
      "for (;;);\nexport default () => 1",
      "#!/usr/bin/env x\nexport default () => 1",
      "export default () => import('x')",
  };
  for (const char* source : cases) {
    const TestWorker::Checked checked = worker.check(source, false);
    EXPECT_TRUE(checked.well) << source << ": " << checked.problem;
    EXPECT_EQ(checked.code, source);
    EXPECT_EQ(checked.map, "");
  }
}

TEST(CheckTest, JavaScriptThatCannotRun) {
  TestWorker worker;
  const Refused cases[] = {
      {"", "0:0: There is no default export: the handler is one"},
      {"export const a = 1", "0:0: There is no default export: the handler is one"},
      {"export default () => {\n  const a = ;\n}", "2:13: Unexpected token ';'"},
      {"export default () => {", "1:23: Unexpected end of input"},
      {"let a;\nlet a;\nexport default () => 1", "2:5: Identifier 'a' has already been declared"},
      {"export default () => { with (a) {} }", "1:24: Strict mode code may not include a with statement"},
      {"return 1;\nexport default () => 1", "1:1: Illegal return statement"},
      {"export default 1;\nexport default 2", "2:8: Duplicate export of 'default'"},
      {"export { x };\nexport default () => 1", "1:10: Export 'x' is not defined in module"},
      {"export default (a: string) => a", "1:18: Unexpected token ':'"},
      {"const é = 'ä€😀'; const b = ;", "1:29: Unexpected token ';'"},
      {"\n  import fs from 'node:fs';\nexport default () => 1",
       "2:18: There is nothing to import: a function is one module (types alone can be imported, by import type)"},
      {"export default () => 1;\nexport * from 'x'",
       "2:15: There is nothing to import: a function is one module (types alone can be imported, by import type)"},
      {"/(/", "1:1: Invalid regular expression: /(/: Unterminated group"},
  };
  for (const Refused& c : cases) EXPECT_EQ(worker.check(c.source, false).problem, c.problem) << c.source;
}

TEST(CheckTest, TypeScriptLosesItsTypesAndKeepsItsLines) {
  TestWorker worker;
  const std::string source =
      "import type { Order } from './types';\n"
      "import { type Line } from './types';\n";
  EXPECT_THAT(worker.check(source + "export default () => 1", true).problem, testing::HasSubstr("nothing to import"));

  const std::pair<const char*, const char*> cases[] = {
      {"export default async (event: any, ctx: Ctx): Promise<number> => event as number", "done 5"},
      {"import type { A } from './a';\nimport type B from 'b';\nexport type { C } from 'c';\nexport default () => 1",
       "done 1"},
      {"interface A { a: string; b?: number }\ntype B = A & { c: 1 };\ndeclare const x: B;\nexport default () => 1",
       "done 1"},
      {"enum Level { low, high = 7, name = 'n' as any }\nexport default () => [Level.low, Level.high, Level[7]]",
       "done [0, 7, \"high\"]"},
      {"class P { constructor(private readonly a: number, public b = 2) {} sum(): number { return this.a + this.b } }\n"
       "export default () => new P(1).sum()",
       "done 3"},
      {"abstract class A<T> { abstract f(): T; protected x!: number; declare y: string; z?: number = 3 }\n"
       "class B extends A<number> { override f() { return this.z! } }\nexport default () => new B().f()",
       "done 3"},
      {"function f<T extends object>(this: void, x: T): x is T { return true }\nexport default () => f<{}>({})",
       "done true"},
      {"const a = <T,>(x: T): T => x; const b = <number>(<unknown>a(4));\nexport default () => b satisfies number",
       "done 4"},
      {"function over(a: string): void;\nfunction over(a: number): void;\nfunction over(a: any) { return a }\n"
       "export default () => over(9)",
       "done 9"},
      {"export default () => { let x: unknown = { a: { b: 1 } }; return (x as any)?.a!.b }", "done 1"},
      {"const t = 'a' as const; type K = `${typeof t}-x`;\nexport default (): K => `${t}-x`", "done \"a-x\""},
      {"declare namespace A { namespace B { const c: 1 } }\nconst namespace = 2; const module = namespace;\n"
       "export default () => module",
       "done 2"},
      {"export default (async () => 3) as unknown as (e: unknown) => Promise<number>", "done 3"},
  };
  for (const auto& [code, expected] : cases) {
    const TestWorker::Checked checked = worker.check(code, true);
    ASSERT_TRUE(checked.well) << code << ": " << checked.problem;
    EXPECT_EQ(std::ranges::count(checked.code, '\n'), std::ranges::count(std::string_view(code), '\n')) << code;
    EXPECT_THAT(checked.map, testing::HasSubstr("\"version\":3"));
    const auto five = [](clone::Writer& out) { out.integer(5); };
    EXPECT_EQ(worker.run({.code = checked.code, .event = five, .map = checked.map}).summary(), expected) << code;
  }
}

TEST(CheckTest, TypeScriptThatCannotRun) {
  TestWorker worker;
  const Refused cases[] = {
      {"let x: = 3", "1:8: Unexpected token"},
      {"interface A {\n  a: string\n", "3:1: Unexpectedly reached the end of input."},
      // The parser attempts several readings of a possible arrow function. The error of the longest one is reported.
      {"export default (e: any) => {\n  const o = { a: 1, b: };\n}", "2:24: Unexpected token"},
      {"export default (e: any) => `a${ 1 + `b`;\n", "1:41: Unterminated template"},
      {"export default async (e: A<B>): Promise<void> => {\n  const f = <T,>(a: T) => { return a +; };\n}",
       "2:39: Unexpected token"},
      {"const f = (a: string) => 'abc;\nexport default f", "1:26: Unterminated string constant"},
      {"export default (e: any) => { let enum = 3; }", "1:30: Unexpected strict mode reserved word"},
      // Errors of the engine, with positions in the original code.
      {"const a: number = 1, b: Map<string, number> = ;\nexport default () => 1", "1:47: Unexpected token"},
      {"let a: number;\nlet b: string, a: string;\nexport default () => 1",
       "2:16: Identifier 'a' has already been declared"},
      {"type A = 1;\n   import { b } from './b';\nexport default () => b",
       "2:22: There is nothing to import: a function is one module (types alone can be imported, by import type)"},
      {"declare namespace A { namespace B { const c: 1 } }\n  namespace D.E { export const f = 1 }\nexport default () "
       "=> 1",
       "2:3: A namespace is no place for code: only a declared one may stand"},
      {"export = 3", "0:0: There is no default export: the handler is one"},
      {"@dec class A {}\nexport default () => 1", "1:1: Invalid or unexpected token"},
  };
  for (const Refused& c : cases) EXPECT_EQ(worker.check(c.source, true).problem, c.problem) << c.source;
}

TEST(CheckTest, OutOfMemoryIsReported) {
  TestWorker worker;
  const auto wrong = worker.check("let x = ;", false);
  EXPECT_EQ(wrong.reason, clone::FailReason::threw);
  const auto full = worker.check(
      "const all = []; for (;;) all.push(new Array(1000).fill(all.length));\nexport default () => 1", false, true);
  EXPECT_EQ(full.problem, "0:0: out of memory: a run has 64 MiB");
  EXPECT_EQ(full.reason, clone::FailReason::outOfMemory);
}

TEST(CheckTest, PositionsInTypeScriptAreThoseOfTheSource) {
  TestWorker worker;
  // The call comes after types that the running code does not contain.
  const std::string source =
      "enum E { a, b }\n"
      "export default (event: Record<string, unknown>, ctx: { db: unknown }): void => {\n"
      "  const n: Array<Map<string, number>> = [], m: string | undefined = undefined; (m as any as string).trim();\n"
      "}\n";
  const TestWorker::Checked checked = worker.check(source, true);
  ASSERT_TRUE(checked.well) << checked.problem;
  const Outcome outcome = worker.run({.code = checked.code, .map = checked.map});
  EXPECT_EQ(outcome.summary(), "threw TypeError: Cannot read properties of undefined (reading 'trim')");
  EXPECT_EQ(outcome.stack, "at default (3:101)");
}

TEST(CheckTest, EvaluatesOnlyOnRequest) {
  TestWorker worker;
  const Refused cases[] = {
      {"throw new Error('at the top');\nexport default () => 1", "1:7: at the top"},
      {"export default 1", "0:0: There is no default export that is a function"},
      {"for (;;);\nexport default () => 1", "0:0: The check takes too long"},
  };
  for (const Refused& c : cases) {
    EXPECT_EQ(worker.check(c.source, false, true).problem, c.problem) << c.source;
    EXPECT_TRUE(worker.check(c.source, false, false).well) << c.source;
  }
  const TestWorker::Checked quiet = worker.check("console.log('x');\nexport default () => 1", false, true);
  EXPECT_TRUE(quiet.well) << quiet.problem;
}

TEST(CheckTest, HostileSourcesEnd) {
  std::optional<TestWorker> worker(std::in_place);
  std::string many = "export default () => 1;";
  for (int i = 0; i < 20'000; ++i) many += "const v" + std::to_string(i) + ": number = 1;\n";
  const std::string sources[] = {
      std::string(200'000, '['),
      std::string(200'000, '('),
      std::string(200'000, '<'),
      std::string(200'000, '{'),
      std::string(200'000, '`'),
      "export default " + std::string(100'000, '!') + "1",
      "type A = " + std::string(100'000, '['),
      "let a: " + std::string(50'000, '('),
      "export default () => 1; //" + std::string(200'000, 'x'),
      std::string(200'000, '\0'),
      many,
      "export default () => `" + std::string(1000, '$') + "{`",
  };
  for (const std::string& source : sources) {
    for (const bool typescript : {false, true}) {
      const TestWorker::Checked checked = worker->check(source, typescript);
      EXPECT_TRUE(checked.well || !checked.problem.empty()) << source.substr(0, 20) << typescript;
      EXPECT_LE(checked.problem.size(), 8192U);
      // After that the process must be ended.
      if (checked.problem.find("out of memory") != std::string::npos) worker.emplace();
    }
  }
  EXPECT_TRUE(worker->check("export default () => 1", true).well);
}

}  // namespace

}  // namespace mb::worker
