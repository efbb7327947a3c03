// Days and months of the calendar in UTC, by which use is recorded and costs are computed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace mb::billing {

inline constexpr int64_t kHourMs = 3'600'000;
inline constexpr int64_t kDayMs = 24 * kHourMs;

using Day = std::chrono::sys_days;

Day dayOf(Timestamp at);
Timestamp startOf(Day day);
// "2026-01-31"; texts of days order as the days do.
std::string textOf(Day day);
// A day of the years 1970 to 9999 in that form; nullopt for anything else.
std::optional<Day> parseDay(std::string_view text);
Day firstOfMonth(Day day);
int daysInMonth(Day day);

// "2026-01"
std::string monthOf(Timestamp at);
// Of the text of a day: "2026-01".
inline std::string_view monthOf(std::string_view day) {
  return day.substr(0, 7);
}

}  // namespace mb::billing
