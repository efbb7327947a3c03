// The timetable holds the next fire of each cron function: a row each in the control project, so that one query finds
// the due fires of all projects. A commit that changes a function's definition changes its row, too.
#pragma once

#include "functions/cron_schedule.h"
#include "functions/function_types.h"
#include "snapshot/snapshot.h"

namespace mb::functions {

// In the control project.
inline constexpr store::CollectionRef kTimetableRows{store::kControlProject, kTimetable, 0};

struct TimetableRow {
  std::string id;  // "<project>/<functionId>": a restored project has the functionIds of the original
  std::string functionId;
  std::string projectId;  // deleted with the project: timetableCollection()
  int64_t project = 0;
  std::string schedule;
  Timestamp dueAt;
  std::optional<std::string> timezone = {};  // absent: UTC
  static constexpr auto shape() {
    return doc::shape<TimetableRow>(
        "TimetableRow", doc::field("id", &TimetableRow::id), doc::field("functionId", &TimetableRow::functionId),
        doc::field("projectId", &TimetableRow::projectId), doc::field("project", &TimetableRow::project),
        doc::field("schedule", &TimetableRow::schedule), doc::field("dueAt", &TimetableRow::dueAt),
        doc::field("timezone", &TimetableRow::timezone));
  }
};

// ---- one more document of the write that changes a function
store::WriteTarget timetableTarget(store::ProjectNo project, const std::string& functionId);
// Computed in the write callback. `before` is the target's document, `after` the function as it will be: an enabled
// cron function has a row, any other has none. An unchanged schedule and zone keep the next fire.
store::Change timetableChange(const std::optional<doc::Document>& before, const snapshot::ProjectInfo& project,
                              const FunctionRecord& after, Timestamp now);

// The schedule of a cron function. Fails with validation for a schedule or a zone that is not known.
Result<CronSchedule> scheduleOf(std::string_view schedule, const std::optional<std::string>& timezone);

store::SystemCollection timetableCollection();

}  // namespace mb::functions
