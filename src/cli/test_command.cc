// `manybase test`: runs the policy tests of the project as it would be after a push of the folder.
#include "cli/configuration_sync.h"
#include "cli/plan.h"
#include "document/json.h"

namespace mb::cli {

namespace {

struct TestResult {
  std::string collection;
  std::string name;
  bool passed = false;
  std::string expected;
  std::string got;
  std::vector<doc::Document> steps;
  static constexpr auto shape() {
    return doc::shape<TestResult>("TestResult", doc::field("collection", &TestResult::collection),
                                  doc::field("name", &TestResult::name), doc::field("passed", &TestResult::passed),
                                  doc::field("expected", &TestResult::expected), doc::field("got", &TestResult::got),
                                  doc::field("steps", &TestResult::steps));
  }
};

struct TestReport {
  int64_t passed = 0;
  int64_t failed = 0;
  std::vector<TestResult> results;
  static constexpr auto shape() {
    return doc::shape<TestReport>("TestReport", doc::field("passed", &TestReport::passed),
                                  doc::field("failed", &TestReport::failed),
                                  doc::field("results", &TestReport::results));
  }
};

// The problems of the folder's document in the server's error, by file.
Error aboutFiles(const Error& error, const ProjectRef& project, const doc::Document& document) {
  constexpr std::string_view kDocument = "/document";
  std::vector<ErrorDetail> details = error.details();
  for (ErrorDetail& each : details) {
    if (each.path.starts_with(kDocument)) each.path.erase(0, kDocument.size());
  }
  return Error(error.code(),
               fmt::format("{} rejected the bundle; no test was run. Fix the problems listed below", project.shown()))
      .withDetails(byFile(details, document));
}

// "    permission  passed  {"needed":"data:notes:read"}"
std::string lineOf(const doc::Document& step) {
  doc::BsonWriter rest;
  for (const auto& [name, value] : step.view()) {
    if (name != "step" && name != "passed") rest.append(name, value);
  }
  const auto passed = step.view().find("passed");
  const bool holds = passed && passed->type() == doc::BsonType::boolean && passed->asBool();
  return fmt::format("    {:<12}  {}  {}\n", step.view().stringOr("step"), holds ? "passed" : "failed",
                     doc::toJson(rest.finish()));
}

std::string textOf(const TestReport& report) {
  std::string text;
  for (const TestResult& result : report.results) {
    text += fmt::format("{}  {}: {}", result.passed ? "passed" : "FAILED", result.collection, result.name);
    if (result.passed) {
      text += '\n';
      continue;
    }
    text += fmt::format(" (expected {}, got {})\n", result.expected, result.got);
    for (const doc::Document& step : result.steps) text += lineOf(step);
  }
  if (report.results.empty()) return "there are no policy tests";
  return text + fmt::format("{} passed, {} failed", report.passed, report.failed);
}

}  // namespace

Result<Outcome> testPolicies(Client& client) {
  const BundleFolder folder = client.folder();
  TRY(const BundleFolder::Contents here, folder.read());
  TRY(const doc::Document document, documentIn(folder, here));
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  doc::BsonWriter body;
  body.appendDocument("document", document);
  auto response = session->admin(
      project, {.method = "POST", .path = "/policies/tests/run", .doing = "running the tests", .body = body.finish()});
  if (!response && !response.error().details().empty()) {
    return fail(aboutFiles(response.error(), project, document));
  }
  if (!response) return fail(std::move(response).error());
  const auto report = doc::decode<TestReport>(*response, doc::UnknownFields::ignore);
  if (!report) {
    return fail(ErrorCode::upstreamFailed,
                fmt::format("this program cannot read the results of {}: use the program of the server's version",
                            session->url()));
  }
  doc::BsonWriter result;
  appendProject(result, *session, project);
  for (const auto& [name, value] : response->view()) result.append(name, value);
  return Outcome{report->failed == 0 ? 0 : 1, textOf(*report), result.finish()};
}

}  // namespace mb::cli
