// The shape of a project as one document: exported, planned and imported. Shape only, never data, never secrets.
// Source: contract 2.16, 4.5, 4.11, 9; decisions 6 to 8.
//
// An import is merged by name and never deletes. Everything is checked before anything is applied; what is applied goes
// through the services that the admin routes use, one after another: it is no transaction. A failure leaves what came
// before it, and the same import again goes on from there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/fair_pool.h"
#include "configuration/resource_kind.h"
#include "data/data.h"
#include "identity/identity.h"

namespace mb::configuration {

// Of an import's body.
inline constexpr size_t kMaxDocument = 16 << 20;

// What names a plan, the `plan` of an answer: 64 hex digits.
std::string planDigestOf(doc::DocumentView plan);

// References outlive the module.
struct ConfigurationDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  const Clock& clock;
  audit::Auditor& auditor;
  identity::Identity& identity;
  data::Data& data;
  std::string version;  // the server's
};

class Configuration {
 public:
  explicit Configuration(ConfigurationDeps deps);
  // A kind of a module above. At start-up.
  void add(std::unique_ptr<ResourceKind> kind);

  // The whole shape, in JSON's types: keys in a fixed order, entries by name, so that two exports of one shape differ
  // in exportedAt alone.
  Task<doc::Document> exported(snapshot::SnapshotPtr project);

  // What an import would do: {plan: {changes, summary}, problems: []}. Fails with validation (every problem in the
  // details; of a document that is too wide, those that its outline shows), forbidden (what a change takes and the
  // caller does not hold; config:manage is the caller's business).
  Task<doc::Document> plan(Target target, doc::Document document);
  // Does it, recorded as config.import beside the entries of what it does; {plan, problems, applied: true}. Fails as
  // plan does, and with conflict where the plan is not the one of `planDigest` ("" for any), with nothing done; then as
  // the services do.
  Task<doc::Document> import(Target target, doc::Document document, std::string planDigest = {});

  // Brings as much of `from` as goes into `target`; a warning for each part that did not.
  Task<std::vector<std::string>> copy(snapshot::SnapshotPtr from, Target target);
  // The shape of `project` with values in the types they have, for import() in the same process.
  Task<doc::Document> shapeOf(snapshot::SnapshotPtr project);

  // After the jobs: what still waits to be walked over gets unavailable.
  void stop() { walking_.stop(); }

 private:
  struct Planned {
    ResourceKind* kind;
    std::vector<Change> changes;  // by name
  };
  using Plan = std::vector<Planned>;  // in the order of applying

  Task<Plan> planned(Target target, doc::Document document);
  Task<Planned> plannedKind(ResourceKind& kind, ResourceKind::Source source, Problems& problems);
  Result<> checkCaller(const policy::Caller& caller, const Plan& plan) const;
  // Fails with payloadTooLarge where a save of the plan would, as far as that can be foreseen: the commits decide.
  Task<> checkSize(Target target, const Plan& plan) const;
  Task<> apply(Target target, Planned planned);
  Task<> record(Target target, const Plan& plan);
  doc::Document planDocument(const Plan& plan) const;
  // What walks over a whole document, which may have 16 MiB, off the core.
  template <class F>
  Async<std::invoke_result_t<F>> offCore(const snapshot::SnapshotPtr& project, F work) {
    co_return co_await walking_.run(project->info().id.str(), std::move(work));
  }
  ResourceKind* kindOf(std::string_view section) const;

  ConfigurationDeps deps_;
  std::vector<std::unique_ptr<ResourceKind>> kinds_;  // in the order of applying
  FairPool walking_{"config", 1};
};

}  // namespace mb::configuration
