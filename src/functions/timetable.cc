#include "functions/timetable.h"

#include "store/records.h"

namespace mb::functions {

store::WriteTarget timetableTarget(store::ProjectNo project, const std::string& functionId) {
  return {kTimetableRows, fmt::format("{}/{}", project, functionId)};
}

store::Change timetableChange(const std::optional<doc::Document>& before, const snapshot::ProjectInfo& project,
                              const FunctionRecord& after, Timestamp now) {
  const doc::DocumentView trigger = after.trigger;
  if (!after.enabled || trigger.stringOr("type") != "cron") return store::Change::remove();
  const std::string text(trigger.stringOr("schedule"));
  std::optional<std::string> timezone;
  if (trigger.find("timezone")) timezone = trigger.stringOr("timezone");
  const auto schedule = scheduleOf(text, timezone);
  if (!schedule) return store::Change::remove();
  const bool sameTimes = before && before->view().stringOr("schedule") == text &&
                         before->view().stringOr("timezone") == timezone.value_or("");
  if (sameTimes) return store::Change::keep();
  return store::Change::put(
      doc::encode(TimetableRow{timetableTarget(project.number, after.functionId).id, after.functionId, project.id.str(),
                               static_cast<int64_t>(project.number), text, schedule->next(now), std::move(timezone)}));
}

Result<CronSchedule> scheduleOf(std::string_view schedule, const std::optional<std::string>& timezone) {
  std::optional<TimeZone> zone;
  if (timezone) zone = TimeZone::find(*timezone);
  if (timezone && !zone) return fail(ErrorCode::validation, fmt::format("the time zone {} is not known", *timezone));
  return CronSchedule::parse(schedule, zone);
}

store::SystemCollection timetableCollection() {
  store::IndexSpec due;
  due.name = "due";
  due.keys = {{"dueAt", 1}};
  return {.number = kTimetable, .name = "__function_timetable", .indexes = {due}, .projectField = "projectId"};
}

}  // namespace mb::functions
