#include "billing/calendar.h"

#include <gtest/gtest.h>

namespace mb::billing {
namespace {

TEST(Calendar, DaysAreThoseOfUtc) {
  EXPECT_EQ(textOf(dayOf(*parseRfc3339("2027-01-31T23:59:59.999Z"))), "2027-01-31");
  EXPECT_EQ(textOf(dayOf(*parseRfc3339("2027-02-01T00:00:00Z"))), "2027-02-01");
  EXPECT_EQ(textOf(dayOf(*parseRfc3339("2027-02-01T01:30:00+02:00"))), "2027-01-31");
  EXPECT_EQ(toRfc3339(startOf(*parseDay("2027-01-31"))), "2027-01-31T00:00:00.000Z");
  EXPECT_EQ(monthOf(*parseRfc3339("2027-01-31T23:59:59Z")), "2027-01");
  EXPECT_EQ(monthOf(std::string_view("2027-01-31")), "2027-01");
}

TEST(Calendar, MonthsHaveTheirLength) {
  const std::pair<const char*, int> months[] = {
      {"2027-01-15", 31}, {"2027-02-28", 28}, {"2028-02-01", 29}, {"2027-04-30", 30}, {"2027-12-31", 31}};
  for (const auto& [text, length] : months) EXPECT_EQ(daysInMonth(*parseDay(text)), length) << text;
  EXPECT_EQ(textOf(firstOfMonth(*parseDay("2028-02-29"))), "2028-02-01");
}

TEST(Calendar, OtherTextsAreNoDays) {
  for (const char* text : {"", "2027-01-32", "2027-02-29", "2027-1-31", "2027/01/31", "20270131", "2027-01-31T",
                           "today", " 2027-01-3", "1969-12-31", "2027-00-10", "-027-01-31"}) {
    EXPECT_FALSE(parseDay(text)) << text;
  }
  EXPECT_TRUE(parseDay("1970-01-01"));
  EXPECT_TRUE(parseDay("2028-02-29"));
}

}  // namespace
}  // namespace mb::billing
