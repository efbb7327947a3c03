// Leases for writing one project. Instances that all write it run into one another's commits, each of which costs a run
// of a whole group; so one of them holds the lease for some milliseconds. Its name is stored in the project's head with
// a commit, and reaches the others by the change stream. A hint only: a commit compares the head in any case.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/store_types.h"

namespace mb::store::mongo {

// Any thread.
class WriteLeases {
 public:
  // How long a lease lasts, from the commit that takes it. Others wait as long from when they learn of it, so that an
  // instance that ended keeps none.
  static constexpr std::chrono::milliseconds kLease{50};

  explicit WriteLeases(std::string instance) : instance_(std::move(instance)) {}

  // Blocks while another instance has its lease, kLease at most.
  void wait(ProjectNo project);
  // What a commit stores as the holder: this instance, "" to give the lease up, nullopt to change nothing. `more`:
  // further writes of this instance wait.
  std::optional<std::string> next(ProjectNo project, bool more);
  // The commit that stored `holder` succeeded.
  void committed(ProjectNo project, const std::optional<std::string>& holder, bool more);
  // Another instance committed; `holder` is what it stored.
  void note(ProjectNo project, std::optional<std::string_view> holder);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Lease {
    std::string holder;  // "" for none
    Time since;          // of the lease
    Time lastOther;      // the last commit of another instance
    Time yieldUntil;     // this instance lets others go first
  };
  bool othersWait(const Lease& lease, Time now) const;
  void dropOld(Time now);

  const std::string instance_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ProjectNo, Lease> leases_;  // of projects that several instances write
};

}  // namespace mb::store::mongo
