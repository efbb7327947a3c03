#include "data/policy_test_runs.h"

#include <boost/asio/deferred.hpp>

#include "data/collection_config.h"

namespace mb::data {
namespace {

doc::Document errorStep(const Error& error) {
  policy::Trace trace;
  trace.add("error", false, [&](doc::BsonWriter& out) { out.appendString("message", error.message()); });
  return std::move(trace.take().front());
}

// A document that does not exist is as hidden as one that the policy hides: the response is the same.
std::string_view outcomeOf(const TrialResult& result) {
  if (result.allowed) return "allowed";
  const bool listsWithout = result.status < 400;
  return result.hidden || listsWithout || result.status == meaningOf(ErrorCode::notFound).status ? "hidden" : "denied";
}

// The steps, as far as `left` bytes suffice for all of them.
std::vector<doc::Document> reported(std::vector<doc::Document> steps, size_t& left) {
  size_t bytes = 0;
  for (const doc::Document& step : steps) bytes += step.size();
  if (bytes > left) {
    left = 0;
    return {};
  }
  left -= bytes;
  return steps;
}

Result<GivenDocuments> givenOf(const PolicyTest& test, const CollectionTable& table) {
  GivenDocuments given;
  if (!test.given) return given;
  for (const auto& [collection, documents] : test.given->view()) {
    if (table.find(collection) == nullptr) {
      return fail(ErrorCode::notFound, fmt::format("given/{}: no such collection", collection));
    }
    std::vector<doc::Document>& list = given[std::string(collection)];
    for (const doc::Element& each : documents.asDocument()) list.emplace_back(each.value.asDocument());
  }
  return given;
}

}  // namespace

PolicyTestsByCollection policyTestsOf(const CollectionTable& table) {
  PolicyTestsByCollection all;
  for (const auto& [name, collection] : table.byName) {
    if (!collection->info.config.view().find("policyTests")) continue;
    all.emplace(name, CollectionConfig::read(collection->info.config).policyTests);
  }
  return all;
}

Task<TrialResult> PolicyTestRuns::tried(snapshot::SnapshotPtr project, std::string collection, PolicyTest test,
                                        store::Deadline deadline) const {
  if (std::chrono::steady_clock::now() >= deadline) {
    co_return fail(ErrorCode::unavailable, "not run: the time limit of all tests has passed");
  }
  const std::optional<policy::Operation> operation = trialOperation(test.operation);
  if (!operation) co_return fail(ErrorCode::validation, "unknown operation");  // of a later version
  CO_TRY(const policy::Caller caller, callers_.byRole(*project, test.caller, "caller"));
  CO_TRY(const GivenDocuments given, givenOf(test, project->get(slot_)));
  Trial trial{std::move(collection),  *operation,           std::move(test.id),          std::move(test.document),
              std::move(test.filter), std::move(test.body), test.replace.value_or(false)};
  const Access access{caller, std::move(project), Authority::policies, deadline};
  co_return co_await trials_.run(access, std::move(trial), &given);
}

Async<PolicyTestResult> PolicyTestRuns::runOne(snapshot::SnapshotPtr project, std::string collection,
                                               const doc::Document& stored, store::Deadline deadline) const {
  PolicyTestResult result;
  result.collection = collection;
  result.name = stored.view().stringOr("name");
  result.expected = stored.view().stringOr("expect");
  auto test = doc::decode<PolicyTest>(stored);
  Result<TrialResult> done = test
                                 ? co_await tried(std::move(project), std::move(collection), *std::move(test), deadline)
                                 : fail(std::move(test).error());
  result.got = done ? std::string(outcomeOf(*done)) : "error";
  result.steps = done ? std::move(done->steps) : std::vector{errorStep(done.error())};
  result.passed = result.got == result.expected;
  co_return result;
}

Async<PolicyTestReport> PolicyTestRuns::run(snapshot::SnapshotPtr project, PolicyTestsByCollection tests,
                                            store::Deadline deadline) const {
  PolicyTestReport report;
  size_t left = kMaxReportedSteps;
  for (const auto& [collection, list] : tests) {
    for (const doc::Document& stored : list) {
      PolicyTestResult result = co_await runOne(project, collection, stored, deadline);
      result.steps = reported(std::move(result.steps), left);
      ++(result.passed ? report.passed : report.failed);
      report.results.push_back(std::move(result));
      co_await asio::post(asio::deferred);
    }
  }
  co_return report;
}

}  // namespace mb::data
