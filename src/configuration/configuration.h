// A project's configuration as one document: exported, planned and imported; without data and secrets.
//
// An import is merged by name and never deletes. Everything is checked before anything is applied. It is applied by the
// services that the admin routes use, one after another, so it is not a transaction: after a failure the changes before
// it stay, and the same import again continues from there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/fair_pool.h"
#include "configuration/resource_kind.h"
#include "data/data.h"
#include "identity/identity.h"
#include "projects/configuration_copier.h"

namespace mb::introspection {
class Introspection;
}

namespace mb::configuration {

// The maximum size of an import's body.
inline constexpr size_t kMaxDocument = 16 << 20;

// Which stored tests of policies run.
struct TestSelection {
  std::optional<std::vector<std::string>> collections;  // nullopt: all
  // Those of the project as it would be after the import of this document.
  std::optional<doc::Document> document;
  static constexpr auto shape() {
    return doc::shape<TestSelection>("TestSelection", doc::field("collections", &TestSelection::collections),
                                     doc::field("document", &TestSelection::document));
  }
};

// Identifies a plan, the `plan` of a response: 64 hex digits.
std::string planDigestOf(doc::DocumentView plan);

// References outlive the module.
struct ConfigurationDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  const Clock& clock;
  audit::Auditor& auditor;
  identity::Identity& identity;
  data::Data& data;
  variables::Variables& variables;
  std::string version;  // the server's
  // Finds what keeps indexes from being made in databases of projects' owners; null: no project has one.
  const introspection::Introspection* introspection = nullptr;
};

class Configuration {
 public:
  explicit Configuration(ConfigurationDeps deps);
  // Adds a kind of a higher module, at start-up.
  void add(std::unique_ptr<ResourceKind> kind);

  // The whole configuration, with JSON types: keys in a fixed order, entries by name, so that two exports of equal
  // configurations differ only in exportedAt.
  Task<doc::Document> exported(snapshot::SnapshotPtr project);

  // The plan of an import: {plan: {changes, summary}, problems: []}. Fails with validation (every problem in the
  // details; of a document that is too wide, those found without its sections), forbidden (the caller lacks a
  // permission that a change needs), testsFailed (stored tests fail with it, each in the details). REQUIRES: the caller
  // may config:manage.
  Task<doc::Document> plan(Target target, doc::Document document, projects::ImportMode mode = {});
  // Runs stored tests of policies on the documents that they give. Fails with validation (an unknown collection, at
  // "/collections/<n>"), and with a document, whose problems are below "/document", as plan() does; variables without a
  // value are accepted.
  Task<data::PolicyTestReport> runTests(Target target, TestSelection selection);
  // Applies an import and returns {plan, problems, applied: true}. Records config.import in addition to the audit
  // entries of its changes. Fails as plan does, and with conflict where the plan is not the one of the mode's digest,
  // without a change; then as the services do. The mode's `dryRun` is ignored.
  Task<doc::Document> import(Target target, doc::Document document, projects::ImportMode mode = {});

  // Copies as much of `from` as possible into `target`; returns a warning for each part that was not copied.
  Task<std::vector<std::string>> copy(snapshot::SnapshotPtr from, Target target);
  // The configuration of `project` with the values' own types, for import() in the same process.
  Task<doc::Document> configurationOf(snapshot::SnapshotPtr project);

  // Called after the job queue has stopped: work that waits in the pool fails with unavailable.
  void stop() { walking_.stop(); }

 private:
  struct KindPlan {
    ResourceKind* kind;
    std::vector<Change> changes;  // by name
  };
  using Plan = std::vector<KindPlan>;  // in the order of applying

  Task<Plan> planAll(Target target, doc::Document document, bool allowMissing);
  Task<KindPlan> planKind(ResourceKind& kind, ResourceKind::Source source, Problems& problems);
  Result<> checkCaller(const Target& target, const Plan& plan) const;
  // Fails with payloadTooLarge where the commits of the plan would, as an estimate: the commits decide.
  Task<> checkSize(Target target, const Plan& plan) const;
  Task<> apply(Target target, KindPlan planned);
  Task<> record(Target target, const Plan& plan, bool skipsTests);
  // The project as it would be after the plan.
  Task<ProjectDraft> draftOf(Target target, const Plan& plan);
  // Compiles it, for tests on given documents.
  Task<snapshot::SnapshotPtr> compiled(const ProjectDraft& draft) const;
  // Fails with testsFailed.
  Task<> checkTests(Target target, const Plan& plan);
  doc::Document planDocument(const Plan& plan) const;
  // Runs work that walks over a whole document, of up to 16 MiB, in a pool.
  template <class F>
  Async<std::invoke_result_t<F>> offCore(const snapshot::SnapshotPtr& project, F work) {
    co_return co_await walking_.run(project->info().id.str(), std::move(work));
  }
  ResourceKind* kindOf(std::string_view section) const;

  ConfigurationDeps deps_;
  const data::PolicyTestRuns policyTests_;
  std::vector<std::unique_ptr<ResourceKind>> kinds_;  // in the order of applying
  FairPool walking_{"config", 1};
};

}  // namespace mb::configuration
