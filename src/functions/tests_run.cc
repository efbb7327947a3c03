#include "functions/tests_run.h"

#include <algorithm>

#include "base/log.h"
#include "configuration/resource_kind.h"
#include "document/json.h"
#include "document/subset.h"
#include "functions/http_result.h"

namespace mb::functions {

namespace {

constexpr size_t kMaxRecordedCalls = 1000;
constexpr std::chrono::milliseconds kMinTime{100};

doc::DocumentView objectIn(doc::DocumentView in, std::string_view key) {
  const auto value = in.find(key);
  return value && value->type() == doc::BsonType::document ? value->asDocument() : doc::DocumentView();
}

std::string textOf(doc::DocumentView in, std::string_view key, std::string fallback) {
  return std::string(in.stringOr(key, fallback));
}

void appendOr(doc::BsonWriter& out, std::string_view key, std::optional<doc::ValueView> value,
              const doc::DocumentView& fallback) {
  if (value) {
    out.append(key, *value);
  } else {
    out.appendDocument(key, fallback);
  }
}

// ctx.request of an http function: from the case's event, with defaults.
void appendRequest(doc::BsonWriter& out, const Function& function, doc::DocumentView event, std::string_view baseUrl) {
  const doc::DocumentView nothing;
  out.beginDocument("request");
  out.appendString("method", textOf(event, "method", function.method));
  out.appendString("path", textOf(event, "path", function.path));
  out.appendString("service", baseUrl);
  appendOr(out, "params", event.find("params"), nothing);
  appendOr(out, "query", event.find("query"), nothing);
  appendOr(out, "headers", event.find("headers"), nothing);
  if (const auto body = event.find("body")) {
    out.append("body", *body);
  } else {
    out.appendNull("body");
  }
  out.end();
}

// ctx.request.rawBody: text and bytes as they are, any other body as JSON.
std::string rawBodyOf(doc::DocumentView event) {
  const auto body = event.find("body");
  if (!body || body->type() == doc::BsonType::null) return {};
  if (body->type() == doc::BsonType::string) return std::string(body->asString());
  if (body->type() == doc::BsonType::binary) return std::string(body->asBinary());
  std::string json;
  doc::writeJsonValue(json, *body);
  return json;
}

doc::Document contextOf(const snapshot::ProjectSnapshot& project, const variables::VariableTable& table,
                        const Function& function, doc::DocumentView test, std::string_view baseUrl) {
  doc::BsonWriter out;
  if (const auto auth = test.find("auth")) {
    out.append("auth", *auth);
  } else {
    out.appendNull("auth");
  }
  out.appendString("project", project.info().id.str());
  out.appendString("function", function.name());
  out.appendDocument("variables", table.plain);
  if (function.trigger == TriggerType::http) appendRequest(out, function, objectIn(test, "event"), baseUrl);
  return out.finish();
}

doc::Document encoded(const StubbedCall& call) {
  doc::BsonWriter out;
  out.appendString("integration", call.integration);
  out.appendString("op", call.op);
  out.appendDocument("args", call.args);
  return out.finish();
}

doc::Document idsAfter(std::string_view last) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gt", last);
  filter.end();
  return filter.finish();
}

void compareStatus(const RunView& run, doc::DocumentView expect, std::vector<std::string>& failures) {
  const auto status = expect.find("status");
  if (status && status->isNumber()) {
    const auto answer = run.status == "success"
                            ? httpResult(run.result ? run.result->view() : doc::ValueView(), Origin::shared)
                            : Result<HttpResult>(fail(ErrorCode::validation, run.error.value_or("")));
    const int given = answer ? answer->status : run.status == "timeout" ? 504 : 500;
    if (given != status->toInteger()) {
      failures.push_back(fmt::format("status is {}, not {}", given, status->toInteger().value_or(0)));
    }
    return;
  }
  const std::string_view fallback = expect.find("error") ? "error" : "success";
  const std::string_view wanted = status ? expect.stringOr("status") : fallback;
  const bool timedOut = !status && fallback == "error" && run.status == "timeout";
  // A hook that rejects a write has succeeded.
  const bool aborted = !status && fallback == "success" && run.status == "aborted";
  if (run.status == wanted || timedOut || aborted) return;
  failures.push_back(fmt::format("status is {}, not {}{}", run.status, wanted, run.error ? ": " + *run.error : ""));
}

void compareRun(const RunView& run, doc::DocumentView expect, std::vector<std::string>& failures) {
  compareStatus(run, expect, failures);
  if (const auto result = expect.find("result")) {
    const auto actual = run.result ? std::optional(run.result->view()) : std::nullopt;
    if (auto wrong = doc::mismatch("result", *result, actual)) failures.push_back(*std::move(wrong));
  }
  const std::string_view error = expect.stringOr("error");
  if (!error.empty() && !run.error.value_or("").contains(error)) {
    failures.push_back(fmt::format("error is \"{}\", without \"{}\"", run.error.value_or(""), error));
  }
}

void compareCalls(const std::vector<StubbedCall>& calls, doc::DocumentView expect, std::vector<std::string>& failures) {
  const auto expected = expect.find("calls");
  if (!expected || expected->type() != doc::BsonType::array) return;
  doc::BsonWriter made;
  made.beginArray("calls");
  for (size_t i = 0; i < calls.size(); ++i) made.appendDocument(std::to_string(i), encoded(calls[i]));
  made.end();
  const doc::Document actual = made.finish();
  if (auto wrong = doc::mismatch("calls", *expected, actual.view().find("calls")))
    failures.push_back(*std::move(wrong));
}

}  // namespace

