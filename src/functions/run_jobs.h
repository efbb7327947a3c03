// Runs that wait in the queue: whatever nobody waits for. A run is done once it has come to an end of its own, well or
// not: a handler that throws, takes too long or ends its worker is not run again, since it would again. One that found
// no worker is tried again for a day, one that the server's own end cut short runs again after the start, one that was
// refused a call because its project was suspended runs again after the resume, and one whose worker was killed from
// outside three times more.
#pragma once

#include "functions/function_table.h"
#include "functions/run.h"
#include "jobs/jobs.h"

namespace mb::functions {

inline constexpr std::string_view kJobKind = "function";

// The payload of a job.
struct WaitingRun {
  std::string project;   // "proj_…"
  std::string function;  // its own id: another function of the name does not get the event
  std::string trigger;   // database auth storage cron
  int64_t position = 0;  // of the change, where one brought it about
  int64_t depth = 0;     // of the run
  doc::Document event;
  static constexpr auto shape() {
    return doc::shape<WaitingRun>(
        "FunctionJob", doc::field("project", &WaitingRun::project), doc::field("function", &WaitingRun::function),
        doc::field("trigger", &WaitingRun::trigger), doc::field("position", &WaitingRun::position),
        doc::field("depth", &WaitingRun::depth), doc::field("event", &WaitingRun::event));
  }
};

// A job of the kind, without its payload. `what` tells the runs of a function apart: the same brings about one run.
jobs::JobSpec runJob(store::ProjectNo project, const std::string& functionId, std::string_view what);

class RunJobs {
 public:
  // References outlive it, and it outlives the queue's runs.
  struct Deps {
    snapshot::Snapshots& snapshots;
    snapshot::SlotKey<FunctionTable> slot;
    jobs::Queue& queue;
    FunctionRunner& runner;
    int workers = 1;  // how many there are at most
  };
  // Declares the kind of job.
  explicit RunJobs(Deps deps);

 private:
  Task<> run(jobs::JobRun run);
  const Deps deps_;
};

}  // namespace mb::functions
