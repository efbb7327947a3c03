// Realtime: sockets that follow the changes of a project's collections, each as far as its caller may read them. What a
// socket says and is told: docs/realtime.md. Source: contract 3.7, 4.4, 6.1; decisions 8 ("Realtime").
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/settings.h"
#include "data/collection_table.h"
#include "http/websocket.h"
#include "identity/authenticator.h"
#include "store/change_feed.h"

namespace mb::realtime {

struct RealtimeSettings {
  explicit RealtimeSettings(Settings& settings);
  RealtimeSettings() = default;
  std::optional<size_t> maxConnections;  // of a project, in this process; unset: as many as there are
};

// References outlive the module.
struct RealtimeDeps {
  store::ChangeFeed& feed;
  identity::Authenticator& authenticator;
  snapshot::SlotKey<data::CollectionTable> collections;
  Cores& cores;
  const Clock& clock;
  const MasterSecret& master;
};

inline constexpr size_t kMaxSubscriptions = 100;  // a socket
// Sockets of one address that have not said yet who they are; each has ten seconds for it.
inline constexpr size_t kMaxUnknownPerAddress = 1000;

class Realtime {
 public:
  Realtime(const RealtimeDeps& deps, const RealtimeSettings& settings);
  ~Realtime();

  // Before the first socket.
  void start();
  // After the sockets were closed; ends what runs in the background, false when some of it has not ended by then. Not
  // from a core.
  bool stop(std::chrono::milliseconds limit);

  // What a new socket of the client at `address` talks to. On the socket's core. Fails with rateLimited.
  Result<std::shared_ptr<http::WebSocketHandler>> accept(const std::string& address);

  // Authenticated sockets of a project, now. Any thread.
  size_t connections(store::ProjectNo project) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::realtime
