// The language definition by section: "Timezones", "Date/Time Functions", and the conversions to timestamps and
// durations. Expected dates come from the C++ calendar.
#include <fmt/format.h>

#include <chrono>

#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;
using namespace std::chrono;

std::string partsOf(std::string_view source, sys_seconds local, std::string_view zone) {
  const sys_days day = floor<days>(local);
  const year_month_day date(day);
  const hh_mm_ss clock(local - day);
  const std::pair<std::string_view, int64_t> parts[] = {
      {"getFullYear", static_cast<int>(date.year())},
      {"getMonth", static_cast<unsigned>(date.month()) - 1},
      {"getDate", static_cast<unsigned>(date.day())},
      {"getDayOfMonth", static_cast<unsigned>(date.day()) - 1},
      {"getDayOfWeek", weekday(day).c_encoding()},
      {"getDayOfYear", (day - sys_days(date.year() / January / 1)).count()},
      {"getHours", clock.hours().count()},
      {"getMinutes", clock.minutes().count()},
      {"getSeconds", clock.seconds().count()},
  };
  std::string all;
  for (const auto& [name, value] : parts) {
    all += fmt::format("{}{}.{}({}) == {}", all.empty() ? "" : " && ", source, name, zone, value);
  }
  return all;
}

TEST(CelTimeRules, PartsOfATimestampInFixedZones) {
  const int64_t instants[] = {-62'135'596'800, -62'135'510'401, -2'203'891'200, -1, 0, 68'169'599, 951'782'400,
                              1'709'164'799,   1'735'689'599,   253'402'214'400};
  for (const int64_t instant : instants) {
    expectAll({{partsOf(fmt::format("timestamp({})", instant), sys_seconds(seconds(instant)), ""), yes},
               {partsOf(fmt::format("timestamp({})", instant), sys_seconds(seconds(instant)), "'UTC'"), yes}});
    for (const auto& [zone, minutesEast] : {std::pair{"+00:00", 0},
                                            {"+01:00", 60},
                                            {"-01:30", -90},
                                            {"+05:45", 345},
                                            {"-11:00", -660},
                                            {"+14:00", 840}}) {
      // The years 0 and 10000 are out of range, but zones reach into their days.
      const sys_seconds local{seconds(instant) + minutes(minutesEast)};
      expectAll({{partsOf(fmt::format("timestamp({})", instant), local, fmt::format("'{}'", zone)), yes}});
    }
  }
}

TEST(CelTimeRules, NamedZonesFollowTheirClocks) {
  expectAll({
      // The clocks of Central Europe went forward on 29 March 2026 at 01:00 UTC, and go back on 25 October.
      {"timestamp('2026-03-29T00:59:59Z').getHours('Europe/Zurich') == 1"},
      {"timestamp('2026-03-29T01:00:00Z').getHours('Europe/Zurich') == 3"},
      {"timestamp('2026-10-25T00:59:59Z').getHours('Europe/Zurich') == 2"},
      {"timestamp('2026-10-25T01:00:00Z').getHours('Europe/Zurich') == 2"},
      {"timestamp('2026-07-01T12:00:00Z').getHours('Australia/Lord_Howe') == 22"},
      {"timestamp('2026-01-01T12:00:00Z').getMinutes('Asia/Kolkata') == 30"},
      {"timestamp('2026-01-01T12:00:00Z').getDate('Pacific/Kiritimati') == 2"},
      {"timestamp('2026-01-01T00:00:00Z').getFullYear('America/New_York') == 2025"},
      {"timestamp('2500-07-01T12:00:00Z').getHours('America/New_York') == 8"},
      {"timestamp('2026-07-01T12:00:00Z').getHours('CET') == 14"},
      {"timestamp('2026-07-01T12:00:00Z').getHours('US/Central') == 7"},
      {"timestamp('2026-07-01T12:00:00Z').getHours('Etc/GMT+3') == 9"},
      {"now.getHours('europe/zurich') == 10", error},
      {"now.getHours('Europe') == 10", error},
      {"now.getHours('Europe/') == 10", error},
      {"now.getHours('Europe/../UTC') == 9", error},
      {"now.getHours('/usr/share/zoneinfo/UTC') == 9", error},
      {"now.getHours('right/UTC') == 9", error},
      {"now.getHours('tzdata.zi') == 9", error},
      {"now.getHours('leapseconds') == 9", error},
      {"now.getHours('+1:00') == 10", error},
      {"now.getHours('+01:60') == 10", error},
      {"now.getHours('+0100') == 10", error},
      {"now.getHours(' UTC') == 9", error},
      {"now.getHours('Z') == 9", error},
      {"now.getHours(dyn(1)) == 9", error},
      {"now.getHours('UTC', 'UTC') == 9", refused},
      {"getHours(now) == 9", refused},
      {"dyn(1).getHours() == 9", error},
      {"dyn(1).getFullYear() == 9", error},
      {"now.getMilliseconds('Asia/Kathmandu') == 250 && now.getMilliseconds() == 250"},
  });
}

TEST(CelTimeRules, TimestampsAreReadAsRfc3339) {
  struct Read {
    std::string_view text;
    std::string_view canonical;  // "" for an error
  };
  const Read cases[] = {
      {"2026-02-28T23:59:59Z", "2026-02-28T23:59:59Z"},
      {"2024-02-29T00:00:00z", "2024-02-29T00:00:00Z"},
      {"2026-02-28t23:59:59Z", "2026-02-28T23:59:59Z"},
      {"2026-02-28T23:59:59.5Z", "2026-02-28T23:59:59.5Z"},
      {"2026-02-28T23:59:59.123456789Z", "2026-02-28T23:59:59.123456789Z"},
      {"2026-02-28T23:59:59.1234567891Z", "2026-02-28T23:59:59.123456789Z"},
      {"2026-02-28T23:59:59.500000000000Z", "2026-02-28T23:59:59.5Z"},
      {"2026-02-28T23:59:59.000Z", "2026-02-28T23:59:59Z"},
      {"2026-02-28T23:59:59+00:00", "2026-02-28T23:59:59Z"},
      {"2026-02-28T23:59:59-00:30", "2026-03-01T00:29:59Z"},
      {"2026-03-01T00:29:59+00:30", "2026-02-28T23:59:59Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"},
      {"0000-12-31T23:59:59-00:01", "0001-01-01T00:00:59Z"},
      {"0001-01-01T00:59:59+01:00", ""},
      {"9999-12-31T23:59:59-00:01", ""},
      {"2025-02-29T00:00:00Z", ""},
      {"2026-00-01T00:00:00Z", ""},
      {"2026-13-01T00:00:00Z", ""},
      {"2026-04-31T00:00:00Z", ""},
      {"2026-01-00T00:00:00Z", ""},
      {"2026-01-01T24:00:00Z", ""},
      {"2026-01-01T00:60:00Z", ""},
      {"2026-01-01T00:00:60Z", ""},
      {"2026-01-01T00:00Z", ""},
      {"2026-01-01T00:00:00", ""},
      {"2026-01-01T00:00:00.Z", ""},
      {"2026-01-01T00:00:00,5Z", ""},
      {"2026-01-01T00:00:00+24:00", ""},
      {"2026-01-01T00:00:00+00:60", ""},
      {"2026-01-01T00:00:00+0000", ""},
      {"2026-01-01T00:00:00 Z", ""},
      {"2026-01-01 00:00:00Z", ""},
      {" 2026-01-01T00:00:00Z", ""},
      {"2026-1-1T00:00:00Z", ""},
      {"+2026-01-01T00:00:00Z", ""},
      {"12026-01-01T00:00:00Z", ""},
      {"2026-01-01", ""},
      {"1767225600", ""},
      {"", ""},
  };
  for (const Read& each : cases) {
    const std::string source = fmt::format("string(timestamp('{}')) == '{}'", each.text, each.canonical);
    expectAll({{source, each.canonical.empty() ? error : yes}});
  }
}

TEST(CelTimeRules, DurationsAreReadAndWritten) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "0s"},
      {"-0", "0s"},
      {"0h", "0s"},
      {"1h", "3600s"},
      {"-1h", "-3600s"},
      {"+1h", "3600s"},
      {"1m", "60s"},
      {"1.5m", "90s"},
      {".5s", "0.5s"},
      {"5.s", "5s"},
      {"1ms", "0.001s"},
      {"1us", "0.000001s"},
      {"1\u00b5s", "0.000001s"},
      {"1ns", "0.000000001s"},
      {"-1ns", "-0.000000001s"},
      {"1h2m3s4ms5us6ns", "3723.004005006s"},
      {"1s1h", "3601s"},
      {"1h1h", "7200s"},
      {"0.1ns", "0s"},
      {"100000h", "360000000s"},
      {"9223372036854775807ns", "9223372036.854775807s"},
      {"-9223372036854775807ns", "-9223372036.854775807s"},
      {"9223372036854775808ns", ""},
      {"9223372037s", ""},
      {"2562048h", ""},
      {"99999999999999999999999999h", ""},
      {"1", ""},
      {"1.5", ""},
      {"h", ""},
      {".h", ""},
      {"1d", ""},
      {"1w", ""},
      {"1H", ""},
      {"1 h", ""},
      {" 1h", ""},
      {"1h ", ""},
      {"1h-1m", ""},
      {"--1h", ""},
      {"1e3s", ""},
      {"1h2", ""},
      {"PT1H", ""},
      {"", ""},
      {"-", ""},
  };
  for (const auto& [text, canonical] : cases) {
    expectAll({{fmt::format("string(duration('{}')) == '{}'", text, canonical), canonical.empty() ? error : yes}});
  }
}

