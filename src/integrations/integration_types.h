// Types of integrations: stored records, request bodies, responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::integrations {

// A stored call with its expected result, which can be run repeatedly.
struct StoredTest {
  std::string name;
  std::string op;
  std::optional<doc::Document> args;
  doc::Patch<doc::Value> stub;  // the assumed result of the call, which is then not made
  doc::Value expect;            // test_suite.h
  static constexpr auto shape() {
    return doc::shape<StoredTest>("IntegrationTest", doc::field("name", &StoredTest::name),
                                  doc::field("op", &StoredTest::op), doc::field("args", &StoredTest::args),
                                  doc::field("stub", &StoredTest::stub), doc::field("expect", &StoredTest::expect));
  }
};

struct IntegrationRecord {
  std::string id;             // the name
  std::string integrationId;  // "int_…": a new integration of the same name has another id
  std::string provider;
  doc::Document config;
  bool enabled = false;
  // Of the stored secrets; "headers/<name>" for those that are headers (secrets.h).
  std::vector<std::string> secretNames;
  std::string secrets;  // the texts as BSON, sealed, base64; "" without secrets
  std::vector<StoredTest> tests;
  Timestamp createdAt;
  Timestamp updatedAt;
  // The variables that the config and the secrets name; absent without any: then the texts are used unchanged.
  std::optional<std::vector<std::string>> variables;
  std::optional<std::vector<std::string>> secretVariables;
  static constexpr auto shape() {
    return doc::shape<IntegrationRecord>(
        "IntegrationRecord", doc::field("id", &IntegrationRecord::id),
        doc::field("integrationId", &IntegrationRecord::integrationId),
        doc::field("provider", &IntegrationRecord::provider), doc::field("config", &IntegrationRecord::config),
        doc::field("enabled", &IntegrationRecord::enabled), doc::field("secretNames", &IntegrationRecord::secretNames),
        doc::field("secrets", &IntegrationRecord::secrets), doc::field("tests", &IntegrationRecord::tests),
        doc::field("createdAt", &IntegrationRecord::createdAt), doc::field("updatedAt", &IntegrationRecord::updatedAt),
        doc::field("variables", &IntegrationRecord::variables),
        doc::field("secretVariables", &IntegrationRecord::secretVariables));
  }
};

struct IntegrationView {
  std::string name;
  std::string provider;
  doc::Document config;
  doc::Document secrets;  // {<name>: {configured}} for each secret of the provider; for headers also their names
  bool enabled = false;
  std::vector<StoredTest> tests;
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<IntegrationView>(
        "Integration", doc::field("name", &IntegrationView::name), doc::field("provider", &IntegrationView::provider),
        doc::field("config", &IntegrationView::config), doc::field("secrets", &IntegrationView::secrets),
        doc::field("enabled", &IntegrationView::enabled), doc::field("tests", &IntegrationView::tests),
        doc::field("createdAt", &IntegrationView::createdAt), doc::field("updatedAt", &IntegrationView::updatedAt));
  }
};

struct NewIntegration {
  std::string name;
  std::string provider;
  std::optional<doc::Document> config;
  std::optional<doc::Document> secrets;
  std::optional<bool> enabled;  // true if absent
  static constexpr auto shape() {
    return doc::shape<NewIntegration>(
        "NewIntegration", doc::field("name", &NewIntegration::name), doc::field("provider", &NewIntegration::provider),
        doc::field("config", &NewIntegration::config), doc::field("secrets", &NewIntegration::secrets),
        doc::field("enabled", &NewIntegration::enabled));
  }
};

// A config replaces the stored one; secrets are replaced if named, and null removes one.
struct IntegrationPatch {
  std::optional<doc::Document> config;
  std::optional<doc::Document> secrets;
  std::optional<bool> enabled;
  static constexpr auto shape() {
    return doc::shape<IntegrationPatch>("IntegrationPatch", doc::field("config", &IntegrationPatch::config),
                                        doc::field("secrets", &IntegrationPatch::secrets),
                                        doc::field("enabled", &IntegrationPatch::enabled));
  }
};

// An integration in a project's configuration, without secrets.
struct IntegrationShape {
  std::string name;
  std::string provider;
  doc::Document config;
  std::optional<bool> enabled;                   // absent: unchanged; true of a new one
  std::optional<std::vector<StoredTest>> tests;  // absent: unchanged
  static constexpr auto shape() {
    return doc::shape<IntegrationShape>(
        "IntegrationEntry", doc::field("name", &IntegrationShape::name),
        doc::field("provider", &IntegrationShape::provider), doc::field("config", &IntegrationShape::config),
        doc::field("enabled", &IntegrationShape::enabled), doc::field("tests", &IntegrationShape::tests));
  }
};

struct StoredTests {
  std::vector<StoredTest> tests;
  static constexpr auto shape() {
    return doc::shape<StoredTests>("IntegrationTests", doc::field("tests", &StoredTests::tests));
  }
};

// A call by tryCall().
struct TryBody {
  std::string op;
  std::optional<doc::Document> args;
  std::optional<std::string> mode;  // "live" or "dry"; dry if absent
  doc::Patch<doc::Value> stub;      // of a dry one: its result
  static constexpr auto shape() {
    return doc::shape<TryBody>("IntegrationTry", doc::field("op", &TryBody::op), doc::field("args", &TryBody::args),
                               doc::field("mode", &TryBody::mode), doc::field("stub", &TryBody::stub));
  }
};

struct TryResult {
  doc::Value result;
  std::string mode;
  static constexpr auto shape() {
    return doc::shape<TryResult>("IntegrationTryResult", doc::field("result", &TryResult::result),
                                 doc::field("mode", &TryResult::mode));
  }
};

struct TestOutcome {
  std::string name;
  bool passed = false;
  std::string mode;
  std::vector<std::string> failures;
  int64_t durationMs = 0;
  static constexpr auto shape() {
    return doc::shape<TestOutcome>("IntegrationTestOutcome", doc::field("name", &TestOutcome::name),
                                   doc::field("passed", &TestOutcome::passed), doc::field("mode", &TestOutcome::mode),
                                   doc::field("failures", &TestOutcome::failures),
                                   doc::field("durationMs", &TestOutcome::durationMs));
  }
};

struct SuiteOutcome {
  int64_t passed = 0;
  int64_t failed = 0;
  std::vector<TestOutcome> results;
  static constexpr auto shape() {
    return doc::shape<SuiteOutcome>("IntegrationSuiteOutcome", doc::field("passed", &SuiteOutcome::passed),
                                    doc::field("failed", &SuiteOutcome::failed),
                                    doc::field("results", &SuiteOutcome::results));
  }
};

}  // namespace mb::integrations
