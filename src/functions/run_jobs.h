// RunJobs executes queued runs, whose result no caller waits for. A run is complete once it has ended by itself, also
// with an error: a handler that throws, exceeds its time or ends its worker is not retried, since it would fail again.
// A run is retried for a day if it found no worker, after the next start if the server's stop ended it, after the
// resume if a call was refused because its project was suspended, and three times if its worker was killed from
// outside.
#pragma once

#include "functions/function_table.h"
#include "functions/run.h"
#include "jobs/jobs.h"

namespace mb::functions {

inline constexpr std::string_view kJobKind = "function";

// The payload of a job.
struct WaitingRun {
  std::string project;   // "proj_…"
  std::string function;  // the function's own id: a later function of the same name does not get the event
  std::string trigger;   // database auth storage cron
  int64_t position = 0;  // of the change that triggered it; 0 for none
  int64_t depth = 0;     // of the run
  doc::Document event;
  static constexpr auto shape() {
    return doc::shape<WaitingRun>(
        "FunctionJob", doc::field("project", &WaitingRun::project), doc::field("function", &WaitingRun::function),
        doc::field("trigger", &WaitingRun::trigger), doc::field("position", &WaitingRun::position),
        doc::field("depth", &WaitingRun::depth), doc::field("event", &WaitingRun::event));
  }
};

// A job of the kind, without its payload. `what` identifies a run of the function: jobs with the same one are one run.
jobs::JobSpec runJob(store::ProjectNo project, const std::string& functionId, std::string_view what);

class RunJobs {
 public:
  // References outlive it, and it outlives the queue's runs.
  struct Deps {
    snapshot::Snapshots& snapshots;
    snapshot::SlotKey<FunctionTable> slot;
    jobs::Queue& queue;
    FunctionRunner& runner;
    int workers = 1;  // the maximum number of workers
  };
  // Declares the kind of job.
  explicit RunJobs(Deps deps);

 private:
  Task<> run(jobs::JobRun run);
  const Deps deps_;
};

}  // namespace mb::functions
