// Promises that are rejected without a handler: logged at the end of their run, and of no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.h"

namespace mb::worker {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string body(const std::string& statements) {
  return "export default async (event, ctx) => {\n" + statements + "\n}";
}

TEST(RejectionsTest, WhatNobodyHandledIsALine) {
  TestWorker worker;
  const std::pair<const char*, const char*> cases[] = {
      {"Promise.reject(new TypeError('no'));", "error: Unhandled rejection: TypeError: no\nat default (2:16)"},
      {"Promise.reject('plain');", "error: Unhandled rejection: plain"},
      {"Promise.reject({ code: 7 });", "error: Unhandled rejection: {\"code\":7}"},
      {"(async () => { await null; throw new Error('later'); })(); await null; await null;",
       "error: Unhandled rejection: later\nat 2:34"},
      {"Promise.reject(1).then(() => 2);", "error: Unhandled rejection: 1"},
      {"Promise.reject(1).finally(() => {});", "error: Unhandled rejection: 1"},
      {"setTimeout(() => Promise.reject('timed'), 1); await new Promise((done) => setTimeout(done, 20));",
       "error: Unhandled rejection: timed"},
      {"ctx.db.find('posts'); await new Promise((done) => setTimeout(done, 20));",
       "error: Unhandled rejection: refused"},
  };
  for (const auto& [statements, line] : cases) {
    const Outcome outcome = worker.run(
        {.code = body(statements), .host = [](TestWorker& to, uint32_t call, const std::string&, const std::string&) {
           to.reject(call, "FORBIDDEN", "refused");
         }});
    EXPECT_EQ(outcome.summary(), "done undefined") << statements;
    EXPECT_THAT(outcome.logs, ElementsAre(testing::StartsWith(line))) << statements;
  }
}

TEST(RejectionsTest, HandledRejectionsAreNotLogged) {
  TestWorker worker;
  const char* cases[] = {
      "await Promise.reject(1).catch(() => {});",
      "try { await Promise.reject(1); } catch {}",
      // Handled later, but within the run.
      "const late = Promise.reject(1); await null; await null; await late.catch(() => {});",
      "const all = [1, 2, 3].map((n) => Promise.reject(n)); await Promise.allSettled(all);",
      "await Promise.race([Promise.resolve(1), Promise.reject(2)]);",
      "await Promise.any([Promise.reject(1), Promise.resolve(2)]);",
      "const a = Promise.reject(1); await new Promise((b) => setTimeout(() => { a.catch(b); b(); }, 5));",
  };
  for (const char* statements : cases) {
    const Outcome outcome = worker.run(body(statements));
    EXPECT_EQ(outcome.summary(), "done undefined") << statements;
    EXPECT_THAT(outcome.logs, IsEmpty()) << statements;
  }
}

TEST(RejectionsTest, TheErrorOfTheRunIsNotLoggedTwice) {
  TestWorker worker;
  for (const char* code : {"export default async () => { throw new Error('end'); }",
                           "export default () => Promise.reject(new Error('end'))",
                           "export default () => ({ then(_, no) { no(new Error('end')); } })"}) {
    const Outcome outcome = worker.run(code);
    EXPECT_EQ(outcome.summary(), "threw end") << code;
    EXPECT_THAT(outcome.logs, IsEmpty()) << code;
  }
  const Outcome both = worker.run("export default async () => { Promise.reject('beside'); throw new Error('end'); }");
  EXPECT_EQ(both.summary(), "threw end");
  EXPECT_THAT(both.logs, ElementsAre("error: Unhandled rejection: beside"));
  const Outcome loading = worker.run("Promise.reject('while loading');\nexport default () => 1");
  EXPECT_EQ(loading.summary(), "done 1");
  EXPECT_THAT(loading.logs, ElementsAre("error: Unhandled rejection: while loading"));
}

TEST(RejectionsTest, AreBoundedAndOfOneRun) {
  TestWorker worker;
  const Outcome many = worker.run(body("for (let i = 0; i < 100000; i++) Promise.reject(i);"));
  EXPECT_EQ(many.summary(), "done undefined");
  EXPECT_EQ(many.logs.size(), clone::kMaxLogLines);
  EXPECT_EQ(many.logs.back(), "error: Unhandled rejection: 199");
  // Earlier lines count as well.
  const Outcome full =
      worker.run(body("for (let i = 0; i < 199; i++) console.log(i); Promise.reject(1); Promise.reject(2);"));
  EXPECT_EQ(full.logs.size(), clone::kMaxLogLines);
  EXPECT_EQ(full.logs.back(), "error: Unhandled rejection: 1");
  EXPECT_THAT(worker.run(body("return;")).logs, IsEmpty());
}

TEST(RejectionsTest, ReasonsMayBeHostile) {
  TestWorker worker;
  const Outcome endless = worker.run(
      {.code = body("Promise.reject({ toJSON() { for (;;); } });"), .timeout = std::chrono::milliseconds(200)});
  EXPECT_EQ(endless.summary(), "timed out");
  const Outcome getters = worker.run(body(
      "Promise.reject(Object.defineProperty(new Error('x'), 'message', { get() { Promise.reject(1); throw 2; } }));"));
  EXPECT_EQ(getters.summary(), "done undefined");
  EXPECT_EQ(getters.logs.size(), 1u);
  EXPECT_EQ(worker.run(body("return 'well'")).summary(), "done \"well\"");
}

}  // namespace

}  // namespace mb::worker
