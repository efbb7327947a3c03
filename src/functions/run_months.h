// How the runs of a project in a month are stored: rows in kStats, summed by a counter of the store, so that the number
// of a month is one read and no row is locked by all runs. Private to functions/.
#pragma once

#include <optional>
#include <string>

#include "functions/run_quota.h"
#include "store/store.h"

namespace mb::functions {

// The runs of each month: the group is monthOf().
inline constexpr store::CounterNo kRunsOfMonth = 90;
store::CounterSource runsOfMonthSource();

// The rows of a month: one for the runs that are written behind, and those among which the runs of jobs are spread.
inline constexpr int kWrittenBehind = 0;
inline constexpr int kJobRows = 16;
// Of 1 to kJobRows.
int rowOfJob(std::string_view jobId);

store::WriteTarget monthRow(const ProjectMonth& month, int row);
// The row with `runs` more; `stored` is nullopt for one that does not exist yet.
doc::Document withRuns(const ProjectMonth& month, int row, const std::optional<doc::Document>& stored, int64_t runs);

// The runs of the month that are stored.
Task<int64_t> storedRuns(store::DocumentStore& store, ProjectMonth month);

// The rows that one call of pruneMonths() removes, at most: more than a year adds.
inline constexpr uint64_t kMaxPrunedRows = 250;
// Removes the rows of the project's months that ended more than kStoredMonthDays (run_log.h) before this one began.
// Called when the first run of a month is counted, since only a new month adds rows.
Task<> pruneMonths(store::DocumentStore& store, ProjectMonth month);

}  // namespace mb::functions
