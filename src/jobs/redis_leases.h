// Leases that processes share through Redis: a key a job, which ends by itself after half a minute and is prolonged
// each ten seconds while the run lasts; wake-ups as messages of one channel. Redis may lose all of it at any time.
#pragma once

#include <memory>

#include "jobs/leases.h"
#include "redis/client.h"

namespace mb::jobs {

struct RedisLeasesConfig {
  // Stands before all keys: of the processes on one store, and of no others.
  std::string space;
  // This process, as long as it runs; one that takes its place at once may have the same.
  std::string instance;
  // No other process can write to the store: while Redis is away jobs run all the same. Otherwise they wait for it.
  bool alone = false;
};

class RedisLeases final : public Leases {
 public:
  // Subscribes the client, which is started afterwards, stopped before this goes, and lives on `home`.
  RedisLeases(redis::Client& client, Executor home, RedisLeasesConfig config);
  ~RedisLeases() override;

  Async<bool> take(std::string jobId) override;
  void release(const std::string& jobId) override;
  void tell(const std::vector<std::string>& jobIds) override;
  std::shared_ptr<void> listen(std::function<void(std::vector<std::string>)> told) override;

  // Begins to prolong what is held; goes on until stop(), which blocks. Not from a core.
  void start();
  void stop();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace mb::jobs
