// Realtime: sockets that follow the changes of a project's collections, as far as the caller may read them. Protocol:
// docs/realtime.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/settings.h"
#include "data/grant.h"
#include "http/websocket.h"
#include "identity/authenticator.h"
#include "plans/plans.h"
#include "store/change_feed.h"

namespace mb::realtime {

struct RealtimeSettings {
  explicit RealtimeSettings(Settings& settings);
  RealtimeSettings() = default;
  // Of a project, in this process; unset: no limit. The plan's limit holds where it is lower.
  std::optional<size_t> maxConnections;
};

// References outlive the module.
struct RealtimeDeps {
  store::ChangeFeed& feed;
  identity::Authenticator& authenticator;
  const data::Grants& grants;
  Cores& cores;
  const Clock& clock;
  const MasterSecret& master;
  snapshot::Snapshots& snapshots;  // for sockets without a token
  plans::PlanSlot plan;
  // Fails where the project's documents cannot be read, and so not be followed; null: they always can.
  std::function<Task<>(store::ProjectNo)> reachable = {};
};

inline constexpr size_t kMaxSubscriptions = 100;  // a socket
// Limit of the sockets of one address that have not authenticated; each has ten seconds for it.
inline constexpr size_t kMaxUnknownPerAddress = 1000;
// Limit of the sockets of one address that have authenticated without a token. Those of a project are at most half of
// its limit of sockets.
inline constexpr size_t kMaxAnonymousPerAddress = 20;

class Realtime {
 public:
  Realtime(const RealtimeDeps& deps, const RealtimeSettings& settings);
  ~Realtime();

  // Called before the first socket.
  void start();
  // Called after the sockets were closed; ends the background coroutines, false if some have not ended within `limit`.
  // Not from a core.
  bool stop(std::chrono::milliseconds limit);

  // The handler of a new socket of the client at `address`. `project` is the id or slug of the project that it belongs
  // to without a token; "": the only one; nullopt: none. On the socket's core. Fails with rateLimited.
  Result<std::shared_ptr<http::WebSocketHandler>> accept(const std::string& address,
                                                         std::optional<std::string> project = "");

  // The number of authenticated sockets of a project, in this process. Any thread.
  int64_t openSockets(store::ProjectNo project) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::realtime
