// Redis for what processes share and may lose: commands in a pipeline, and one channel to listen to, each on a
// connection of its own. Everything here fails at once while Redis is away, and nothing waits for it longer than a
// second.
#pragma once

#include <functional>

#include "base/cores.h"
#include "base/settings.h"
#include "redis/address.h"
#include "redis/reply.h"

namespace mb::redis {

struct RedisSettings {
  explicit RedisSettings(Settings& settings);
  RedisSettings() = default;
  std::optional<Address> address;  // REDIS_URL
};

class Client {
 public:
  // Connections live on `home`, a core.
  Client(Executor home, Address address);
  // After stop(), or before start().
  ~Client();

  // What is said in a channel, from start() on; nullopt: what was said may have been missed. On `home`; must return at
  // once. Before start(), once.
  void subscribe(std::string channel, std::function<void(std::optional<std::string> message)> told);
  void start();
  // Ends the connections; calls that wait fail. Not from a core. May be called again.
  void stop();

  // The answer to a command. Fails with unavailable (away, no answer within a second, 1,024 calls wait) and
  // upstreamFailed (Redis says that it is an error). Any core.
  Task<Reply> call(std::vector<std::string> command);
  // The same for whom no answer matters. Any thread.
  void send(std::vector<std::string> command);
  // Whether Redis answers. Any thread.
  bool up() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::redis
