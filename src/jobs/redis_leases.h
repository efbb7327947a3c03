// RedisLeases keeps leases in Redis: a key per job, which expires after half a minute and is renewed every ten seconds
// while the job runs. Wake-ups are messages of one channel. Redis may lose all of it at any time.
#pragma once

#include <memory>

#include "jobs/leases.h"
#include "redis/client.h"

namespace mb::jobs {

struct RedisLeasesConfig {
  // Prefix of all keys: shared by the processes of one store, and by no others.
  std::string space;
  // Identifies this process while it runs; a process that replaces it at once may use the same.
  std::string instance;
  // No other process can write to the store, so jobs also run while Redis is unavailable. If false, they wait for it.
  bool alone = false;
};

class RedisLeases final : public Leases {
 public:
  // Subscribes with `client`. REQUIRES: the client runs on `home`, is started afterwards, and stopped before this is
  // destroyed.
  RedisLeases(redis::Client& client, Executor home, RedisLeasesConfig config);
  ~RedisLeases() override;

  Async<bool> take(std::string id) override;
  void release(const std::string& id) override;
  void notify(const std::vector<std::string>& jobIds) override;
  std::shared_ptr<void> listen(std::function<void(std::vector<std::string>)> listener) override;

  void start() override;
  void stop() override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace mb::jobs
