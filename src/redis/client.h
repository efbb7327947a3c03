// A Client sends commands to Redis in a pipeline and subscribes to one channel, each on a connection of its own. Redis
// holds what processes share and may lose: every call fails at once while Redis is unavailable, and none waits longer
// than a second.
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
  // The connections run on `home`, a core.
  Client(Executor home, Address address);
  // REQUIRES: stop() was called, or start() was not.
  ~Client();

  // Calls `onMessage` for each message of a channel, from start() on; nullopt: messages may have been missed. It runs
  // on `home` and must return at once. REQUIRES: called once at most, before start().
  void subscribe(std::string channel, std::function<void(std::optional<std::string> message)> onMessage);
  void start();
  // Ends the connections once Redis has carried out what was sent before, or has not replied for a second; waiting
  // calls fail. Not from a core. May be called again.
  void stop();

  // The reply to a command. Fails with unavailable (not connected, no reply within a second, 1,024 calls wait) and
  // upstreamFailed (Redis replied with an error). Any core.
  Task<Reply> call(std::vector<std::string> command);
  // The same, without waiting for a reply. Any thread.
  void send(std::vector<std::string> command);
  // Whether Redis replies. Any thread.
  bool up() const;

 private:
  void finishSent();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::redis
