// RunJobs executes queued runs, whose result no caller waits for. A run is complete once it has ended by itself, also
// with an error. If the function has a RetryPolicy, its job then waits for the next attempt, in its place among the
// runs of its order; not if the run ended its worker, as it would again. A run past the limit of its project's plan is
// complete, too, once it is logged as skipped. Without being an attempt, a run is repeated
// for a day if it found no worker, after the next start if the server's stop ended it, after the resume if a call was
// refused because its project was suspended, and three times if its worker was killed from outside.
//
// A run is counted in its project's month by the commit that ends its job, or changes it for the next attempt, so each
// attempt counts once, whatever ends the process; one that is repeated without being an attempt does not count. Without
// billing, and where the month could not be read, it is counted behind, as the runs that a caller waits for.
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
  std::optional<int64_t> attempt = {};      // absent: the first
  std::optional<std::string> retryOf = {};  // the run before; absent for the first
  static constexpr auto shape() {
    return doc::shape<WaitingRun>(
        "FunctionJob", doc::field("project", &WaitingRun::project), doc::field("function", &WaitingRun::function),
        doc::field("trigger", &WaitingRun::trigger), doc::field("position", &WaitingRun::position),
        doc::field("depth", &WaitingRun::depth), doc::field("event", &WaitingRun::event),
        doc::field("attempt", &WaitingRun::attempt), doc::field("retryOf", &WaitingRun::retryOf));
  }
};

// A job of the kind, without its payload. `what` identifies a run of the function: jobs with the same one are one run.
jobs::JobSpec runJob(store::ProjectNo project, const std::string& functionId, std::string_view what);

// The queued run as one of the function.
Invocation invocationOf(snapshot::SnapshotPtr project, FunctionPtr function, WaitingRun waiting);

// References outlive it, and it outlives the queue's runs.
struct RunJobsDeps {
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<FunctionTable> slot;
  jobs::Queue& queue;
  FunctionRunner& runner;
  RunLog& log;
  const Clock& clock;
  int workers = 1;  // the maximum number of workers
};

class RunJobs {
 public:
  // Declares the kind of job.
  explicit RunJobs(RunJobsDeps deps);

 private:
  Task<> run(jobs::JobRun run);
  // Repeats the job for the next attempt if the run failed and has one left.
  Result<> retry(const jobs::JobRun& run, const Function& function, const FinishedRun& finished) const;
  // Counts the run, whose job ends with it or waits for the next attempt.
  void count(const jobs::JobRun& run, store::ProjectNo project, FinishedRun& finished) const;
  const RunJobsDeps deps_;
};

}  // namespace mb::functions
