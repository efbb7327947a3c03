#include "base/clock.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

using namespace std::string_view_literals;

constexpr std::pair<int64_t, std::string_view> kTimes[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1'769'851'800'000, "2026-01-31T09:30:00.000Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {951'782'400'001, "2000-02-29T00:00:00.001Z"},
    {-62'167'219'200'000, "0000-01-01T00:00:00.000Z"},
    {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
};

TEST(Clock, WritesAndReadsBack) {
  for (const auto& [ms, text] : kTimes) {
    EXPECT_EQ(toRfc3339({ms}), text);
    EXPECT_EQ(parseRfc3339(text), Timestamp{ms}) << text;
  }
}

TEST(Clock, ClampsYearsThatHaveNoFourDigits) {
  EXPECT_EQ(toRfc3339({INT64_MAX}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(toRfc3339({INT64_MIN}), "0000-01-01T00:00:00.000Z");
}

TEST(Clock, AppendsToWhatIsThere) {
  std::string out = "at ";
  appendRfc3339(out, {0});
  EXPECT_EQ(out, "at 1970-01-01T00:00:00.000Z");
}

TEST(Clock, ReadsEveryFormOfTheStandard) {
  constexpr std::pair<std::string_view, int64_t> kForms[] = {
      {"1970-01-01T00:00:00Z", 0},        {"1970-01-01t00:00:00z", 0},
      {"1970-01-01T01:30:00+01:30", 0},   {"1969-12-31T16:00:00-08:00", 0},
      {"1970-01-01T00:00:00.1Z", 100},    {"1970-01-01T00:00:00.123456789Z", 123},
      {"1970-01-01T00:00:00.9999Z", 999}, {"1998-12-31T23:59:60Z", 915'148'800'000},
  };
  for (const auto& [text, ms] : kForms) EXPECT_EQ(parseRfc3339(text), Timestamp{ms}) << text;
}

TEST(Clock, RefusesEverythingElse) {
  constexpr std::string_view kBad[] = {
      "",
      "1970",
      "1970-01-01",
      "1970-01-01T00:00:00",
      "1970-01-01 00:00:00Z",
      "1970-01-01T00:00Z",
      "1970-13-01T00:00:00Z",
      "1970-00-01T00:00:00Z",
      "1970-02-30T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "1970-01-01T24:00:00Z",
      "1970-01-01T00:60:00Z",
      "1970-01-01T00:00:61Z",
      "1970-01-01T00:00:00.Z",
      "1970-01-01T00:00:00.1234567890Z",
      "1970-01-01T00:00:00,5Z",
      "1970-01-01T00:00:00+1:00",
      "1970-01-01T00:00:00+24:00",
      "1970-01-01T00:00:00+01:60",
      "1970-01-01T00:00:00+0100",
      "1970-01-01T00:00:00Zx",
      " 1970-01-01T00:00:00Z",
      "+970-01-01T00:00:00Z",
      "1970-01-01T-1:00:00Z",
      "19700-01-01T00:00:00Z",
  };
  for (const std::string_view text : kBad) EXPECT_FALSE(parseRfc3339(text)) << text;
  EXPECT_FALSE(parseRfc3339("1970-01-01T00:00:00Z\0"sv));
}

TEST(Clock, ManualClockGoesWhereItIsTold) {
  ManualClock clock(1000);
  clock.advance(500);
  EXPECT_EQ(clock.now().ms, 1500);
  clock.set(10);
  EXPECT_EQ(clock.now().ms, 10);
}

TEST(Clock, SystemClockIsInOurCentury) {
  EXPECT_GT(SystemClock().now().ms, 1'600'000'000'000);
}

}  // namespace
}  // namespace mb
