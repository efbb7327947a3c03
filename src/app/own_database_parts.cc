#include "app/own_database_parts.h"

#include "base/log.h"

namespace mb::app {

namespace {

// The identity of the deployment's own database (store/own/probe.h); "" on the embedded engine. Blocks.
std::string mainStoreIdentity(const StoreSettings& settings) {
  if (!settings.isOnMongo()) return {};
  store::mongo::Connection connection(settings.mongo.uri);
  doc::BsonWriter hello;
  hello.appendInt32("hello", 1);
  const auto reply = connection.run("admin", hello.finish());
  if (reply) return store::own::identityOf(*reply, "", settings.mongo.prefix);
  logWarn("the database did not say which one it is; projects may name it as their own",
          {{"code", reply.error().code}});
  return {};
}

Task<> followProbe(data::MissingCollectionsDeps deps, store::own::Router& store, snapshot::SnapshotPtr project,
                   std::set<std::string, std::less<>> absent) {
  const store::ProjectNo number = project->info().number;
  CO_RETURN_IF_ERROR(co_await data::markMissing(deps, std::move(project), std::move(absent)));
  const Result<> dropped = co_await store.dropLeftIndexes(number);
  if (!dropped) {
    logWarn("indexes were left in a project's own database; the next probe drops them",
            {{"project", number}, {"problem", dropped.error().message()}});
  }
  co_return Result<>();
}

}  // namespace

projects::OwnDatabases::ProbeFollower probeFollower(data::MissingCollectionsDeps deps, store::own::Router& store) {
  return [deps, &store](snapshot::SnapshotPtr project, std::set<std::string, std::less<>> absent) {
    return followProbe(deps, store, std::move(project), std::move(absent));
  };
}

Task<> OwnDatabaseConnections::reach(store::ProjectNo project) {
  const auto database = databases.find(project);
  if (!database) co_return Result<>();
  // A call gets a connection that responds.
  const auto nothing = [](store::mongo::Connection&) -> Result<> { return {}; };
  co_return co_await database->run(std::chrono::steady_clock::now() + 2 * store::own::kWait, nothing);
}

OwnDatabaseParts::OwnDatabaseParts(const AllSettings& settings, const projects::ProjectDeps& deps,
                                   const MasterSecret& master, OwnDatabaseConnections& connections,
                                   store::MainStore& store, Cores& cores, jobs::Leases* leases)
    : service(deps, settings.ownDatabases, master, connections.databases, connections.guard,
              mainStoreIdentity(settings.store)),
      copier({store, connections.databases, deps.auditor, deps.clock, cores, leases}),
      databases_(connections.databases) {}

void OwnDatabaseParts::stopPasses() {
  service.stopPasses();
  copier.stopPasses();
}

void OwnDatabaseParts::stop() {
  service.stop();
  databases_.stop();
}

}  // namespace mb::app
