// The databases of all projects that have their own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "store/own/database.h"

namespace mb::store::own {

inline constexpr size_t kConnectedProjects = 50;        // of one process
inline constexpr std::chrono::seconds kProbePause{30};  // between two probes of a project that calls have caused

// Thread-safe.
class Databases {
 public:
  // `guard` outlives it. `maxConnected`: of further projects the least lately used is closed.
  explicit Databases(const HostGuard& guard, size_t maxConnected = kConnectedProjects);
  ~Databases();  // stop()
  Databases(const Databases&) = delete;
  Databases& operator=(const Databases&) = delete;

  // False while no project has a database of its own. Never blocks. Any thread.
  bool any() const { return any_.load(std::memory_order_acquire); }
  // Called with a project whose database has lost a right or a capability, takes writes again, or may have other
  // collections: at most once each kProbePause for a project, then once for all that has happened since. On any thread,
  // which it does not block. Set before the first database.
  void setChanged(std::function<void(ProjectNo)> changed) { changed_ = std::move(changed); }
  // Null for a project without one. Any thread.
  std::shared_ptr<Database> find(ProjectNo project) const;
  // All that take calls. Does not count as a use. Any thread.
  std::vector<std::shared_ptr<Database>> open() const;
  // Replaces the project's database, if it is another one; calls that run end on the earlier one.
  void set(ProjectNo project, DatabaseConfig config);
  // Calls of the project fail with unavailable from now on, as those of a suspended one, until set().
  void close(ProjectNo project);
  // Ends all calls; not from a core.
  void stop();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    std::shared_ptr<Database> database;
    Time used;
    bool isOpen = false;
  };
  struct Reported {
    Time last;
    bool again = false;  // since then
  };

  // The pool of all databases. REQUIRES: the mutex is held.
  FairPool& threads();
  // The connections of the earlier database are closed by the housekeeping thread.
  void replace(ProjectNo project, DatabaseConfig config, bool isOpen);
  // Closes connections of replaced databases, unused ones, and those of too many projects.
  void keepHouse();
  // Passes a change on, or keeps it until the pause is over.
  void report(ProjectNo project);
  // Passes on what was kept.
  void reportKept();
  void housekeepingLoop();

  const HostGuard& guard_;
  const size_t maxConnected_;
  mutable std::mutex mutex_;
  mutable std::map<ProjectNo, Entry> databases_;
  std::vector<std::shared_ptr<Database>> replaced_;  // to be closed
  std::map<ProjectNo, Reported> reported_;           // within kProbePause
  std::function<void(ProjectNo)> changed_ = [](ProjectNo) {};
  std::atomic<bool> any_{false};
  bool stopping_ = false;
  std::condition_variable wake_;
  std::unique_ptr<FairPool> threads_;  // from the first database on, as is the next one
  std::thread housekeeping_;
};

}  // namespace mb::store::own
