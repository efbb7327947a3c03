#include "base/time_zone.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/clock.h"

namespace mb {
namespace {

int64_t secondsAt(std::string_view text) {
  return parseRfc3339(text)->ms / 1000;
}

TEST(TimeZone, OffsetsThroughTheYearAndFarAhead) {
  struct Case {
    std::string_view zone;
    std::string_view time;
    int32_t hours;
  };
  const Case cases[] = {
      {"UTC", "2026-07-01T00:00:00Z", 0},
      {"Europe/Zurich", "2026-01-01T00:00:00Z", 1},
      {"Europe/Zurich", "2026-07-01T00:00:00Z", 2},
      {"Europe/Zurich", "2026-03-29T00:59:59Z", 1},
      {"Europe/Zurich", "2026-03-29T01:00:00Z", 2},
      {"Europe/Zurich", "2026-10-25T00:59:59Z", 2},
      {"Europe/Zurich", "2026-10-25T01:00:00Z", 1},
      // Past the last transition of the file: by its rule.
      {"Europe/Zurich", "2200-01-01T00:00:00Z", 1},
      {"Europe/Zurich", "2200-07-01T00:00:00Z", 2},
      {"America/New_York", "2400-01-01T00:00:00Z", -5},
      {"America/New_York", "2400-07-01T00:00:00Z", -4},
      {"Australia/Sydney", "2300-01-01T00:00:00Z", 11},
      {"Australia/Sydney", "2300-07-01T00:00:00Z", 10},
      {"US/Central", "2009-02-13T23:31:30Z", -6},
      {"Asia/Tokyo", "2300-01-01T00:00:00Z", 9},
      {"CET", "2026-01-01T00:00:00Z", 1},
      {"Etc/GMT+5", "2026-01-01T00:00:00Z", -5},
  };
  for (const Case& each : cases) {
    const auto offset = zoneOffset(each.zone, secondsAt(each.time));
    ASSERT_TRUE(offset) << each.zone;
    EXPECT_EQ(*offset, each.hours * 3600) << each.zone << " " << each.time;
  }
}

TEST(TimeZone, FixedOffsets) {
  EXPECT_EQ(zoneOffset("+05:30", 0), 19'800);
  EXPECT_EQ(zoneOffset("-02:30", 0), -9'000);
  EXPECT_EQ(zoneOffset("02:00", 0), 7'200);
  EXPECT_EQ(zoneOffset("-00:00", 0), 0);
}

TEST(TimeZone, WhatIsNoZone) {
  for (const std::string_view zone : {"", "+5:30", "+24:00", "+05:60", "+0530", "Europe", "Europe/", "/etc/passwd",
                                      "../zoneinfo/UTC", "Nowhere/Land", "right/UTC", "posix/UTC", "tzdata.zi",
                                      "zone.tab", "leapseconds", "Europe/Zurich/x", "..", "+-1:00", "+ 1:00"}) {
    EXPECT_FALSE(zoneOffset(zone, 0)) << zone;
  }
  EXPECT_FALSE(zoneOffset(std::string(200, 'a'), 0));
  EXPECT_FALSE(zoneOffset(std::string_view("UTC\0", 4), 0));
}

TEST(TimeZone, FindsNamesOfTheDatabaseAlone) {
  for (const std::string_view name : {"UTC", "Europe/Zurich", "US/Central", "Etc/GMT+5", "CET"}) {
    EXPECT_TRUE(TimeZone::find(name)) << name;
  }
  for (const std::string_view name :
       {"", "+05:30", "02:00", "utc", "Europe", "europe/zurich", "Nowhere/Land", "Local"}) {
    EXPECT_FALSE(TimeZone::find(name)) << name;
  }
  EXPECT_EQ(TimeZone::find("Europe/Zurich")->offsetAt(secondsAt("2026-07-01T00:00:00Z")), 7200);
}

TEST(TimeZone, TheMomentOfALocalTime) {
  struct Case {
    std::string_view zone;
    std::string_view local;  // read as if it was UTC
    std::string_view moment;
  };
  const Case cases[] = {
      {"UTC", "2026-03-29T02:30:00Z", "2026-03-29T02:30:00Z"},
      {"Europe/Zurich", "2026-01-15T09:00:00Z", "2026-01-15T08:00:00Z"},
      {"Europe/Zurich", "2026-07-15T09:00:00Z", "2026-07-15T07:00:00Z"},
      {"Europe/Zurich", "2026-03-29T01:59:00Z", "2026-03-29T00:59:00Z"},
      // Skipped: the moment of the change.
      {"Europe/Zurich", "2026-03-29T02:00:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Zurich", "2026-03-29T02:30:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Zurich", "2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z"},
      {"Europe/Zurich", "2026-03-29T03:01:00Z", "2026-03-29T01:01:00Z"},
      // Twice: the first.
      {"Europe/Zurich", "2026-10-25T01:59:00Z", "2026-10-24T23:59:00Z"},
      {"Europe/Zurich", "2026-10-25T02:00:00Z", "2026-10-25T00:00:00Z"},
      {"Europe/Zurich", "2026-10-25T02:59:00Z", "2026-10-25T00:59:00Z"},
      {"Europe/Zurich", "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z"},
      // By half an hour.
      {"Australia/Lord_Howe", "2026-10-04T02:15:00Z", "2026-10-03T15:30:00Z"},
      {"Australia/Lord_Howe", "2026-04-05T01:45:00Z", "2026-04-04T14:45:00Z"},
      {"America/New_York", "2400-03-12T02:30:00Z", "2400-03-12T07:00:00Z"},
      // A whole day.
      {"Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-30T10:00:00Z"},
      {"Asia/Kathmandu", "2026-01-01T00:00:00Z", "2025-12-31T18:15:00Z"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(TimeZone::find(each.zone)->momentOf(secondsAt(each.local)), secondsAt(each.moment))
        << each.zone << " " << each.local;
  }
}

TEST(TimeZone, BrokenFilesAreRefused) {
  std::ifstream file("/usr/share/zoneinfo/Europe/Zurich", std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  const std::string bytes = content.str();
  ASSERT_TRUE(ZoneRules::parse(bytes));
  EXPECT_FALSE(ZoneRules::parse(""));
  EXPECT_FALSE(ZoneRules::parse("TZif1"));
  for (size_t length = 0; length + 100 < bytes.size(); length += 7) {
    EXPECT_FALSE(ZoneRules::parse(std::string_view(bytes).substr(0, length))) << length;
  }
  // Any byte may be corrupt: parsing must not crash.
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 4'000); ++i) {
    std::string broken = bytes;
    broken[i] = static_cast<char>(broken[i] ^ 0xA5);
    if (const auto rules = ZoneRules::parse(broken)) rules->offsetAt(1'769'851'800);
  }
}

}  // namespace
}  // namespace mb
