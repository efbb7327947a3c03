// Databases that owners of projects bring (docs/own-databases.md): reached before they are taken, their addresses
// sealed, connected while their projects are active, and probed each hour.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "base/periodic_task.h"
#include "projects/projects.h"
#include "store/own/databases.h"
#include "store/sealed_fields.h"

namespace mb::projects {

struct OwnDatabaseSettings {
  explicit OwnDatabaseSettings(Settings& settings);
  OwnDatabaseSettings() = default;
  bool on = false;
};

std::vector<store::SealedField> sealedFields();

// A database that was reached.
struct ReachedDatabase {
  store::own::Address address;
  store::own::Probe probe;
};

// Where a project's database is named with ?force=1, collections may be missing there.
enum class Missing { refused, allowed };

// References outlive it. Any core.
class OwnDatabases {
 public:
  // `mainStore`: the identity of the deployment's own database (store/own/probe.h), "" on the embedded engine.
  OwnDatabases(const ProjectDeps& deps, OwnDatabaseSettings settings, const MasterSecret& master,
               store::own::Databases& databases, const store::own::HostGuard& guard, std::string mainStore);

  // The names of a project's collections. Set before the first call.
  void setCollectionNames(std::function<std::vector<std::string>(const snapshot::SnapshotPtr&)> names) {
    collectionNames_ = std::move(names);
  }
  // Opens the databases of all active projects; nothing is connected yet.
  Task<> load();
  // Probes all each hour, until stop().
  void start(const Executor& executor, TaskGroup& tasks);
  // The pass that runs is the last one. Never blocks.
  void stopPasses() { passes_.stop(); }
  // Refuses later calls and waits for the ends of those that run. Not from a core.
  void stop() { threads_.stop(); }

  // Whether projects may bring databases. Fails with forbidden.
  Result<> mayBring() const;
  // Parses the address and probes the database, within 10 s. `key`: calls of one are bounded. Fails with validation at
  // /mongoUrl, conflict (the deployment's own database), unavailable (too much to do).
  Task<ReachedDatabase> reach(std::string key, std::string url);
  // The record of a database that was reached, under a new key for ids.
  OwnDatabaseRecord recordOf(ProjectId id, store::ProjectNo number, const std::string& url,
                             const ReachedDatabase& reached) const;
  // Owner, else forbidden. Another address for the same data. Fails with conflict where the project has no database of
  // its own, where collections of the project are missing there, or where another project uses it; else as mayBring()
  // and reach().
  Task<> change(By by, std::string id, doc::Patch<std::string> url, Missing missing);
  // Owner or Admin, else forbidden. Probes the database now. Fails with notFound without one.
  Task<DatabaseCheck> check(By by, std::string id);

  // After commits: the project has this database, is active again, is suspended or deleted.
  void opened(const OwnDatabaseRecord& record);
  Task<> resumed(std::string id);
  void closed(store::ProjectNo number);

  // A pass of start().
  Task<> probeAll();

 private:
  struct Probed;
  std::string hashOf(const std::string& identity) const;
  Task<std::optional<OwnDatabaseRecord>> recordFor(std::string id);
  // Probes a database and stores what is found. `isActive`: whether its project is.
  Task<Probed> probe(OwnDatabaseRecord record, bool isActive);
  // Stores what a probe found, unless the address has changed since.
  Task<> store(OwnDatabaseRecord record, std::string probedSealed);
  Async<void> loggedPass();

  const ProjectDeps& deps_;
  const OwnDatabaseSettings settings_;
  const MasterSecret& master_;
  store::own::Databases& databases_;
  const store::own::HostGuard& guard_;
  const std::string mainStore_;
  std::function<std::vector<std::string>(const snapshot::SnapshotPtr&)> collectionNames_ =
      [](const snapshot::SnapshotPtr&) { return std::vector<std::string>(); };
  FairPool threads_;
  PeriodicTask passes_;
};

// Conflict: the database belongs to another project, or to the deployment.
Error databaseUsed();
// A hash that no database has, for a project that is deleted: another project may then use its database.
std::string unusedIdentity(const ProjectId& id);
// Adds to views what is known of the projects' own databases.
Task<> describeOwnDatabases(store::DocumentStore& store, std::vector<ProjectView>& views);

}  // namespace mb::projects
