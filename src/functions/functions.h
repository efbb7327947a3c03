// The definitions of functions. Created once by app/, before the dispatcher starts. functions_runtime.h runs them.
#pragma once

#include "functions/checked_codes.h"
#include "functions/flow_compiler.h"
#include "functions/function_rules.h"
#include "functions/function_table.h"
#include "functions/function_writer.h"

namespace mb::functions {

// Collections of projects that this module owns; the timetable's rows are in the control project.
std::vector<store::SystemCollection> systemCollections();

// The routes check permissions. Every change is audited in its own commit, and applies to all runs that begin after it
// has returned. Calls on a named function fail with notFound if it does not exist. Any core.
class Functions final : public data::CollectionReferrer, public variables::VariableUser {
 public:
  // Adds the module's slot, and itself to the collections' referrers and the users of variables.
  explicit Functions(FunctionDeps deps);

  std::vector<FunctionView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<FunctionView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation (fields, the code's syntax, the flow); conflict for a taken name or route, or past a
  // project's limits (store/configuration_limits.h); unavailable if code cannot be checked now.
  Task<FunctionView> create(Access access, NewFunction input);
  // Fails as create does. A change of code, trigger, timing or timeout is a new version. A post function that is
  // enabled, or set to follow another collection, gets the changes from then on.
  Task<> change(Access access, std::string name, FunctionPatch patch);
  // Removes the function with its versions and its log. Its queued runs are dropped.
  Task<> remove(Access access, std::string name);

  // Newest first, without those that the ring has overwritten.
  Task<std::vector<VersionView>> versions(snapshot::SnapshotPtr project, std::string name, int64_t limit);
  // Fails with notFound also for a version that never existed, or was overwritten.
  Task<VersionView> version(snapshot::SnapshotPtr project, std::string name, int64_t version);
  // Restores a former version, as a new version. `enabled`, the tests and the retries are unchanged; fails with
  // validation if retries are set and the version is a pre-hook.
  Task<FunctionView> rollback(Access access, std::string name, int64_t version);

  // ---- for an import
  // The stored form of code: the checked code, or code compiled from the flow. Fails with validation at "/code" or
  // "/flow/…".
  struct Prepared {
    std::string code;
    workers::CheckedCode runs;
  };
  Task<Prepared> prepare(store::ProjectNo project, std::optional<std::string> code, std::optional<doc::Document> flow);
  // The function as create() would save it, for its stored tests alone. Fails as prepare() does.
  Task<FunctionPtr> drafted(store::ProjectNo project, NewFunction input);
  // The approximate size of the checked form of the code, without the code itself.
  uint64_t runningBytes(store::ProjectNo project, std::string_view code);
  // Removes the routes of these functions, so that other functions can take them; each gets its own with its next
  // change.
  Task<> releaseRoutes(Access access, std::vector<std::string> names);

  snapshot::SlotKey<FunctionTable> slot() const { return slot_; }

  Task<> bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) override;
  const variables::Variables& variables() const { return deps_.variables; }
  std::vector<variables::VariableUse> uses(const snapshot::ProjectSnapshot& project) const override;
  variables::Problems problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                   std::string_view name) const override;

 private:
  // Fails with validation where code or flow reads a secret variable.
  Result<> checkVariables(const snapshot::ProjectSnapshot& project, const std::optional<std::string>& code,
                          const std::optional<doc::Document>& flow) const;
  // The error of a flow whose code did not pass the check, mapped to its node.
  Async<Error> wrongNode(store::ProjectNo project, CompiledFlow flow, Error error);
  Result<FunctionPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  int64_t numberOf(const snapshot::ProjectSnapshot& project, doc::DocumentView trigger) const;
  Task<VersionRecord> storedVersion(store::ProjectNo project, std::string functionId, int64_t version);
  // The view of a record, with the collections' current names.
  Task<FunctionView> shown(store::ProjectNo project, FunctionRecord record);

  const FunctionDeps deps_;
  FunctionTables tables_;
  const snapshot::SlotKey<FunctionTable> slot_;
  FunctionWriter writer_;
  CheckedCodes checked_;
};

FunctionView viewOf(const Function& function);
VersionView viewOf(VersionRecord record);

}  // namespace mb::functions
