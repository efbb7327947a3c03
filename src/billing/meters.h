// The meters of this server: the store's counters, the log of runs and the open sockets.
#pragma once

#include <functional>

#include "base/clock.h"
#include "billing/usage.h"
#include "store/store.h"

namespace mb::functions {
class RunLog;
}

namespace mb::billing {

// References outlive it. The function is called on any core and never blocks.
struct MetersDeps {
  store::DocumentStore& store;
  functions::RunLog& runs;
  const Clock& clock;
  std::function<uint64_t(store::ProjectNo)> connections;  // authenticated sockets of a project, in this process
};

class ServerMeters final : public Meters {
 public:
  explicit ServerMeters(MetersDeps deps) : deps_(std::move(deps)) {}
  const MetersDeps& deps() const { return deps_; }
  Task<ProjectUsage> of(projects::ProjectRecord project) override;
  Task<std::vector<ProjectUsage>> ofAll(std::vector<projects::ProjectRecord> all) override;

 private:
  // Without projects and environments.
  Task<ProjectUsage> measured(store::ProjectNo project);

  const MetersDeps deps_;
};

}  // namespace mb::billing
