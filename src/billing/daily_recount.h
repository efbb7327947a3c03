// Once a day counts what is behind the meters that the store keeps, project after project, and corrects those that
// differ (store::DocumentStore::recountCounters).
#pragma once

#include "base/async_condition.h"
#include "base/clock.h"
#include "base/periodic_task.h"
#include "store/store.h"

namespace mb::billing {

// References outlive it.
struct DailyRecountDeps {
  store::DocumentStore& store;
  const Clock& clock;
  // When the day of recounts begins, in milliseconds after midnight (UTC): below kDayMs. Each process of a deployment
  // draws its own, so that they do not all count at one time.
  int64_t beginsAtMs = 0;
};

class DailyRecount {
 public:
  explicit DailyRecount(DailyRecountDeps deps) : deps_(deps) {}

  // Recounts all projects within an hour, then once in each day, until stop(). The start of a day is noticed within ten
  // minutes of uninterrupted time. One project is counted at a time, and a pause follows that is nine times as long, at
  // most a minute.
  void start(const Executor& executor, TaskGroup& tasks);
  // Ends the recount that is running, and its pauses, at once.
  void stop();
  // Recounts now, unless that was done in this day.
  Async<void> dailyPass();

 private:
  // True once all projects were recounted. Failures of a project are logged and do not affect others. Fails only if the
  // projects cannot be read.
  Task<bool> pass();
  Async<void> recount(store::ProjectNo project);

  const DailyRecountDeps deps_;
  PeriodicTask passes_;
  AsyncCondition stopped_;
  std::atomic<int64_t> lastDay_ = -1;  // of the last complete pass
};

}  // namespace mb::billing
