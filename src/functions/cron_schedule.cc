#include "functions/cron_schedule.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <string>

namespace mb::functions {

namespace {

using namespace std::chrono;

constexpr size_t kMaxText = 200;
// Two 29ths of February are at most eight years apart.
constexpr int kMaxDays = 9 * 366;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct FieldRule {
  std::string_view name;
  int low = 0;
  int high = 0;
  const std::string_view* names = nullptr;
  size_t nameCount = 0;
  int firstName = 0;  // the value of the first name
};

constexpr std::array<FieldRule, 5> kFields = {{{"minute", 0, 59},
                                               {"hour", 0, 23},
                                               {"day of the month", 1, 31},
                                               {"month", 1, 12, kMonths.data(), kMonths.size(), 1},
                                               {"day of the week", 0, 7, kWeekdays.data(), kWeekdays.size(), 0}}};

Error wrong(std::string_view what) {
  return Error(ErrorCode::validation, fmt::format("the schedule is not a valid cron schedule: {}", what));
}

std::optional<int> numberOf(std::string_view text, const FieldRule& rule) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (size_t i = 0; i < rule.nameCount; ++i) {
    if (rule.names[i] == lower) return static_cast<int>(i) + rule.firstName;
  }
  int value = 0;
  if (text.empty() || text.size() > 4) return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "*", "*/15", "3", "1-5", "1-5/2", "3/4".
Result<uint64_t> partOf(std::string_view part, const FieldRule& rule) {
  const auto refused = [&] { return fail(wrong(fmt::format("\"{}\" is not a valid {}", part, rule.name))); };
  const size_t slash = part.find('/');
  int step = 1;
  if (slash != std::string_view::npos) {
    const auto given = numberOf(part.substr(slash + 1), {});
    if (!given || *given < 1 || *given > rule.high) return refused();
    step = *given;
  }
  const std::string_view range = part.substr(0, slash);
  int from = rule.low;
  int to = rule.high;
  if (range != "*") {
    const size_t dash = range.find('-');
    const auto first = numberOf(range.substr(0, dash), rule);
    const auto last = dash == std::string_view::npos ? first : numberOf(range.substr(dash + 1), rule);
    if (!first || !last || *first < rule.low || *last > rule.high || *first > *last) return refused();
    from = *first;
    // "3/4" continues to the field's end, as in cron.
    to = dash == std::string_view::npos && slash != std::string_view::npos ? rule.high : *last;
  }
  uint64_t bits = 0;
  for (int value = from; value <= to; value += step) bits |= uint64_t{1} << value;
  return bits;
}

Result<uint64_t> fieldOf(std::string_view field, const FieldRule& rule) {
  uint64_t bits = 0;
  while (true) {
    const size_t comma = field.find(',');
    TRY(const uint64_t part, partOf(field.substr(0, comma), rule));
    bits |= part;
    if (comma == std::string_view::npos) return bits;
    field.remove_prefix(comma + 1);
  }
}

Result<std::string_view> named(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"@hourly", "0 * * * *"}, {"@daily", "0 0 * * *"}, {"@weekly", "0 0 * * 0"}, {"@monthly", "0 0 1 * *"}}};
  for (const auto& [name, fields] : kNames) {
    if (text == name) return fields;
  }
  return fail(wrong("the names are @hourly, @daily, @weekly and @monthly"));
}

// What clocks of the zone show at `moment`, as a time in UTC.
Timestamp localOf(Timestamp moment, const TimeZone& zone) {
  const auto at = floor<seconds>(milliseconds(moment.ms));
  return {moment.ms + milliseconds(seconds(zone.offsetAt(at.count()))).count()};
}

Timestamp momentOf(Timestamp local, const TimeZone& zone) {
  return {milliseconds(seconds(zone.momentOf(floor<seconds>(milliseconds(local.ms)).count()))).count()};
}

