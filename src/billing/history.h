// What each project used, day by day: the readings by which its costs are computed. Each hour is read once
// (hourly_readings.h); the last reading of a day stays.
#pragma once

#include <functional>

#include "billing/billing_types.h"
#include "billing/calendar.h"
#include "billing/usage.h"

namespace mb::billing {

// The days that a question about costs may cover.
inline constexpr int kHistoryDays = 90;
// Days for which records are kept. The runs of a month are counted from its first day on, which may be a month before
// the first day of a report; and a clock that is a month fast for a while must not remove what is needed after it.
inline constexpr int kStoredDays = 152;
// The records that one call of prune() removes, at most.
inline constexpr uint64_t kPrunedAtOnce = 100'000;

// The highest reading of an hour.
struct HourReading {
  int64_t hour = 0;  // 0 to 23, UTC
  int64_t connections = 0;
  static constexpr auto shape() {
    return doc::shape<HourReading>("HourReading", doc::field("hour", &HourReading::hour),
                                   doc::field("connections", &HourReading::connections));
  }
};

// A project's day (UTC).
struct DayRecord {
  std::string id;  // idOf()
  std::string projectId;
  std::string day;
  int64_t storageBytes = 0;                   // of the last reading
  int64_t functionRuns = 0;                   // of the day's month, up to the last reading; never falls
  int64_t vectors = 0;                        // of the last reading
  std::vector<HourReading> connections = {};  // of each hour that was read, ascending; an hour counts once
  static constexpr auto shape() {
    return doc::shape<DayRecord>(
        "UsageDay", doc::field("id", &DayRecord::id), doc::field("projectId", &DayRecord::projectId),
        doc::field("day", &DayRecord::day), doc::field("storageBytes", &DayRecord::storageBytes),
        doc::field("functionRuns", &DayRecord::functionRuns), doc::field("vectors", &DayRecord::vectors),
        doc::field("connections", &DayRecord::connections));
  }
  // The mean of the hours that were read.
  double realtimeConnections() const;
  int64_t connectionHours() const;
};
// "2026-01-31:<project>": the ids of a range of days are a range of ids.
std::string idOf(Day day, std::string_view projectId);

// The record with a reading at `at` in it. A second reading of an hour, such as after a restart, lowers neither vectors
// nor connections, which this process may not have loaded again yet.
DayRecord withReading(DayRecord record, const ProjectUsage& usage, Timestamp at);

// References outlive it.
struct HistoryDeps {
  store::DocumentStore& store;
  // The runs of a project in the month of a time, also after that month.
  std::function<Task<int64_t>(store::ProjectNo, Timestamp)> runsOfMonth;
};

struct DayPage {
  std::vector<DayRecord> days;  // by day, then by project
  std::string next;             // for the page after it; "" for the last
};

// Any core.
class History {
 public:
  explicit History(HistoryDeps deps) : deps_(std::move(deps)) {}

  // Records `usages` of `projects`, in their order, as readings at `at`. After the end of a month the last record of it
  // gets the runs since that record's reading. REQUIRES: `at` is not later than the readings.
  Task<> record(std::vector<projects::ProjectRecord> projects, std::vector<ProjectUsage> usages, Timestamp at);
  // Removes records of days more than kStoredDays before `at`, at most kPrunedAtOnce; returns how many.
  Task<uint64_t> prune(Timestamp at);
  // The records of the days `from` to `to`, a page of them; `after` is DayPage::next of the page before, "" for the
  // first.
  Task<DayPage> page(Day from, Day to, std::string after, store::Deadline deadline);

 private:
  // A record of an earlier month, and the runs of that month.
  struct Closing {
    std::string id;
    int64_t runs = 0;
  };
  Task<std::vector<Closing>> closings(std::vector<projects::ProjectRecord> projects, Day day);
  Task<std::optional<Closing>> closingOf(projects::ProjectRecord project, Day day);
  // Of at most kWriteBatch projects.
  Task<> recordBatch(std::vector<projects::ProjectRecord> projects, std::vector<ProjectUsage> usages, Timestamp at);

  const HistoryDeps deps_;
};

}  // namespace mb::billing
