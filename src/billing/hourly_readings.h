// Reads each hour what every project uses, for the history by which costs are computed and for mails about limits.
#pragma once

#include <atomic>

#include "base/periodic_task.h"
#include "billing/history.h"
#include "billing/limit_mails.h"

namespace mb::billing {

// References outlive it.
struct HourlyReadingsDeps {
  store::DocumentStore& store;
  Meters& meters;
  History& history;
  LimitMails& mails;
  const Clock& clock;
};

class HourlyReadings {
 public:
  explicit HourlyReadings(HourlyReadingsDeps deps) : deps_(deps) {}

  // Takes readings at once, then in each hour of the clock, until stop(). The start of an hour is noticed within ten
  // minutes of uninterrupted time, so that a clock that is set back or forward delays no reading by more than that.
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { passes_.stop(); }
  // Takes all readings now; true if none failed. Failures of an organization are logged and do not affect others. Fails
  // only if the organizations cannot be read.
  Task<bool> pass();

 private:
  Async<void> hourlyPass();
  Task<> passOrganization(projects::OrganizationRecord organization, Timestamp now);

  const HourlyReadingsDeps deps_;
  PeriodicTask passes_;
  std::atomic<int64_t> lastHour_ = -1;  // since 1970, of the last pass without a failure
};

}  // namespace mb::billing
