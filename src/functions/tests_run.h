// Stored tests of a function: each case runs the code as it is saved, against a scratch database and stubs in place of
// integrations. Neither logged nor metered. Source: contract 2.11, 4.5; decisions 5 ("Test case").
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

// An integration's answer where the case has one for it; every call is kept.
class StubbedHost final : public Host {
 public:
  struct Call {
    std::string integration;
    std::string op;
    doc::Document args;
  };
  // References outlive the host.
  struct Deps {
    Scratch& scratch;
    integrations::Caller& integrations;
    snapshot::SnapshotPtr project;
    doc::Document stubs;  // {"integration.op": result}
    std::vector<Call>& calls;
  };
  explicit StubbedHost(Deps deps) : deps_(std::move(deps)) {}
  Task<data::CollectionPtr> find(std::string name) override { return deps_.scratch.find(std::move(name)); }
  // Fails with notFound where there is no stub, with validation where the integration is there and would refuse it.
  Task<doc::Value> integrate(std::string name, std::string op, doc::Document arguments, store::Deadline deadline,
                             std::stop_token aborted) override;

 private:
  const Deps deps_;
};

class TestRuns {
 public:
  // References outlive it.
  struct Deps {
    workers::Executor& executor;
    data::ServiceDocuments& documents;
    Scratch::Deps scratch;
    integrations::Caller& integrations;
    IdGenerator& ids;
    const Clock& clock;
    std::string baseUrl;
  };
  explicit TestRuns(Deps deps) : deps_(std::move(deps)) {}

  // All cases, one after another; those whose turn comes after the deadline fail.
  Task<TestReport> run(snapshot::SnapshotPtr project, FunctionPtr function, store::Deadline deadline);

 private:
  // What a case works with.
  struct Stage {
    const snapshot::SnapshotPtr project;
    const FunctionPtr function;
    const doc::Document& test;
    const store::Deadline deadline;
    Scratch& scratch;
    std::vector<StubbedHost::Call> calls = {};
    RunView run = {};
  };
  Async<TestResult> runCase(snapshot::SnapshotPtr project, FunctionPtr function, doc::Document test,
                            store::Deadline deadline);
  Task<> seed(Stage& stage);
  Task<> perform(Stage& stage);
  Task<std::vector<std::string>> judge(Stage& stage);
  Task<> offerAll(Stage& stage, std::string collection, ExpectedDocuments& expected);
  Task<> judgeDocuments(Stage& stage, std::vector<std::string>& failures);
  data::ServiceAccess accessOf(Stage& stage) const;
  const Deps deps_;
};

}  // namespace mb::functions
