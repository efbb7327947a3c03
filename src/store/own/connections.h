// The connections of this process to one owner's database.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/mongo/connection.h"
#include "store/own/address.h"
#include "store/own/breaker.h"
#include "store/own/host_guard.h"

namespace mb::store::own {

inline constexpr std::chrono::minutes kIdleTime{5};
// A connection that was used within this time is taken for one that works.
inline constexpr std::chrono::seconds kTrustTime{1};

// Which addresses connections may reach: without TLS, those that the guard lists alone. `guard` outlives it.
mongo::AddressCheck checkOf(const Address& address, const HostGuard& guard);

// Calls share it, so that one whose caller has stopped waiting may end later. Threads of the pool use it; what does
// not say so blocks.
class Connections {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `guard` outlives it.
  Connections(Address address, const HostGuard& guard) : address_(std::move(address)), guard_(guard) {}

  // Never blocks; any thread.
  Breaker& breaker() { return breaker_; }

  // A connection that responds, for one call; null if the database does not, which counts as a failure, and once
  // stop() was called.
  std::unique_ptr<mongo::Connection> take();
  // After use.
  void giveBack(std::unique_ptr<mongo::Connection> connection);
  // Closes those that no call has used since `before`.
  void closeIdle(Time before);
  // A connection that does not count among those of calls; it connects with its first command. Never blocks.
  std::unique_ptr<mongo::Connection> make() const;
  // Refuses later calls. Never blocks.
  void stop() { stopped_ = true; }
  bool isStopped() const { return stopped_; }
  // Whether there is an unused connection. Never blocks.
  bool hasIdle() const;

 private:
  struct Idle {
    std::unique_ptr<mongo::Connection> connection;
    Time since;
  };

  const Address address_;
  const HostGuard& guard_;
  Breaker breaker_;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;
  std::vector<Idle> idle_;  // the one used last at the end; at most as many as calls run at once
};

}  // namespace mb::store::own
