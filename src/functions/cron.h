// Cron starts functions on a schedule. The commit that moves a function's timetable row inserts the job, so a fire is
// one job, also with several servers. A missed fire runs once if it is less than an hour old; fires during a suspension
// of the project never run, and neither do those of a function of which kMaxWaitingFires jobs wait.
#pragma once

#include <atomic>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "functions/run_jobs.h"
#include "functions/timetable.h"

namespace mb::functions {

inline constexpr uint64_t kMaxWaitingFires = 100;

// References outlive it.
struct CronDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  jobs::Queue& queue;
  Cores& cores;
  const Clock& clock;
};

class Cron {
 public:
  explicit Cron(CronDeps deps) : deps_(deps) {}

  // Scans for due fires every second.
  void start(TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // Inserts a job for each fire that is due now; returns their number.
  Task<int> pass();

 private:
  Async<void> loggedPass();
  // True if a job was inserted.
  Task<bool> fire(TimetableRow row);
  Task<bool> fireStored(doc::Document document);
  const CronDeps deps_;
  PeriodicTask passes_;
  bool passFails_ = false;  // the last pass failed; logged once
  bool rowFails_ = false;   // a row of the last pass failed; logged once
};

}  // namespace mb::functions