TEST(CelTimeRules, PartsOfADuration) {
  for (const int64_t milliseconds : {0L, 1L, 999L, 1'000L, 61'500L, 3'599'999L, 90'061'001L, 31'536'000'000L}) {
    for (const int64_t value : {milliseconds, -milliseconds}) {
      expectAll(
          {{fmt::format("[duration('{}ms')].all(d, d.getHours() == {} && d.getMinutes() == {} && d.getSeconds() == "
                        "{} && d.getMilliseconds() == {})",
                        value, value / 3'600'000, value / 60'000, value / 1'000, value % 1'000),
            yes}});
    }
  }
}

TEST(CelTimeRules, ArithmeticKeepsToTheRanges) {
  expectAll({
      {"now + duration('36h') - now == duration('36h') && duration('36h') + now == now + duration('36h')"},
      {"now - duration('-1s') == now + duration('1s') && now - now == duration('0')"},
      {"duration('1h') - duration('90m') == duration('-30m') && duration('-1ns') + duration('1ns') == duration('0')"},
      {"timestamp('2024-02-28T12:00:00Z') + duration('24h') == timestamp('2024-02-29T12:00:00Z')"},
      {"timestamp('1969-12-31T23:59:59.5Z') - timestamp('1970-01-01T00:00:00.25Z') == duration('-750ms')"},
      {"timestamp('9999-12-31T23:59:59.999999998Z') + duration('1ns') == timestamp('9999-12-31T23:59:59.999999999Z')"},
      {"timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns') > now", error},
      {"timestamp('0001-01-01T00:00:00Z') - duration('1ns') < now", error},
      {"duration('9223372036854775807ns') + duration('1ns') > duration('0')", error},
      {"duration('-9223372036854775807ns') - duration('2ns') < duration('0')", error},
      {"timestamp('2300-01-01T00:00:00Z') - timestamp('2000-01-01T00:00:00Z') > duration('0')", error},
      {"timestamp('2290-01-01T00:00:00Z') - timestamp('2000-01-01T00:00:00Z') > duration('0')"},
      {"duration('1s') - now == now", refused},
      {"dyn(duration('1s')) - now == duration('1s')", error},
      {"dyn(now) + now == now", error},
      {"now * 2 == now", refused},
      {"duration('1s') * 2 == duration('2s')", refused},
      {"duration('2s') / duration('1s') == 2", refused},
      {"-duration('1s') == duration('-1s')", refused},
      {"int(timestamp('1970-01-01T00:00:01.999Z')) == 1 && int(timestamp('1969-12-31T23:59:59.5Z')) == -1"},
      {"timestamp(-62135596800) == timestamp('0001-01-01T00:00:00Z') && timestamp(253402300799) > now"},
      {"timestamp(-62135596801) == now", error},
      {"timestamp(253402300800) == now", error},
      {"timestamp(9223372036854775807) == now", error},
      {"timestamp(1u) == now", refused},
      {"timestamp(1.0) == now", refused},
      {"duration(dyn(true)) == duration('1s')", error},
      {"int(duration('1s')) == 1", refused},
  });
}

}  // namespace
}  // namespace mb::cel
