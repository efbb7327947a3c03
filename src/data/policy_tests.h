// Stored tests of a collection's policy (docs/policy-tests.md): their form and limits. policy_test_runs.h runs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/shape.h"
#include "identity/described_callers.h"
#include "policy/policy.h"

namespace mb::data {

inline constexpr size_t kMaxPolicyTests = 100;            // of a collection
inline constexpr size_t kMaxPolicyTestBytes = 256 << 10;  // all of a collection's as JSON

struct PolicyTest {
  std::string name;
  identity::CallerDescription caller;  // DescribedBy::roleOnly
  std::string operation;
  std::optional<std::string> id;
  std::optional<doc::Document> document;
  std::optional<doc::Document> filter;
  std::optional<doc::Document> body;
  std::optional<bool> replace;
  std::optional<doc::Document> given;  // {collection: [documents]}
  std::string expect;
  static constexpr auto shape() {
    return doc::shape<PolicyTest>(
        "PolicyTest", doc::field("name", &PolicyTest::name), doc::field("caller", &PolicyTest::caller),
        doc::field("operation", &PolicyTest::operation), doc::field("id", &PolicyTest::id),
        doc::field("document", &PolicyTest::document), doc::field("filter", &PolicyTest::filter),
        doc::field("body", &PolicyTest::body), doc::field("replace", &PolicyTest::replace),
        doc::field("given", &PolicyTest::given), doc::field("expect", &PolicyTest::expect));
  }
};

// read, list, create, update or delete; nullopt for any other text.
std::optional<policy::Operation> trialOperation(std::string_view name);

// Which parts the description of a request has.
struct TrialParts {
  std::string_view operation;
  bool id = false;
  bool document = false;
  bool filter = false;
  bool body = false;
  bool replace = false;
};
// The problems of parts that the operation lacks or has no use for, with their pointers below `pointer`. `id`: the name
// of that part, "path" for files.
std::vector<ErrorDetail> partProblems(const TrialParts& parts, const std::string& pointer, std::string_view id = "id");

// The problems of the tests of a collection, with their pointers below `pointer`.
std::vector<ErrorDetail> policyTestProblems(const std::vector<PolicyTest>& tests, const std::string& pointer);
// Their stored form. Fails with validation, its paths under "/tests".
Result<std::vector<doc::Document>> storedPolicyTests(const std::vector<PolicyTest>& tests);

}  // namespace mb::data
