// TestRuns runs the stored tests of a function: each case runs the saved code with a scratch database, and with stubs
// instead of integrations. Runs are neither logged nor metered. See docs/functions.md, "Tests".
#pragma once

#include "functions/expected_documents.h"
#include "functions/run.h"
#include "functions/scratch.h"

namespace mb::functions {

struct TestResult {
  std::string name;
  bool passed = false;
  std::vector<std::string> failures;
  int64_t durationMs = 0;
  std::vector<RunLine> logs;
  static constexpr auto shape() {
    return doc::shape<TestResult>(
        "FunctionTestResult", doc::field("name", &TestResult::name), doc::field("passed", &TestResult::passed),
        doc::field("failures", &TestResult::failures), doc::field("durationMs", &TestResult::durationMs),
        doc::field("logs", &TestResult::logs));
  }
};

struct TestReport {
  int64_t passed = 0;
  int64_t failed = 0;
  std::vector<TestResult> results;
  static constexpr auto shape() {
    return doc::shape<TestReport>("FunctionTestReport", doc::field("passed", &TestReport::passed),
                                  doc::field("failed", &TestReport::failed),
                                  doc::field("results", &TestReport::results));
  }
};

// A call of an integration by a function under test.
struct StubbedCall {
  std::string integration;
  std::string op;
  doc::Document args;
};

// References outlive the host.
struct StubbedHostDeps {
  Scratch& scratch;
  integrations::Caller& integrations;
  snapshot::SnapshotPtr project;
  doc::Document stubs;  // {"integration.op": result}
  std::vector<StubbedCall>& calls;
};

// Returns the case's stub as the result of an integration; records every call.
class StubbedHost final : public Host {
 public:
  explicit StubbedHost(StubbedHostDeps deps) : deps_(std::move(deps)) {}
  Task<data::CollectionPtr> find(std::string name) override { return deps_.scratch.find(std::move(name)); }
  // Fails with notFound without a stub, and with validation if the integration exists and would reject the arguments.
  Task<doc::Value> integrate(std::string name, std::string op, doc::Document arguments,
                             integrations::CallOptions options) override;
  // A stored test has no files.
  Task<FileHost> files() override;

 private:
  const StubbedHostDeps deps_;
};

// References outlive it.
struct TestRunsDeps {
  workers::Executor& executor;
  data::ServiceDocuments& documents;
  ScratchDeps scratch;
  integrations::Caller& integrations;
  const variables::Variables& variables;
  IdGenerator& ids;
  const Clock& clock;
  std::string baseUrl;
};

class TestRuns {
 public:
  explicit TestRuns(TestRunsDeps deps) : deps_(std::move(deps)) {}

  // Runs all cases one after another; those that would begin after the deadline fail.
  Task<TestReport> run(snapshot::SnapshotPtr project, FunctionPtr function, store::Deadline deadline);

 private:
  // The state of a running case.
  struct Stage {
    const snapshot::SnapshotPtr project;
    const FunctionPtr function;
    const doc::Document& test;
    const store::Deadline deadline;
    Scratch& scratch;
    std::vector<StubbedCall> calls = {};
    RunView run = {};
  };
  Async<TestResult> runCase(snapshot::SnapshotPtr project, FunctionPtr function, doc::Document test,
                            store::Deadline deadline);
  Task<> seed(Stage& stage);
  Task<> perform(Stage& stage);
  // The differences from the expectations of the case.
  Task<std::vector<std::string>> compare(Stage& stage);
  Task<> offerAll(Stage& stage, std::string collection, ExpectedDocuments& expected);
  Task<> compareDocuments(Stage& stage, std::vector<std::string>& failures);
  data::ServiceAccess accessOf(Stage& stage) const;
  const TestRunsDeps deps_;
};

}  // namespace mb::functions
