// Integrations of projects. Created once by app/.
#pragma once

#include "audit/audit.h"
#include "identity/project_access.h"
#include "integrations/bot_provider.h"
#include "integrations/integration_rules.h"
#include "integrations/integration_table.h"
#include "integrations/integrations.h"
#include "store/sealed_fields.h"
#include "variables/variables.h"

namespace mb::integrations {

// This module's collections of projects, and the fields that it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();
// A stored integration in a project that is restored from a backup: disabled, so that the copy calls no service until a
// user enables it.
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
  variables::Variables& variables;
  BotSettings bots;
  std::string baseUrl;
};

// The caller, the project and the deadline of a call.
using Access = identity::ProjectAccess;

// The routes check permissions; besides, a caller that sets secrets which name secret variables, or ones that the
// project does not have, needs variables:manage (forbidden). Every change is audited in its own commit, secrets only by
// their names, and applies to each call after it returned. Calls on a named integration fail with notFound where it
// does not exist. Any core.
class Integrations final : public Caller, public variables::VariableUser {
 public:
  // Adds the module's snapshot slot, and itself to the users of variables.
  explicit Integrations(IntegrationDeps deps);

  // The catalogue of each provider: [{provider, label, config, secrets, ops}].
  std::vector<doc::Document> catalogues() const;
  // Null for an unknown name.
  Provider* provider(std::string_view name) const;

  std::vector<IntegrationView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<IntegrationView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation; conflict for a taken name, or past store::kMaxIntegrations.
  Task<IntegrationView> create(Access access, NewIntegration input);
  // Fails with validation. The provider cannot change.
  Task<> change(Access access, std::string name, IntegrationPatch patch);
  Task<> remove(Access access, std::string name);
  Task<> saveTests(Access access, std::string name, StoredTests tests);
  // Creates it without secrets, or changes the existing one; validation where that has another provider.
  Task<> import(Access access, IntegrationShape shape);
  // The problems of importing `shape`: its config would send stored secrets to another destination, other than one that
  // a variable of the project decides. Paths within it.
  std::vector<ErrorDetail> importProblems(const snapshot::ProjectSnapshot& project,
                                          const IntegrationShape& shape) const;
  // Whether importing `shape` sends stored secrets to another destination.
  bool movesSecrets(const snapshot::ProjectSnapshot& project, const IntegrationShape& shape) const;

  // The problems of the config of `shape`, apart from the values of variables. Paths within it.
  std::vector<ErrorDetail> literalProblems(const Provider& provider, const IntegrationShape& shape) const;
  // Those with the project's values, in an import of `document`; of names without a value unless `allowMissing`.
  std::vector<ErrorDetail> variableProblems(const snapshot::ProjectSnapshot& project, doc::DocumentView document,
                                            const IntegrationShape& shape, bool allowMissing) const;

  std::vector<variables::VariableUse> uses(const snapshot::ProjectSnapshot& project) const override;
  variables::Problems problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                   std::string_view name) const override;

  // One call for the admin API, also of a disabled integration. A dry one is only checked and returns its stub, or
  // null. Fails with validation, conflict (a secret that it needs is missing), upstreamFailed.
  Task<TryResult> tryCall(Access access, std::string name, TryBody body);
  // Runs the tests one after the other: dry with a stub, live without. Tests that are reached after the deadline fail.
  Task<SuiteOutcome> runTests(Access access, std::string name);

  Task<doc::Value> call(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments,
                        CallOptions options) override;
  Task<> check(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments) override;

 private:
  // The changes; absent fields stay unchanged.
  struct Edit {
    std::optional<doc::Document> config;
    std::optional<bool> enabled;
    std::optional<std::vector<StoredTest>> tests;
    SecretEdit secrets;
    bool mayMove = false;  // the config may send stored secrets to another destination
  };

  Result<IntegrationPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  Result<IntegrationPtr> enabled(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  Provider& providerOf(const IntegrationRecord& record) const;
  IntegrationView viewOf(const IntegrationRecord& record) const;
  Result<> checkEdit(const Access& access, const Provider& provider, const Edit& edit) const;
  // The secrets that `config` would send to another destination, except those that are set or removed with it.
  std::vector<std::string> movedSecrets(const IntegrationRecord& record, const doc::Document& config,
                                        const SecretEdit& given) const;
  // Whether variables that have a value decide the destination of `shape`.
  bool followsValue(const snapshot::ProjectSnapshot& project, const IntegrationShape& shape) const;
  // apply(), with a check of the limit of headers.
  Result<> change(const Access& access, const Edit& edit, IntegrationRecord& record) const;
  Result<> apply(const Access& access, const Edit& edit, IntegrationRecord& record) const;
  doc::Document detailsOf(const IntegrationRecord& record, const Edit& edit) const;
  // The integration and its secrets with the values of their variables.
  Result<std::pair<IntegrationPtr, Secrets>> opened(const snapshot::ProjectSnapshot& project,
                                                    IntegrationPtr integration) const;
  Result<> checkCallOf(const snapshot::ProjectSnapshot& project, IntegrationPtr integration, std::string_view op,
                       doc::DocumentView arguments) const;
  // Inserts a new one with the fields of `edit`.
  Task<IntegrationRecord> insert(Access access, std::string name, std::string providerName, Edit edit);
  Task<> edit(Access access, std::string name, Edit edit);
  Task<doc::Value> send(snapshot::SnapshotPtr project, IntegrationPtr integration, std::string op,
                        doc::Document arguments, CallOptions options);
  Task<doc::Value> runTest(Access access, IntegrationPtr integration, StoredTest test);

  const IntegrationDeps deps_;
  std::vector<std::unique_ptr<Provider>> providers_;
  const SecretBox box_;
  IntegrationTables tables_;
  const snapshot::SlotKey<IntegrationTable> slot_;
};

}  // namespace mb::integrations
