// Databases that owners of projects bring (docs/own-databases.md): reached before they are taken, their addresses
// sealed, connected while their projects are active, and probed each hour.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
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

// The unique index of kOwnDatabases: a database belongs to one project.
inline constexpr std::string_view kIdentityIndex = "identity";

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

  // The names of a project's collections, by their names in its database.
  using CollectionNames = std::map<std::string, std::string, std::less<>>;
  // Set before the first call.
  void setCollectionNames(std::function<CollectionNames(const snapshot::SnapshotPtr&)> names) {
    collectionNames_ = std::move(names);
  }
  // Called after each probe that reached the database, with the names there of the project's collections that it does
  // not have. Set before the first call.
  using ProbeFollower = std::function<Task<>(snapshot::SnapshotPtr, std::set<std::string, std::less<>> absent)>;
  void setProbed(ProbeFollower probed) { probed_ = std::move(probed); }
  // Opens the databases of all active projects; nothing is connected yet.
  Task<> load();
  // Called with a project before its snapshot is used: opens its database where another process has created it and
  // the notice has not arrived.
  std::function<Task<>(const snapshot::ProjectInfo&)> follower();
  // Probes all each hour, and one where its commands show that it has changed; follows what other processes of the
  // deployment change. Until stopPasses().
  void start(const Executor& executor, TaskGroup& tasks);
  // The pass that runs is the last one. Never blocks.
  void stopPasses();
  // Refuses later calls and waits for the ends of those that run. Not from a core.
  void stop() { threads_.stop(); }

  // Whether projects may bring databases. Fails with forbidden.
  Result<> mayBring() const;
  // Parses the address and probes the database, within 10 s. `key`: calls of one are bounded. Fails with validation at
  // /mongoUrl, conflict (the deployment's own database), unavailable (too much to do). `used`: as of own::probe().
  Task<ReachedDatabase> reach(std::string key, std::string url, std::vector<std::string> used = {});
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

  // A pass of start(): all databases as they are stored, then a probe of each.
  Task<> probeAll();

 private:
  struct Probed {
    OwnDatabaseRecord record;
    bool reachable = false;
  };
  std::string hashOf(const std::string& identity) const;
  Task<std::optional<OwnDatabaseRecord>> recordFor(std::string id);
  // Probes a database and stores what is found. `isActive`: whether its project is.
  Task<Probed> probe(OwnDatabaseRecord record, bool isActive);
  // opened(), but of a restored project whose database may be another's now: once a probe has shown that it is not.
  void openOrProbe(const OwnDatabaseRecord& record);
  // Stores what a probe found, unless the address has changed since. `isChanged`: other processes open it again.
  Task<> store(OwnDatabaseRecord record, std::string probedSealed, bool isChanged);
  Async<void> loggedPass();
  // Where a call has shown that the database has changed.
  Async<void> probeChanged(store::ProjectNo number);
  Task<> probeOne(store::ProjectNo number);
  // Of a process of the deployment, also this one. Any thread.
  void noticed(const store::Notice& notice);
  // Opens or closes what was noticed, one after another, as it is stored.
  Async<void> followNotices();
  Task<> follow(std::string id, store::ProjectNo number);
  // follow(), for one that is not known.
  Task<> know(store::ProjectNo number, std::string id);
  bool spawn(Async<void> task);

  const ProjectDeps& deps_;
  const OwnDatabaseSettings settings_;
  const MasterSecret& master_;
  store::own::Databases& databases_;
  const store::own::HostGuard& guard_;
  const std::string mainStore_;
  std::function<CollectionNames(const snapshot::SnapshotPtr&)> collectionNames_ = [](const snapshot::SnapshotPtr&) {
    return CollectionNames();
  };
  ProbeFollower probed_ = [](snapshot::SnapshotPtr, std::set<std::string, std::less<>>) -> Task<> {
    co_return Result<>();
  };
  FairPool threads_;
  PeriodicTask passes_;
  std::optional<Executor> executor_;        // of start()
  std::atomic<TaskGroup*> tasks_{nullptr};  // null before start()
  std::mutex mutex_;
  std::map<std::string, store::ProjectNo> noticed_;  // projects to follow, by id; one entry per project
  bool isFollowing_ = false;
  std::shared_ptr<void> listening_;
};

// Conflict: the database belongs to another project, or to the deployment.
Error databaseUsed();
// A hash that no database has, for a project that is deleted: another project may then use its database.
std::string unusedIdentity(const ProjectId& id);
// Whether the record has such an identity.
bool isFreed(const OwnDatabaseRecord& record);
// The notice of a commit that changes a project's database, or the status of a project that may have one.
store::Notice databaseNotice(store::ProjectNo project, const ProjectId& id);
// Adds to views what is known of the projects' own databases, and that an environment has not inherited that of its
// root.
Task<> describeOwnDatabases(store::DocumentStore& store, std::vector<ProjectView>& views);

}  // namespace mb::projects
