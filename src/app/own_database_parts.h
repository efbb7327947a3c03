// What connects databases of projects' owners to the rest of the server.
#pragma once

#include "app/application.h"
#include "data/missing_collections.h"
#include "outbound/address_rule.h"
#include "own_changes/copier.h"
#include "store/own/router.h"

namespace mb::app {

// The rule for guarded calls out: public addresses, and what SERVICE_OUTBOUND_ALLOW lists.
class OutboundGuard final : public store::own::HostGuard {
 public:
  explicit OutboundGuard(Networks allow) : rule_(std::move(allow)) {}
  bool permits(const sockaddr* address, socklen_t size) const override {
    return rule_.permits(outbound::Trust::guarded, address, size);
  }
  bool isListed(const sockaddr* address, socklen_t size) const override { return rule_.lists(address, size); }

 private:
  const outbound::AddressRule rule_;
};

// The databases, which the store reads and writes.
struct OwnDatabaseConnections {
  explicit OwnDatabaseConnections(Networks allow) : guard(std::move(allow)) {}

  // Databases::find().
  auto lookup() {
    return [this](store::ProjectNo project) { return databases.find(project); };
  }

  // Fails with unavailable where the project has a database of its own that does not respond within some seconds.
  Task<> reach(store::ProjectNo project);

  const OutboundGuard guard;
  store::own::Databases databases{guard};
};

struct OwnDatabaseParts {
  // Blocks where the deployment itself is on MongoDB. All outlive it; `leases`: null if this is the only process.
  OwnDatabaseParts(const AllSettings& settings, const projects::ProjectDeps& deps, const MasterSecret& master,
                   OwnDatabaseConnections& connections, store::MainStore& store, Cores& cores, jobs::Leases* leases);
  // The passes that run are the last ones. Never blocks.
  void stopPasses();
  // Not from a core. REQUIRES: the copier was stopped.
  void stop();

  projects::OwnDatabases service;
  own_changes::Copier copier;

 private:
  store::own::Databases& databases_;
};

// What follows each probe of a database: collections that it does not have are marked, and indexes that were left there
// are dropped. All outlive it.
projects::OwnDatabases::ProbeFollower probeFollower(data::MissingCollectionsDeps deps, store::own::Router& store);

}  // namespace mb::app
