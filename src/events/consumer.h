// The interface of modules with work to do after a write: webhooks and functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/jobs.h"
#include "snapshot/snapshot.h"
#include "store/change_feed.h"

namespace mb::events {

// A job caused by a change. Its payload is created as the job is added to a batch, so that many jobs with a large
// document each are never in memory together.
struct FollowUp {
  jobs::JobSpec job;                       // without its payload
  size_t bytes = 0;                        // approximate size of the payload
  std::function<doc::Document()> payload;  // may refer to project and change
};

// Creates jobs from changes. The dispatcher keeps references to it. Called on any core.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // Whether the project, as it is configured now, has a subscription of this consumer.
  virtual bool follows(const snapshot::ProjectSnapshot& project) const = 0;
  // Appends the jobs that `change` causes. A job's id is derived from the change's position and the job's receiver, so
  // that repeated calls for one change return the same ids; no two consumers share ids.
  virtual void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
                       std::vector<FollowUp>& jobs) const = 0;
  // Called after a commit with jobs of these groups (JobSpec::group). A consumer enforces its own bounds here.
  virtual Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) = 0;
};

}  // namespace mb::events
