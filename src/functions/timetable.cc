#include "functions/timetable.h"

#include "functions/cron_schedule.h"
#include "store/records.h"

namespace mb::functions {

namespace {

// The schedule of an enabled cron function; "" of any other.
std::string_view scheduleOf(const FunctionRecord& record) {
  const doc::DocumentView trigger = record.trigger;
  if (!record.enabled || trigger.stringOr("type") != "cron") return {};
  return trigger.stringOr("schedule");
}

}  // namespace

store::WriteTarget timetableTarget(store::ProjectNo project, const std::string& functionId) {
  return {kTimetableRows, fmt::format("{}/{}", project, functionId)};
}

store::Change timetableChange(const std::optional<doc::Document>& before, const snapshot::ProjectInfo& project,
                              const FunctionRecord& after, Timestamp now) {
  const std::string_view text = scheduleOf(after);
  const auto schedule = CronSchedule::parse(text);
  if (!schedule) return store::Change::remove();
  if (before && before->view().stringOr("schedule") == text) return store::Change::keep();
  return store::Change::put(
      doc::encode(TimetableRow{timetableTarget(project.number, after.functionId).id, after.functionId, project.id.str(),
                               static_cast<int64_t>(project.number), std::string(text), schedule->next(now)}));
}

store::SystemCollection timetableCollection() {
  store::IndexSpec due;
  due.name = "due";
  due.keys = {{"dueAt", 1}};
  return {.number = kTimetable, .name = "__function_timetable", .indexes = {due}, .projectField = "projectId"};
}

}  // namespace mb::functions
