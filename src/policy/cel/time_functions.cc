// Accessors of timestamps (in UTC or a zone) and durations.
#include <chrono>

#include "base/time_zone.h"
#include "policy/cel/functions.h"
#include "policy/cel/run.h"
#include "policy/cel/times.h"

namespace mb::cel {
namespace {

// A zone may have to be read from the disk.
constexpr uint64_t kZoneSteps = 20;

enum class Part { fullYear, month, date, dayOfMonth, dayOfWeek, dayOfYear, hours, minutes, seconds, milliseconds };

int64_t partOf(Part part, int64_t localSeconds, int32_t nanos) {
  using namespace std::chrono;
  const sys_seconds time{seconds(localSeconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const int64_t secondOfDay = (time - day).count();
  switch (part) {
    case Part::fullYear:
      return static_cast<int>(date.year());
    case Part::month:
      return static_cast<unsigned>(date.month()) - int64_t{1};
    case Part::date:
      return static_cast<unsigned>(date.day());
    case Part::dayOfMonth:
      return static_cast<unsigned>(date.day()) - int64_t{1};
    case Part::dayOfWeek:
      return weekday(day).c_encoding();
    case Part::dayOfYear:
      return (day - sys_days(date.year() / January / 1)).count();
    case Part::hours:
      return secondOfDay / 3600;
    case Part::minutes:
      return secondOfDay / 60 % 60;
    case Part::seconds:
      return secondOfDay % 60;
    case Part::milliseconds:
      return nanos / 1'000'000;
  }
  return 0;
}

int64_t partOfDuration(Part part, int64_t nanos) {
  constexpr int64_t kSecond = kNanosPerSecond;
  switch (part) {
    case Part::hours:
      return nanos / (3600 * kSecond);
    case Part::minutes:
      return nanos / (60 * kSecond);
    case Part::seconds:
      return nanos / kSecond;
    default:
      return nanos / 1'000'000 % 1000;
  }
}

template <Part part>
Value get(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  constexpr bool kOfDurations =
      part == Part::hours || part == Part::minutes || part == Part::seconds || part == Part::milliseconds;
  if (kOfDurations && value.kind == Kind::duration && args.size() == 1) {
    return Value::ofInt(partOfDuration(part, value.integer));
  }
  if (value.kind != Kind::timestamp) return noOverload(call);
  int32_t offset = 0;
  if (args.size() == 2) {
    if (args[1].kind != Kind::string) return noOverload(call);
    run.charge(kZoneSteps);
    const auto found = zoneOffset(args[1].text(), value.integer);
    if (!found) return Value::ofError("unknown time zone", call.at);
    offset = *found;
  }
  return Value::ofInt(partOf(part, value.integer + offset, value.nanos));
}

std::vector<OverloadRow> makeRows() {
  constexpr std::pair<std::string_view, Function> kGetters[] = {
      {"getFullYear", get<Part::fullYear>},   {"getMonth", get<Part::month>},
      {"getDate", get<Part::date>},           {"getDayOfMonth", get<Part::dayOfMonth>},
      {"getDayOfWeek", get<Part::dayOfWeek>}, {"getDayOfYear", get<Part::dayOfYear>},
      {"getHours", get<Part::hours>},         {"getMinutes", get<Part::minutes>},
      {"getSeconds", get<Part::seconds>},     {"getMilliseconds", get<Part::milliseconds>},
  };
  std::vector<OverloadRow> rows;
  for (const auto& [name, function] : kGetters) {
    rows.push_back({name, Style::member, "timestamp", "int", function});
    rows.push_back({name, Style::member, "timestamp,string", "int", function});
    const bool ofDurations =
        name == "getHours" || name == "getMinutes" || name == "getSeconds" || name == "getMilliseconds";
    if (ofDurations) rows.push_back({name, Style::member, "duration", "int", function});
  }
  return rows;
}

}  // namespace

std::span<const OverloadRow> timeOverloads() {
  static const std::vector<OverloadRow> kTimeRows = makeRows();
  return kTimeRows;
}

}  // namespace mb::cel
