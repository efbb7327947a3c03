#include "billing/calendar.h"

namespace mb::billing {

namespace {

constexpr size_t kTextBytes = 10;

std::chrono::year_month_day dateOf(Day day) {
  return std::chrono::year_month_day(day);
}

}  // namespace

Day dayOf(Timestamp at) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(at.ms)));
}

Timestamp startOf(Day day) {
  return {std::chrono::milliseconds(day.time_since_epoch()).count()};
}

std::string textOf(Day day) {
  return toRfc3339(startOf(day)).substr(0, kTextBytes);
}

std::optional<Day> parseDay(std::string_view text) {
  if (text.size() != kTextBytes) return std::nullopt;
  const std::optional<Timestamp> start = parseRfc3339(std::string(text) + "T00:00:00Z");
  if (!start || start->ms < 0) return std::nullopt;
  return dayOf(*start);
}

Day firstOfMonth(Day day) {
  const auto date = dateOf(day);
  return Day(date.year() / date.month() / 1);
}

int daysInMonth(Day day) {
  const auto date = dateOf(day);
  const std::chrono::year_month_day_last last = date.year() / date.month() / std::chrono::last;
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

std::string monthOf(Timestamp at) {
  return std::string(monthOf(std::string_view(textOf(dayOf(at)))));
}

}  // namespace mb::billing
