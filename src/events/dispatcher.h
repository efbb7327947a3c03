// A Dispatcher turns changes of the change log into jobs. Each project that has a consumer has a cursor. One commit
// inserts the jobs of the changes after the cursor and moves the cursor, so a crash neither loses nor duplicates jobs.
// The log keeps what the cursors still need.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "events/consumer.h"

namespace mb::events {

// Number 85 of the system collections belongs to this module; its rows are in the control project.
std::vector<store::SystemCollection> systemCollections();

// References outlive the dispatcher.
struct DispatcherDeps {
  store::DocumentStore& store;
  store::ChangeFeed& feed;
  jobs::Queue& queue;
  snapshot::Snapshots& snapshots;
  Cores& cores;
  // How often suspended projects are polled, for resumes whose notification was lost. With leases, which end with their
  // process, also the cursors that other processes have, and every 5 s at least.
  std::chrono::milliseconds lookEvery = std::chrono::seconds(30);
  // Shared by the processes of one store; null if this is the only one.
  jobs::Leases* leases = nullptr;
};

// Where several processes share the store, the one that holds a project's lease delivers its changes. The commit that
// moves the cursor compares it, so one that has lost the lease creates no job.
//
// Processes eight projects at a time, round robin; a commit takes at most 100 changes, 200 jobs and 4 MiB of job
// payloads of one project. Memory holds the cursors, and no changes.
class Dispatcher {
 public:
  explicit Dispatcher(DispatcherDeps deps);
  ~Dispatcher();  // stop()

  // Before start().
  void add(Consumer& consumer);
  // Continues from the stored cursors.
  Task<> start();
  // Starts no more steps and waits for those that run; false when some still run after `limit`. Not from a core.
  bool stop(std::chrono::milliseconds limit);

  // A consumer's start on a project: one more document in the write that configures it. From that commit on the
  // consumer gets all changes after `after`.
  struct Joining {
    store::ProjectNo project = 0;
    ProjectId projectId;
    uint64_t after = 0;
    store::WriteTarget target() const;
    // The target's change, computed in the write callback. Fails with internal if `before` is not a cursor.
    Result<store::Change> change(const std::optional<doc::Document>& before) const;
  };
  // Call before the commit. Fails with unavailable.
  Task<Joining> join(snapshot::ProjectInfo project);
  // Call after the commit. Any thread.
  void joined(const Joining& joining);
  // Call after the commit that resumes a project: while it was suspended its changes stayed in the log. Without the
  // call they are processed up to `lookEvery` later. Any thread.
  void resumed(store::ProjectNo project);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mb::events
