// One project's own database: its connections, and a breaker that refuses calls while it does not respond.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/fair_pool.h"
#include "store/own/address.h"
#include "store/own/call.h"
#include "store/own/connections.h"
#include "store/own/probe.h"

namespace mb::store::own {

inline constexpr int kThreads = 32;              // of all owners' databases of this process
inline constexpr size_t kConnections = 8;        // to one database
inline constexpr size_t kWaiting = 64;           // calls of one project
inline constexpr std::chrono::seconds kWait{2};  // for a thread and a connection that responds
inline constexpr std::string_view kUnreachable = "the project's database cannot be reached";
inline constexpr int kRetryAfter = 5;  // seconds, in responses

struct DatabaseConfig {
  Address address;
  Capabilities capabilities;
  std::string coverKey;  // 32 bytes: the key of the ids that stand for ObjectIds
  friend bool operator==(const DatabaseConfig&, const DatabaseConfig&) = default;
};

// unavailable, with kUnreachable.
Error unreachable();

class Database {
 public:
  // `threads` and `guard` outlive it, and its calls. `changed` is called on any thread when commands are refused
  // for a right or a capability that the database had, when writes take effect again after that, and by askForProbe().
  Database(ProjectNo project, DatabaseConfig config, FairPool& threads, const HostGuard& guard,
           std::function<void()> changed);
  // Calls that run end by themselves.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ProjectNo project() const { return project_; }
  const DatabaseConfig& config() const { return config_; }
  const std::string& name() const { return config_.address.database; }
  const Capabilities& capabilities() const { return config_.capabilities; }
  const std::string& coverKey() const { return config_.coverKey; }

  // Runs `work`, which takes a mongo::Connection& and returns a Result, on a thread of the pool. Fails with unavailable
  // and kUnreachable while the breaker is open, when no thread or no connection that responds is there in time, or past
  // the deadline; `work` may then still run, so it owns what it uses. Any core.
  template <class F, class R = std::invoke_result_t<F, mongo::Connection&>>
  Async<R> run(Deadline deadline, F work) {
    if (!connections_->breaker().admits(std::chrono::steady_clock::now())) co_return R(fail(unreachable()));
    co_return co_await suspend<R>([&](Resumer<R> resumer) {
      const auto call = std::make_shared<Call<R>>(std::move(resumer), connections_, deadline);
      const bool taken = threads_.submit(key_, [call, work = std::move(work)]() mutable { call->perform(work); });
      if (!taken) return call->finish(R(fail(unreachable())));
      call->limitTime(std::chrono::steady_clock::now() + kWait);
    });
  }
  // The error of a command that failed, which it counts for the breaker: unavailable, without the driver's text. Any
  // thread.
  Error failed(const mongo::CommandError& error);
  // The same of a command that reads: where it is refused, that says nothing of writes.
  Error failedToRead(const mongo::CommandError& error);
  // To be called after a write that took effect. Any thread.
  void wrote();
  // To be called where the database may have gained or lost collections: it is probed again. Any thread.
  void askForProbe() { changed_(); }
  // Closes the connections that no call uses. Blocks.
  void closeIdle();
  // Closes those that no call has used for kIdleTime. Blocks.
  void closeUnused();
  // Whether it has connections that no call uses.
  bool hasIdle() const { return connections_->hasIdle(); }
  // A further connection, for a reader that keeps it. Blocks with its first command.
  std::unique_ptr<mongo::Connection> connect() const { return connections_->make(); }
  // Refuses calls that have not begun.
  void stop() { connections_->stop(); }
  // Whether stop() was called: the project has another database, or none now.
  bool isStopped() const { return connections_->isStopped(); }

 private:
  const ProjectNo project_;
  const DatabaseConfig config_;
  const std::string key_;  // in the queue of the pool
  FairPool& threads_;
  const std::shared_ptr<Connections> connections_;
  const std::function<void()> changed_;
  std::atomic<bool> refusesWrites_ = false;
};

}  // namespace mb::store::own
