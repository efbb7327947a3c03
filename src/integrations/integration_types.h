// The shapes of integrations: stored, in, out. Source: contract 2.12, 4.5; decisions 5 and 8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::integrations {

// A call that can be made again and again, and what is to come of it.
struct StoredTest {
  std::string name;
  std::string op;
  std::optional<doc::Document> args;
  doc::Patch<doc::Value> stub;  // what the call is taken to have given: nothing is sent then
  doc::Value expect;            // test_suite.h
  static constexpr auto shape() {
    return doc::shape<StoredTest>("IntegrationTest", doc::field("name", &StoredTest::name),
                                  doc::field("op", &StoredTest::op), doc::field("args", &StoredTest::args),
                                  doc::field("stub", &StoredTest::stub), doc::field("expect", &StoredTest::expect));
  }
};

struct IntegrationRecord {
  std::string id;             // the name
  std::string integrationId;  // "int_…": another integration of this name is another one
  std::string provider;
  doc::Document config;
  bool enabled = false;
  // Of the secrets held; "headers/<name>" for one of those that are headers (secrets.h).
  std::vector<std::string> secretNames;
  std::string secrets;  // as given, as BSON, sealed, base64; "" where none is held
  std::vector<StoredTest> tests;
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<IntegrationRecord>(
        "IntegrationRecord", doc::field("id", &IntegrationRecord::id),
        doc::field("integrationId", &IntegrationRecord::integrationId),
        doc::field("provider", &IntegrationRecord::provider), doc::field("config", &IntegrationRecord::config),
        doc::field("enabled", &IntegrationRecord::enabled), doc::field("secretNames", &IntegrationRecord::secretNames),
        doc::field("secrets", &IntegrationRecord::secrets), doc::field("tests", &IntegrationRecord::tests),
        doc::field("createdAt", &IntegrationRecord::createdAt), doc::field("updatedAt", &IntegrationRecord::updatedAt));
  }
};

struct IntegrationView {
  std::string name;
  std::string provider;
  doc::Document config;
  doc::Document secrets;  // {<name>: {configured}}, each that the provider has; names too where it is one of headers
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
  std::optional<bool> enabled;  // true where it is not said
  static constexpr auto shape() {
    return doc::shape<NewIntegration>(
        "NewIntegration", doc::field("name", &NewIntegration::name), doc::field("provider", &NewIntegration::provider),
        doc::field("config", &NewIntegration::config), doc::field("secrets", &NewIntegration::secrets),
        doc::field("enabled", &NewIntegration::enabled));
  }
};

// A config takes the place of the one before; of the secrets those that are named, null to take one away.
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

// An integration as part of a project's shape: no secrets.
struct IntegrationShape {
  std::string name;
  std::string provider;
  doc::Document config;
  std::optional<bool> enabled;                   // absent: as it is; true of a new one
  std::optional<std::vector<StoredTest>> tests;  // absent: as they are
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

// One call by hand.
struct TryBody {
  std::string op;
  std::optional<doc::Document> args;
  std::optional<std::string> mode;  // "live" or "dry"; dry where it is not said
  doc::Patch<doc::Value> stub;      // of a dry one: what it gives
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
