// Integrations of projects, the module wired: made once by app/. Source: contract 2.12, 4.5; decisions 5 and 8.
#pragma once

#include "audit/audit.h"
#include "identity/project_access.h"
#include "integrations/bot_provider.h"
#include "integrations/integration_rules.h"
#include "integrations/integration_table.h"
#include "integrations/integrations.h"
#include "store/sealed_fields.h"

namespace mb::integrations {

// Collections of projects that this module owns, and what it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();
// A stored integration of a project that comes back from a backup: disabled, so that the copy reaches nobody until
// somebody says so.
doc::Document asRestored(doc::DocumentView integration);

// References outlive the module.
struct IntegrationDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  outbound::Outbound& outbound;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
  BotSettings bots;
  std::string baseUrl;
};

// Who does it, in which project, and until when.
using Access = identity::ProjectAccess;

// Permissions are the routes' business; every change is audited in its own commit, secrets by their names alone, and
// holds for each call after it was answered. Calls on a named integration fail with notFound where there is none. Any
// core.
class Integrations final : public Caller {
 public:
  // Adds the module's slot.
  explicit Integrations(IntegrationDeps deps);

  // [{provider, label, config, secrets, ops}], each as catalogue.
  std::vector<doc::Document> catalogues() const;
  // Null where there is none.
  Provider* provider(std::string_view name) const;

  std::vector<IntegrationView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<IntegrationView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation; conflict for a taken name, or past store::kMaxIntegrations.
  Task<IntegrationView> create(Access access, NewIntegration input);
  // Fails with validation. The provider stays.
  Task<> change(Access access, std::string name, IntegrationPatch patch);
  Task<> remove(Access access, std::string name);
  Task<> saveTests(Access access, std::string name, StoredTests tests);
  // Creates it without secrets, or changes what is there; validation where that is of another provider.
  Task<> import(Access access, IntegrationShape shape);
  // What keeps `shape` from being imported: its config would send secrets that are held elsewhere. Paths within it.
  std::vector<ErrorDetail> importProblems(const snapshot::ProjectSnapshot& project,
                                          const IntegrationShape& shape) const;

  // One call by hand, also of one that is not enabled. A dry one is checked and gives its stub, or null. Fails with
  // validation, conflict (no secret that it takes), upstreamFailed.
  Task<TryResult> tryCall(Access access, std::string name, TryBody body);
  // Each test after the other: with a stub dry, without one live. One whose turn comes after the deadline fails.
  Task<SuiteOutcome> runTests(Access access, std::string name);

  Task<doc::Value> call(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments,
                        store::Deadline deadline, std::stop_token aborted) override;
  Task<> check(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments) override;

 private:
  // What is to be different; absent stays.
  struct Edit {
    std::optional<doc::Document> config;
    std::optional<bool> enabled;
    std::optional<std::vector<StoredTest>> tests;
    SecretEdit secrets;
  };

  Result<IntegrationPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  Result<IntegrationPtr> enabled(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  Provider& providerOf(const IntegrationRecord& record) const;
  IntegrationView viewOf(const IntegrationRecord& record) const;
  Result<> checkEdit(const Provider& provider, const Edit& edit) const;
  // The secrets that `config` would send elsewhere, but for those that are given or removed with it.
  std::vector<std::string> movedSecrets(const IntegrationRecord& record, const doc::Document& config,
                                        const SecretEdit& given) const;
  // apply(), within the limit of headers.
  Result<> change(const Access& access, const Edit& edit, IntegrationRecord& record) const;
  Result<> apply(const Access& access, const Edit& edit, IntegrationRecord& record) const;
  doc::Document detailsOf(const IntegrationRecord& record, const Edit& edit) const;
  // A new one, with what `edit` says.
  Task<IntegrationRecord> insert(Access access, std::string name, std::string providerName, Edit edit);
  Task<> edit(Access access, std::string name, Edit edit);
  Task<doc::Value> send(snapshot::SnapshotPtr project, IntegrationPtr integration, std::string op,
                        doc::Document arguments, store::Deadline deadline, std::stop_token aborted);
  Task<doc::Value> answerTo(Access access, IntegrationPtr integration, StoredTest test);

  const IntegrationDeps deps_;
  std::vector<std::unique_ptr<Provider>> providers_;
  const SecretBox box_;
  IntegrationTables tables_;
  const snapshot::SlotKey<IntegrationTable> slot_;
};

}  // namespace mb::integrations
