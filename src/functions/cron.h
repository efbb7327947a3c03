// Functions on a schedule. Each fire is a job, made in the commit that moves the function's row in the timetable: one
// fire, one job, however many look. A fire that was missed runs once if it is less than an hour old, but none that its
// project missed while it was suspended.
#pragma once

#include <atomic>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "functions/run_jobs.h"
#include "functions/timetable.h"

namespace mb::functions {

class Cron {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    snapshot::Snapshots& snapshots;
    jobs::Queue& queue;
    Cores& cores;
    const Clock& clock;
  };
  explicit Cron(Deps deps) : deps_(deps) {}

  // Looks each second for what is due.
  void start(TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // Makes jobs of all that is due now; how many.
  Task<int> pass();

 private:
  Async<void> loggedPass();
  // Whether there is a job now.
  Task<bool> fire(TimetableRow row);
  Task<bool> fireStored(doc::Document document);
  const Deps deps_;
  PeriodicTask passes_;
  bool passFails_ = false;  // the last pass; logged once
  bool rowFails_ = false;   // some row of the last pass; logged once
};

}  // namespace mb::functions
