// When each cron function fires next: a row each in the control project, so that one look finds what is due in all
// projects. Whoever changes a function's definition changes its row in the same commit.
#pragma once

#include "functions/function_types.h"
#include "snapshot/snapshot.h"

namespace mb::functions {

// In the control project.
inline constexpr store::CollectionRef kTimetableRows{store::kControlProject, kTimetable, 0};

struct TimetableRow {
  std::string id;  // "<project>/<functionId>": a restored project has the functionIds of the one that it was
  std::string functionId;
  std::string projectId;  // deleted with the project: timetableCollection()
  int64_t project = 0;
  std::string schedule;
  Timestamp dueAt;
  static constexpr auto shape() {
    return doc::shape<TimetableRow>(
        "TimetableRow", doc::field("id", &TimetableRow::id), doc::field("functionId", &TimetableRow::functionId),
        doc::field("projectId", &TimetableRow::projectId), doc::field("project", &TimetableRow::project),
        doc::field("schedule", &TimetableRow::schedule), doc::field("dueAt", &TimetableRow::dueAt));
  }
};

// ---- one more document of the write that changes a function
store::WriteTarget timetableTarget(store::ProjectNo project, const std::string& functionId);
// Computed in the write callback, for a function as it will be: its row where it is an enabled cron function, else
// none. `before` is the target's document. A schedule that stays keeps its next fire.
store::Change timetableChange(const std::optional<doc::Document>& before, const snapshot::ProjectInfo& project,
                              const FunctionRecord& after, Timestamp now);

store::SystemCollection timetableCollection();

}  // namespace mb::functions