template <class Bits>
bool holds(Bits bits, int value) {
  return ((bits >> value) & 1) != 0;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text, std::optional<TimeZone> zone) {
  if (text.size() > kMaxText) return fail(wrong("it is too long"));
  if (text.starts_with('@')) {
    TRY(text, named(text));
  }
  std::array<std::string_view, kFields.size()> fields;
  size_t count = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (end > 0) {
      if (count == fields.size()) return fail(wrong("it must have five fields"));
      fields[count++] = text.substr(0, end);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (count != fields.size()) return fail(wrong("it must have five fields"));

  std::array<uint64_t, kFields.size()> bits{};
  for (size_t i = 0; i < kFields.size(); ++i) {
    TRY(bits[i], fieldOf(fields[i], kFields[i]));
  }
  CronSchedule schedule;
  schedule.minutes_ = bits[0];
  schedule.hours_ = static_cast<uint32_t>(bits[1]);
  schedule.days_ = static_cast<uint32_t>(bits[2]);
  schedule.months_ = static_cast<uint32_t>(bits[3]);
  schedule.weekdays_ = static_cast<uint32_t>((bits[4] | bits[4] >> 7) & 0x7F);
  schedule.anyDay_ = fields[2].starts_with('*');
  schedule.anyWeekday_ = fields[4].starts_with('*');
  schedule.zone_ = zone;
  // From any time: a schedule that fires at all fires within nine years.
  if (!schedule.search(Timestamp{1'600'000'000'000})) return fail(wrong("it never fires"));
  return schedule;
}

bool CronSchedule::dayMatches(int year, int month, int day) const {
  if (!holds(months_, month)) return false;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  const bool byDay = holds(days_, day);
  const bool byWeekday = holds(weekdays_, static_cast<int>(weekday(sys_days(date)).c_encoding()));
  return anyDay_ || anyWeekday_ ? byDay && byWeekday : byDay || byWeekday;
}

std::optional<Timestamp> CronSchedule::search(Timestamp after) const {
  const auto start = floor<minutes>(sys_time<milliseconds>(milliseconds(after.ms))) + minutes(1);
  auto date = floor<days>(start);
  for (int i = 0; i < kMaxDays; ++i, date += days(1)) {
    const year_month_day ymd{date};
    const auto month = static_cast<int>(static_cast<unsigned>(ymd.month()));
    if (!dayMatches(static_cast<int>(ymd.year()), month, static_cast<int>(static_cast<unsigned>(ymd.day())))) continue;
    const auto from = i == 0 ? start - date : minutes(0);
    for (int hour = static_cast<int>(floor<hours>(from).count()); hour < 24; ++hour) {
      if (!holds(hours_, hour)) continue;
      const int first = hours(hour) < from ? static_cast<int>((from - hours(hour)).count()) : 0;
      const uint64_t left = first < 60 ? minutes_ >> first << first : 0;
      if (left == 0) continue;
      const auto fire = date + hours(hour) + minutes(std::countr_zero(left));
      return Timestamp{duration_cast<milliseconds>(fire.time_since_epoch()).count()};
    }
  }
  return std::nullopt;
}

Timestamp CronSchedule::next(Timestamp after) const {
  const Timestamp never{after.ms + duration_cast<milliseconds>(days(kMaxDays)).count()};
  if (!zone_) return search(after).value_or(never);
  // Moments never go back as local times go forward, so the first match whose moment lies ahead is the next fire.
  std::optional<Timestamp> local = search(localOf(after, *zone_));
  while (local && momentOf(*local, *zone_) <= after) local = search(*local);
  return local ? momentOf(*local, *zone_) : never;
}

std::optional<Timestamp> CronSchedule::last(Timestamp from, Timestamp to) const {
  std::optional<Timestamp> found;
  for (Timestamp fire = next({from.ms - 1}); fire <= to; fire = next(fire)) found = fire;
  return found;
}

}  // namespace mb::functions