Task<doc::Value> StubbedHost::integrate(std::string name, std::string op, doc::Document arguments,
                                        integrations::CallOptions) {
  if (deps_.calls.size() < kMaxRecordedCalls) deps_.calls.push_back({name, op, arguments});
  const auto stub = deps_.stubs.view().find(fmt::format("{}.{}", name, op));
  if (!stub) {
    co_return fail(ErrorCode::notFound, fmt::format("the test has no stub for \"{}.{}\"", name, op));
  }
  const doc::Value answer(*stub);
  const Result<> checked = co_await deps_.integrations.check(deps_.project, name, op, std::move(arguments));
  // A case may have a stub for an integration that does not exist yet.
  if (!checked && checked.error().code() != ErrorCode::notFound) co_return fail(checked.error().clone());
  co_return answer;
}

Task<FileHost> StubbedHost::files() {
  co_return fail(ErrorCode::notFound, "ctx.storage reaches no files in a stored test");
}

data::ServiceAccess TestRuns::accessOf(Stage& stage) const {
  return {stage.scratch, {store::ActorKind::server, ""}, stage.deadline, {}, false};
}

Task<> TestRuns::seed(Stage& stage) {
  for (const auto& [collection, documents] : objectIn(stage.test, "seed")) {
    for (const doc::Element& each : documents.asDocument()) {
      auto stored = co_await deps_.documents.insertOne(accessOf(stage), std::string(collection),
                                                       doc::Document(each.value.asDocument()));
      if (stored) continue;
      co_return fail(ErrorCode::validation,
                     fmt::format("seed.{}.{}: {}", collection, each.key, stored.error().message()));
    }
  }
  co_return Result<>();
}

Task<> TestRuns::perform(Stage& stage) {
  const Function& function = *stage.function;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(stage.deadline - std::chrono::steady_clock::now());
  workers::RunRequest request;
  request.project = stage.project->info().number;
  request.module = function.module;
  request.event = doc::Document(objectIn(stage.test, "event"));
  request.context =
      contextOf(*stage.project, deps_.variables.table(*stage.project), function, stage.test, deps_.baseUrl);
  if (function.trigger == TriggerType::http) request.rawBody = rawBodyOf(objectIn(stage.test, "event"));
  request.timeout = std::clamp(left, kMinTime, function.timeout);
  auto host = std::make_unique<StubbedHost>(StubbedHostDeps{stage.scratch, deps_.integrations, stage.project,
                                                            doc::Document(objectIn(stage.test, "stubs")), stage.calls});
  RunBridge::Run run;
  run.actor = {store::ActorKind::server, ""};
  run.deadline = std::chrono::steady_clock::now() + request.timeout + kMinTime;
  run.logged = false;
  run.kind = bridgeKindOf(function);
  request.bridge = std::make_shared<RunBridge>(std::move(host), deps_.documents, std::move(run));
  const Timestamp startedAt = deps_.clock.now();
  workers::RunOutcome outcome = co_await deps_.executor.run(std::move(request));
  if (outcome.status == workers::RunStatus::busy) co_return fail(ErrorCode::functionsBusy, "no worker was free");
  stage.run = viewOf(std::move(outcome), "run_" + deps_.ids.next(), "manual", startedAt);
  if (function.pre) noteAbort(stage.run);
  co_return Result<>();
}

