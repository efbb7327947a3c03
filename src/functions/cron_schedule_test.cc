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
