// PolicyTestRuns runs stored tests of policies, each on the documents that it gives: no document of the store is read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/policy_tests.h"
#include "data/policy_trial.h"

namespace mb::data {

// All steps of a report; further results have none. A project may have stored tests of 8 MiB.
inline constexpr size_t kMaxReportedSteps = 4 << 20;

struct PolicyTestResult {
  std::string collection;
  std::string name;
  bool passed = false;
  std::string expected;
  std::string got;  // allowed, denied, hidden; error: the test could not be evaluated, which its step explains
  std::vector<doc::Document> steps;
  static constexpr auto shape() {
    return doc::shape<PolicyTestResult>(
        "PolicyTestResult", doc::field("collection", &PolicyTestResult::collection),
        doc::field("name", &PolicyTestResult::name), doc::field("passed", &PolicyTestResult::passed),
        doc::field("expected", &PolicyTestResult::expected), doc::field("got", &PolicyTestResult::got),
        doc::field("steps", &PolicyTestResult::steps));
  }
};

struct PolicyTestReport {
  int64_t passed = 0;
  int64_t failed = 0;
  std::vector<PolicyTestResult> results;  // by collection, in the order of its tests
  static constexpr auto shape() {
    return doc::shape<PolicyTestReport>("PolicyTestReport", doc::field("passed", &PolicyTestReport::passed),
                                        doc::field("failed", &PolicyTestReport::failed),
                                        doc::field("results", &PolicyTestReport::results));
  }
};

// In their stored form, by collection.
using PolicyTestsByCollection = std::map<std::string, std::vector<doc::Document>, std::less<>>;

// Those of the project.
PolicyTestsByCollection policyTestsOf(const CollectionTable& table);

class PolicyTestRuns {
 public:
  // References outlive this.
  PolicyTestRuns(const PolicyTrials& trials, const identity::DescribedCallers& callers,
                 snapshot::SlotKey<CollectionTable> slot)
      : trials_(trials), callers_(callers), slot_(slot) {}

  // Runs the tests one after another; those that would begin after the deadline fail. `project`: of
  // PolicyTrials::withDrafts, for given documents. Yields the core between tests.
  Async<PolicyTestReport> run(snapshot::SnapshotPtr project, PolicyTestsByCollection tests,
                              store::Deadline deadline) const;

 private:
  Async<PolicyTestResult> runOne(snapshot::SnapshotPtr project, std::string collection, const doc::Document& stored,
                                 store::Deadline deadline) const;
  Task<TrialResult> tried(snapshot::SnapshotPtr project, std::string collection, PolicyTest test,
                          store::Deadline deadline) const;

  const PolicyTrials& trials_;
  const identity::DescribedCallers& callers_;
  const snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
