#include "functions/cron_schedule.h"

#include <gtest/gtest.h>

namespace mb::functions {
namespace {

struct Fires {
  const char* schedule;
  const char* after;
  const char* next;
};

class CronScheduleFires : public testing::TestWithParam<Fires> {};

TEST_P(CronScheduleFires, at) {
  const auto schedule = CronSchedule::parse(GetParam().schedule);
  ASSERT_TRUE(schedule) << schedule.error().message();
  EXPECT_EQ(GetParam().next, toRfc3339(schedule->next(*parseRfc3339(GetParam().after))));
}

// 2026-01-01 is a Thursday.
INSTANTIATE_TEST_SUITE_P(
    Cron, CronScheduleFires,
    testing::Values(Fires{"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00.000Z"},
                    Fires{"* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00.000Z"},
                    Fires{"* * * * *", "2026-12-31T23:59:30Z", "2027-01-01T00:00:00.000Z"},
                    Fires{"*/15 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:15:00.000Z"},
                    Fires{"*/15 * * * *", "2026-01-01T00:46:00Z", "2026-01-01T01:00:00.000Z"},
                    Fires{"5,35 9-17 * * *", "2026-01-01T17:35:00Z", "2026-01-02T09:05:00.000Z"},
                    Fires{"10-50/20 * * * *", "2026-01-01T00:11:00Z", "2026-01-01T00:30:00.000Z"},
                    Fires{"50/5 * * * *", "2026-01-01T00:50:00Z", "2026-01-01T00:55:00.000Z"},
                    Fires{"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"},
                    Fires{"0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"},
                    Fires{"0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00.000Z"},
                    Fires{"0 12 * * mon", "2026-01-01T00:00:00Z", "2026-01-05T12:00:00.000Z"},
                    Fires{"0 12 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T12:00:00.000Z"},
                    Fires{"0 12 * * 0", "2026-01-01T00:00:00Z", "2026-01-04T12:00:00.000Z"},
                    Fires{"0 12 * * Fri-Sat", "2026-01-03T13:00:00Z", "2026-01-09T12:00:00.000Z"},
                    Fires{"0 12 * * 5-7", "2026-01-03T13:00:00Z", "2026-01-04T12:00:00.000Z"},
                    Fires{"0 0 1 JAN,jul *", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00.000Z"},
                    // With two restricted day fields one must match; if one of them begins with a star, both must.
                    Fires{"0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"},
                    Fires{"0 0 13 * fri", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00.000Z"},
                    Fires{"0 0 */2 * fri", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00.000Z"},
                    Fires{"  0\t 0  1 *  * ", "2026-01-02T00:00:00Z", "2026-02-01T00:00:00.000Z"},
                    Fires{"@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00.000Z"},
                    Fires{"@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"},
                    Fires{"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00.000Z"},
                    Fires{"@monthly", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00.000Z"}));

struct ZonedFires {
  const char* zone;
  const char* schedule;
  const char* after;
  std::vector<const char*> fires;
};

class CronScheduleInAZone : public testing::TestWithParam<ZonedFires> {};

TEST_P(CronScheduleInAZone, firesByItsClocks) {
  const auto schedule = CronSchedule::parse(GetParam().schedule, TimeZone::find(GetParam().zone));
  ASSERT_TRUE(schedule) << schedule.error().message();
  Timestamp at = *parseRfc3339(GetParam().after);
  for (const char* fire : GetParam().fires) {
    at = schedule->next(at);
    EXPECT_EQ(fire, toRfc3339(at));
  }
}

// Zurich: on 2026-03-29 clocks go from 02:00 to 03:00 at 01:00Z, on 2026-10-25 from 03:00 to 02:00 at 01:00Z.
INSTANTIATE_TEST_SUITE_P(
    Cron, CronScheduleInAZone,
    testing::Values(ZonedFires{"UTC", "0 9 * * *", "2026-03-28T10:00:00Z", {"2026-03-29T09:00:00.000Z"}},
                    ZonedFires{"Europe/Zurich",
                               "0 9 * * *",
                               "2026-03-28T00:00:00Z",
                               {"2026-03-28T08:00:00.000Z", "2026-03-29T07:00:00.000Z", "2026-03-30T07:00:00.000Z"}},
                    // Skipped: at the moment of the change.
                    ZonedFires{"Europe/Zurich",
                               "30 2 * * *",
                               "2026-03-27T12:00:00Z",
                               {"2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"}},
                    // Those skipped together are one fire, with one that is due then anyway.
                    ZonedFires{"Europe/Zurich",
                               "*/15 * * * *",
                               "2026-03-29T00:30:30Z",
                               {"2026-03-29T00:45:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T01:15:00.000Z"}},
                    ZonedFires{"Europe/Zurich",
                               "10,50 2 29 3 *",
                               "2026-03-01T00:00:00Z",
                               {"2026-03-29T01:00:00.000Z", "2027-03-29T00:10:00.000Z"}},
                    // Twice: the first time only, whether the search starts before, between or after both.
                    ZonedFires{"Europe/Zurich",
                               "30 2 * * *",
                               "2026-10-24T12:00:00Z",
                               {"2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"}},
                    ZonedFires{"Europe/Zurich", "30 2 * * *", "2026-10-25T01:10:00Z", {"2026-10-26T01:30:00.000Z"}},
                    ZonedFires{"Europe/Zurich",
                               "*/30 * * * *",
                               "2026-10-24T23:45:00Z",
                               {"2026-10-25T00:00:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-25T02:00:00.000Z",
                                "2026-10-25T02:30:00.000Z"}},
                    ZonedFires{"Europe/Zurich", "* * * * *", "2026-10-25T01:20:00Z", {"2026-10-25T02:00:00.000Z"}},
                    ZonedFires{"America/New_York",
                               "0 9 * * mon-fri",
                               "2026-03-06T12:00:00Z",
                               {"2026-03-06T14:00:00.000Z", "2026-03-09T13:00:00.000Z"}},
                    ZonedFires{"Asia/Kathmandu", "@daily", "2026-01-01T00:00:00Z", {"2026-01-01T18:15:00.000Z"}},
                    ZonedFires{"Australia/Lord_Howe",
                               "15 2 * * *",
                               "2026-10-03T12:00:00Z",
                               {"2026-10-03T15:30:00.000Z", "2026-10-04T15:15:00.000Z"}}));

class CronScheduleRefuses : public testing::TestWithParam<const char*> {};

TEST_P(CronScheduleRefuses, it) {
  const auto schedule = CronSchedule::parse(GetParam());
  ASSERT_FALSE(schedule);
  EXPECT_EQ(ErrorCode::validation, schedule.error().code());
}

INSTANTIATE_TEST_SUITE_P(Cron, CronScheduleRefuses,
                         testing::Values("", "*", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *",
                                         "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8", "-1 * * * *",
                                         "5-1 * * * *", "*/0 * * * *", "*/60 * * * *", "1,,2 * * * *", "1, * * * *",
                                         "a * * * *", "* * * foo *", "* * * * mond", "1- * * * *", "/5 * * * *",
                                         "1.5 * * * *", "+1 * * * *", "00001 * * * *", "0 0 30 2 *", "0 0 31 4 *",
                                         "@yearly", "@reboot", "@", "? * * * *", "0 0 L * *"));

TEST(CronSchedule, aVeryLongTextIsRefused) {
  EXPECT_FALSE(CronSchedule::parse(std::string(10'000, '*')));
}

TEST(CronSchedule, lastOfAStretchInAZone) {
  const auto schedule = CronSchedule::parse("30 2 * * *", TimeZone::find("Europe/Zurich"));
  ASSERT_TRUE(schedule);
  const auto at = [](const char* text) { return *parseRfc3339(text); };
  EXPECT_EQ(at("2026-03-29T01:00:00Z"), schedule->last(at("2026-03-29T00:10:00Z"), at("2026-03-29T01:05:00Z")));
  EXPECT_EQ(at("2026-10-25T00:30:00Z"), schedule->last(at("2026-10-25T00:00:00Z"), at("2026-10-25T05:00:00Z")));
  EXPECT_EQ(std::nullopt, schedule->last(at("2026-10-25T00:31:00Z"), at("2026-10-25T05:00:00Z")));
}

TEST(CronSchedule, lastOfAStretch) {
  const auto schedule = CronSchedule::parse("*/20 * * * *");
  ASSERT_TRUE(schedule);
  const auto at = [](const char* text) { return *parseRfc3339(text); };
  EXPECT_EQ(at("2026-01-01T10:40:00Z"), schedule->last(at("2026-01-01T10:00:00Z"), at("2026-01-01T10:59:00Z")));
  EXPECT_EQ(at("2026-01-01T10:00:00Z"), schedule->last(at("2026-01-01T10:00:00Z"), at("2026-01-01T10:00:00Z")));
  EXPECT_EQ(std::nullopt, schedule->last(at("2026-01-01T10:01:00Z"), at("2026-01-01T10:19:59Z")));
}

}  // namespace
}  // namespace mb::functions
