// From the change log to jobs. Each project that has a consumer has a cursor; what lies behind it becomes jobs and
// moves the cursor in one commit, so that a crash anywhere loses nothing and makes nothing twice. The log keeps what
// the cursors still need.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "events/consumer.h"

namespace mb::events {

// Number 85 of the system collections belongs to this module; its rows stand in the control project.
std::vector<store::SystemCollection> systemCollections();

// References outlive the dispatcher.
struct DispatcherDeps {
  store::DocumentStore& store;
  store::ChangeFeed& feed;
  jobs::Queue& queue;
  snapshot::Snapshots& snapshots;
  Cores& cores;
  // How often suspended projects are looked at, for a resume that nobody told of.
  std::chrono::milliseconds lookEvery = std::chrono::seconds(30);
};

// Eight projects at a time, in turn; of each at most 100 changes, 200 jobs and 4 MiB of them a commit. In memory stands
// what is told of each cursor, and no change.
class Dispatcher {
 public:
  // Tells the feed what to keep: before the first write.
  explicit Dispatcher(DispatcherDeps deps);
  ~Dispatcher();  // stop()

  // Before start().
  void add(Consumer& consumer);
  // Goes on from the stored cursors.
  Task<> start();
  // Begins nothing more and waits for what runs; false when some is left after `limit`. Not from a core.
  bool stop(std::chrono::milliseconds limit);

  // A consumer begins to follow a project: one more document of the write that configures it, from whose commit on the
  // consumer gets all changes behind `after`.
  struct Joining {
    store::ProjectNo project = 0;
    ProjectId projectId;
    uint64_t after = 0;
    store::WriteTarget target() const;
    // The target's change, computed in the write callback. Fails with internal where `before` is no cursor.
    Result<store::Change> change(const std::optional<doc::Document>& before) const;
  };
  // Before the commit, so that the log keeps what it will need. Any thread.
  Joining join(const snapshot::ProjectInfo& project);
  // After it. Any thread.
  void joined(const Joining& joining);
  // Call after the commit that resumes a project: while it was suspended its changes stayed in the log. Where the call
  // is missing they stay for `lookEvery` longer. Any thread.
  void resumed(store::ProjectNo project);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mb::events
