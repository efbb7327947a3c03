// The realtime state of one core: its sockets, and each project that they follow. Used on that core only, except
// receive(). Private to this module.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/task_group.h"
#include "realtime/caller_refresh.h"
#include "realtime/connection_limiter.h"
#include "realtime/core_semaphore.h"
#include "realtime/feeds.h"
#include "realtime/position.h"
#include "realtime/project_hub.h"
#include "realtime/realtime.h"

namespace mb::realtime {

class Session;
using AddressLimiter = ConnectionLimiter<std::string>;
using ProjectLimiter = ConnectionLimiter<store::ProjectNo>;

// State shared by all cores.
struct Shared {
  RealtimeDeps deps;
  std::shared_ptr<AddressLimiter> unknown;      // sockets that have not authenticated
  std::shared_ptr<ProjectLimiter> connections;  // those that have
  std::shared_ptr<AddressLimiter> anonymous;    // those without a token, which `connections` counts too
  std::shared_ptr<ProjectLimiter> anonymousOfProject;
  Feeds* feeds = nullptr;
  TaskGroup background;
};

// Limit of the change log pages that sockets of one core read at a time to catch up.
inline constexpr size_t kMaxReplays = 8;

class CoreHub final : public BatchReceiver {
 public:
  CoreHub(Shared& shared, int core);
  ~CoreHub() override;

  // Checks the sockets each second, until stop(). Call each once, on any thread; stop() while the core runs or after it
  // was joined.
  void start();
  void stop();
  // One check: a second has passed. Called by start(), and by tests instead of it.
  void checkSockets();

  void add(Session& session);
  void remove(Session& session);
  // The project's hub on this core, created on first use.
  std::shared_ptr<ProjectHub> project(store::ProjectNo number);
  void receive(store::ProjectNo project, ProjectReaderPtr from, LogBatchPtr batch) override;

  Shared& shared() { return shared_; }
  const RealtimeDeps& deps() const { return shared_.deps; }
  int core() const { return core_; }
  Executor executor() { return shared_.deps.cores.at(core_).get_executor(); }
  Names& names() { return names_; }
  PositionCipher& positions() { return positions_; }
  // Seconds since the start of this hub; sockets measure their time limits with it.
  int64_t tick() const { return tick_; }
  uint64_t nextSerial() { return ++serial_; }
  CoreSemaphore& replaySemaphore() { return replaySemaphore_; }
  // Of lookups that no batch waits for.
  CoreSemaphore& lookupSemaphore() { return lookupSemaphore_; }

 private:
  void rest();
  static Async<void> refreshAll(CoreHub* self, std::vector<std::shared_ptr<Session>> sessions);

  Shared& shared_;
  const int core_;
  Names names_;
  PositionCipher positions_;
  std::vector<Session*> sessions_;
  std::unordered_map<store::ProjectNo, std::weak_ptr<ProjectHub>> projects_;
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor> timer_;
  bool stopped_ = false;
  bool refreshing_ = false;
  int64_t tick_ = 0;
  uint64_t serial_ = 0;
  CoreSemaphore replaySemaphore_{kMaxReplays};
  CoreSemaphore lookupSemaphore_{kMaxLookups};
};

}  // namespace mb::realtime
