// Functions of projects: their definitions. What runs them: running.h. Made once by app/, before the dispatcher starts.
// Source: contract 2.11, 3.4, 4.5; decisions 5 and 8.
#pragma once

#include "functions/checked_codes.h"
#include "functions/flow_compiler.h"
#include "functions/function_rules.h"
#include "functions/function_table.h"
#include "functions/function_writer.h"

namespace mb::functions {

// Collections of projects that this module owns; the timetable's rows stand in the control project.
std::vector<store::SystemCollection> systemCollections();

// Permissions are the routes' business; every change is audited in its own commit and holds for whatever runs after it
// was answered. Calls on a named function fail with notFound where there is none. Any core.
class Functions final : public data::CollectionReferrer {
 public:
  // Adds the module's slot, and itself to the collections' referrers.
  explicit Functions(FunctionDeps deps);

  std::vector<FunctionView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<FunctionView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation (fields, the code's syntax, the flow); conflict for a taken name or route, or past
  // what a project may hold (store/configuration_limits.h); unavailable where code cannot be checked now.
  Task<FunctionView> create(Access access, NewFunction input);
  // Fails as create does. A change of code, trigger, timing or timeout is a new version. A post function that is
  // enabled, or sent to follow another collection, gets what is changed from then on.
  Task<> change(Access access, std::string name, FunctionPatch patch);
  // With its versions and its log. What waits to be run is dropped.
  Task<> remove(Access access, std::string name);

  // Newest first, without those that the ring has lost.
  Task<std::vector<VersionView>> versions(snapshot::SnapshotPtr project, std::string name, int64_t limit);
  // Fails with notFound also for a version that there never was, or is no more.
  Task<VersionView> version(snapshot::SnapshotPtr project, std::string name, int64_t version);
  // Makes the function what it was, as a new version. Whether it is enabled, and its tests, stay.
  Task<FunctionView> rollback(Access access, std::string name, int64_t version);

  // ---- for an import
  // Code as it would be stored: checked as it is, or compiled from the flow. Fails with validation at "/code" or
  // "/flow/…".
  struct Prepared {
    std::string code;
    workers::CheckedCode runs;
  };
  Task<Prepared> prepare(store::ProjectNo project, std::optional<std::string> code, std::optional<doc::Document> flow);
  // About how many bytes what runs of checked code takes, without the code itself.
  uint64_t runningBytes(store::ProjectNo project, std::string_view code);
  // Takes the routes of these functions off them, so that they can change hands; each gets its own with its next
  // change.
  Task<> releaseRoutes(Access access, std::vector<std::string> names);

  snapshot::SlotKey<FunctionTable> slot() const { return slot_; }

  Task<> bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) override;

 private:
  // What is wrong with a flow whose code did not pass, by its node.
  Async<Error> wrongNode(store::ProjectNo project, CompiledFlow flow, Error error);
  Result<FunctionPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  int64_t numberOf(const snapshot::ProjectSnapshot& project, doc::DocumentView trigger) const;
  Task<VersionRecord> storedVersion(store::ProjectNo project, std::string functionId, int64_t version);
  // As it is shown, by the collections' names of this moment.
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