// All documents of a collection, page after page.
Task<> TestRuns::offerAll(Stage& stage, std::string collection, ExpectedDocuments& expected) {
  configuration::CooperativeYielder yielder;
  std::string last;
  for (;;) {
    CO_TRY(const std::vector<doc::Document> page,
           co_await deps_.documents.find(accessOf(stage), collection, idsAfter(last), {}));
    for (const doc::Document& each : page) {
      co_await yielder.maybeYield();
      expected.offer(doc::ValueView(doc::BsonType::document, each.bytes().data(), each.size()));
    }
    if (page.size() < data::kMaxFound) co_return Result<>();
    last = page.back().view().stringOr("id");
  }
}

Task<> TestRuns::compareDocuments(Stage& stage, std::vector<std::string>& failures) {
  for (const auto& [collection, list] : objectIn(objectIn(stage.test, "expect"), "documents")) {
    std::vector<doc::ValueView> wanted;
    for (const doc::Element& each : list.asDocument()) wanted.push_back(each.value);
    ExpectedDocuments expected(std::move(wanted));
    const Result<> seen = co_await offerAll(stage, std::string(collection), expected);
    if (!seen) {
      failures.push_back(fmt::format("documents.{}: {}", collection, seen.error().message()));
    } else if (const auto missing = expected.firstUnmatched()) {
      failures.push_back(fmt::format("documents.{}.{} is not there", collection, *missing));
    }
  }
  co_return Result<>();
}

Task<std::vector<std::string>> TestRuns::compare(Stage& stage) {
  std::vector<std::string> failures;
  const doc::DocumentView expect = objectIn(stage.test, "expect");
  compareRun(stage.run, expect, failures);
  compareCalls(stage.calls, expect, failures);
  CO_RETURN_IF_ERROR(co_await compareDocuments(stage, failures));
  co_return failures;
}

Async<TestResult> TestRuns::runCase(snapshot::SnapshotPtr project, FunctionPtr function, doc::Document test,
                                    store::Deadline deadline) {
  TestResult result;
  result.name = test.view().stringOr("name");
  if (std::chrono::steady_clock::now() >= deadline) {
    result.failures.emplace_back("not run: the time limit of all tests has passed");
    co_return result;
  }
  // The case is stored as JSON: dates and similar values get their types here.
  const auto read = doc::parseJson(doc::toJson(test));
  if (!read) {
    result.failures.push_back(read.error().message());
    co_return result;
  }
  Scratch scratch(deps_.scratch, project);
  Stage stage{std::move(project), std::move(function), *read, deadline, scratch};
  Result<> done = co_await seed(stage);
  if (done) done = co_await perform(stage);
  if (done) {
    auto failures = co_await compare(stage);
    if (failures) {
      result.failures = *std::move(failures);
    } else {
      done = fail(std::move(failures).error());
    }
  }
  if (!done) result.failures.push_back(done.error().message());
  // If it cannot be dropped, the sweep at the next start drops it.
  const Result<> dropped = co_await scratch.drop();
  if (!dropped) {
    logWarn("test database could not be dropped; the next start retries it", {{"problem", dropped.error().message()}});
  }
  result.passed = result.failures.empty();
  result.durationMs = stage.run.durationMs;
  result.logs = std::move(stage.run.logs);
  co_return result;
}

Task<TestReport> TestRuns::run(snapshot::SnapshotPtr project, FunctionPtr function, store::Deadline deadline) {
  TestReport report;
  for (const doc::Document& test : function->record.tests) {
    TestResult result = co_await runCase(project, function, test, deadline);
    ++(result.passed ? report.passed : report.failed);
    report.results.push_back(std::move(result));
  }
  co_return report;
}

}  // namespace mb::functions
