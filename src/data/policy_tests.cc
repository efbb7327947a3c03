#include "data/policy_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "data/reserved.h"
#include "document/json.h"

namespace mb::data {
namespace {

using policy::Operation;

constexpr size_t kMaxNameBytes = 100;
constexpr size_t kMaxProblems = 100;
constexpr std::array<std::string_view, 3> kOutcomes = {"allowed", "denied", "hidden"};

std::vector<ErrorDetail> givenProblems(doc::DocumentView given, const std::string& pointer) {
  std::vector<ErrorDetail> problems;
  for (const auto& [collection, documents] : given) {
    const std::string at = fmt::format("{}/{}", pointer, collection);
    if (!isCollectionName(collection) || isReservedCollection(collection)) {
      problems.push_back({at, "is not a valid collection name"});
    } else if (documents.type() != doc::BsonType::array) {
      problems.push_back({at, "must be an array"});
    } else {
      for (const auto& [index, document] : documents.asDocument()) {
        if (document.type() == doc::BsonType::document) continue;
        problems.push_back({fmt::format("{}/{}", at, index), "must be an object"});
      }
    }
    if (problems.size() > kMaxProblems) break;
  }
  return problems;
}

std::vector<ErrorDetail> problemsOf(const PolicyTest& test, const std::string& pointer) {
  std::vector<ErrorDetail> problems;
  const auto add = [&](std::vector<ErrorDetail> more) {
    std::ranges::move(std::move(more), std::back_inserter(problems));
  };
  if (test.name.empty() || test.name.size() > kMaxNameBytes) {
    problems.push_back({pointer + "/name", "must have 1 to 100 bytes"});
  }
  add(identity::descriptionProblems(test.caller, identity::DescribedBy::roleOnly, pointer + "/caller"));
  add(partProblems({.operation = test.operation,
                    .id = test.id.has_value(),
                    .document = test.document.has_value(),
                    .filter = test.filter.has_value(),
                    .body = test.body.has_value(),
                    .replace = test.replace.has_value()},
                   pointer));
  if (test.given) add(givenProblems(*test.given, pointer + "/given"));
  if (std::ranges::find(kOutcomes, test.expect) == kOutcomes.end()) {
    problems.push_back({pointer + "/expect", "must be allowed, denied or hidden"});
  }
  return problems;
}

}  // namespace

std::optional<Operation> trialOperation(std::string_view name) {
  for (const Operation each :
       {Operation::read, Operation::list, Operation::create, Operation::update, Operation::remove}) {
    if (policy::operationName(each) == name) return each;
  }
  return std::nullopt;
}

std::vector<ErrorDetail> partProblems(const TrialParts& parts, const std::string& pointer, std::string_view id) {
  const std::optional<Operation> operation = trialOperation(parts.operation);
  if (!operation) return {{pointer + "/operation", "must be read, list, create, update or delete"}};
  std::vector<ErrorDetail> problems;
  const auto refuse = [&](bool has, std::string_view part, std::string_view of) {
    if (!has) return;
    problems.push_back({fmt::format("{}/{}", pointer, part), fmt::format("is only allowed for {}", of)});
  };
  const bool reads = *operation == Operation::read || *operation == Operation::list;
  const bool creates = *operation == Operation::create;
  const bool writes = creates || *operation == Operation::update;
  if (creates && id == "id") refuse(parts.id, id, "the other operations: a create has a body");
  if (creates) refuse(parts.document, "document", "the other operations: a create has a body");
  if (!reads) refuse(parts.filter, "filter", "read and list");
  if (!writes) refuse(parts.body, "body", "create and update");
  if (*operation != Operation::update) refuse(parts.replace, "replace", "update");
  if (parts.id && parts.document && id == "id") {
    problems.push_back({pointer + "/id", "must be absent where there is a document, which has its own"});
  }
  if (writes && !parts.body) problems.push_back({pointer + "/body", "is required"});
  if (!creates && *operation != Operation::list && !parts.id && !parts.document) {
    problems.push_back({fmt::format("{}/{}", pointer, id), "is required where there is no document"});
  }
  return problems;
}

std::vector<ErrorDetail> policyTestProblems(const std::vector<PolicyTest>& tests, const std::string& pointer) {
  if (tests.size() > kMaxPolicyTests) return {{pointer, "must have at most 100 tests"}};
  std::vector<ErrorDetail> problems;
  std::set<std::string_view> names;
  size_t bytes = 0;
  for (size_t i = 0; i < tests.size() && problems.size() <= kMaxProblems; ++i) {
    const std::string at = fmt::format("{}/{}", pointer, i);
    std::ranges::move(problemsOf(tests[i], at), std::back_inserter(problems));
    if (!names.insert(tests[i].name).second) problems.push_back({at + "/name", "is the name of another test"});
    bytes += doc::toJson(doc::encode(tests[i])).size();
  }
  if (bytes > kMaxPolicyTestBytes) problems.push_back({pointer, "must have at most 262144 bytes as JSON"});
  return problems;
}

Result<std::vector<doc::Document>> storedPolicyTests(const std::vector<PolicyTest>& tests) {
  std::vector<ErrorDetail> problems = policyTestProblems(tests, "/tests");
  if (!problems.empty()) {
    std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
    return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  std::vector<doc::Document> stored;
  stored.reserve(tests.size());
  for (const PolicyTest& test : tests) stored.push_back(doc::encode(test));
  return stored;
}

}  // namespace mb::data
