// Whoever has something to do after a write: webhooks, functions, and what later modules add.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/jobs.h"
#include "snapshot/snapshot.h"
#include "store/change_feed.h"

namespace mb::events {

// A job that follows from a change. Its payload is made when its turn comes, so that many jobs with a large document
// each never stand in memory together.
struct FollowUp {
  jobs::JobSpec job;                       // without its payload
  size_t bytes = 0;                        // of the payload, about
  std::function<doc::Document()> payload;  // may refer to project and change
};

// References to it are kept by the dispatcher. Any core.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // Whether anything in the project follows its changes, as it is configured now.
  virtual bool follows(const snapshot::ProjectSnapshot& project) const = 0;
  // Appends the jobs that `change` brings about. Their ids are made of the change's position and of whom each is for,
  // so that the same change gives the same ids however often it is asked; no two consumers share ids.
  virtual void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
                       std::vector<FollowUp>& jobs) const = 0;
  // Jobs of these groups (JobSpec::group) were committed just now: the place to hold a consumer's own bounds.
  virtual Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) = 0;
};

}  // namespace mb::events
