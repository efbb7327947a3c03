// Descriptions of the fields of functions and their runs.
#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr std::string_view kFunctionTiming = R"({"enum": ["pre", "post"]})";

constexpr FieldDoc kFunctionFieldDocs[] = {
    {"Function.code", "The module, as it was written.", R"("export default async (event, ctx) => event.type;")"},
    {"Function.flow", "The flow that the code was generated from; null for code written by hand.", "null"},
    {"Function.name", "Its name, unique in the project.", R"("greet")"},
    {"Function.tests", "Its stored tests.", R"([{"name": "greets", "event": {"type": "manual"}, "expect": {}}])"},
    {"Function.timing", "Inside the write, or after it.", R"("post")", kFunctionTiming},
    {"Function.version", "Its current version.", "1"},
    {"FunctionInvocation.payload", "Becomes `event.payload`.", R"({"name": "Ada"})"},
    {"FunctionPatch.code", "The module, TypeScript or JavaScript.", R"("export default () => 1;")",
     R"({"maxLength": 262144})"},
    {"FunctionPatch.flow", "Nodes and edges; null for code written by hand.", R"({"nodes": [], "edges": []})"},
    {"FunctionPatch.tests", "Its stored tests.", R"([{"name": "greets", "event": {"type": "manual"}, "expect": {}}])"},
    {"FunctionPatch.timing", "Inside the write (database triggers only), or after it.", R"("post")", kFunctionTiming},
    {"FunctionRetry.attempts", "How often an event is tried, the first run included.", "3",
     R"({"minimum": 1, "maximum": 10})"},
    {"FunctionRetry.backoffSeconds",
     "The pause after the first attempt; it doubles after each further one, an hour at most.", "30",
     R"({"minimum": 1, "maximum": 3600})"},
    {"FunctionRollback.version", "The version to restore.", "1"},
    {"FunctionRun.id", "The run's id.", R"("run_06fVx3jmA1qK9bTzLw2C")"},
    {"FunctionRun.calls",
     "Its calls of `ctx.db`, `ctx.lookup` and `ctx.integrations`, the first 200; absent where it made none.", "[]"},
    {"FunctionRun.attempt", "Which attempt at its event it was; present where runs are retried.", "2"},
    {"FunctionRun.error", "The error message.", R"("boom")"},
    {"FunctionRun.logs", "What it wrote to the console.", "[]"},
    {"FunctionRun.result", "What the handler returned.", "42"},
    {"FunctionRun.retryOf", "The run that it repeats, the attempt before.", R"("run_06fVx3jmA1qK9bTzLw2C")"},
    {"FunctionRun.status", "The outcome.", R"("success")",
     R"({"enum": ["success", "error", "timeout", "aborted", "skipped"]})"},
    {"FunctionRun.trigger", "What started the run.", R"("manual")"},
    {"FunctionRunCall.detail", "The operation.", R"("find")"},
    {"FunctionRunCall.kind", "What was called.", R"("db")", R"({"enum": ["db", "integration"]})"},
    {"FunctionRunCall.ms", "How long it took, in milliseconds.", "1.4"},
    {"FunctionRunCall.name",
     "The collection or the integration; empty where the code passed something that is not a name.", R"("orders")"},
    {"FunctionRunCall.outcome", "`ok`, the code of its error, or `unfinished` where the run ended first.", R"("ok")"},
    {"FunctionRunLine.level", "The level of the console call.", R"("info")"},
    {"FunctionStats.runs", "The number of runs in the log.", "50"},
    {"FunctionTestResult.logs", "What the run wrote to the console.", "[]"},
    {"FunctionTestReport.results", "One result per test.", "[]"},
    {"FunctionVersion.code", "The module, as it was written.", R"("export default async (event, ctx) => event.type;")"},
    {"FunctionVersion.createdBy", "The user or key that created it.", R"("user_06fVx3jmA1qK9bTzLw2C")"},
    {"FunctionVersion.timing", "Inside the write, or after it.", R"("post")", kFunctionTiming},
    {"FunctionVersion.version", "Counts up from 1.", "1"},
};

}  // namespace

std::span<const FieldDoc> functionFieldDocs() {
  return kFunctionFieldDocs;
}

}  // namespace mb::openapi
