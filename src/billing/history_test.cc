#include "billing/history.h"

#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

class HistoryTest : public UsageFixture {
 protected:
  const policy::Caller ann_ = person("ann@example.com");
  const projects::ProjectView shop_ = made(ann_, "Shop");
};

TEST_F(HistoryTest, TheLastReadingOfADayStays) {
  read(shop_, "2027-01-15T08:00:00Z", {.storageBytes = 10, .functionRuns = 5, .vectors = 3, .realtimeConnections = 4});
  read(shop_, "2027-01-15T09:00:00Z", {.storageBytes = 7, .functionRuns = 9, .vectors = 2, .realtimeConnections = 8});
  ASSERT_EQ(days().size(), 1u);
  const DayRecord day = days().front();
  EXPECT_EQ(day.id, "2027-01-15:" + shop_.id.str());
  EXPECT_EQ(day.day, "2027-01-15");
  EXPECT_EQ(day.projectId, shop_.id.str());
  EXPECT_EQ(day.storageBytes, 7);
  EXPECT_EQ(day.functionRuns, 9);
  EXPECT_EQ(day.vectors, 2);
  EXPECT_EQ(day.connectionHours(), 12);
  EXPECT_EQ(day.realtimeConnections(), 6);
}

TEST_F(HistoryTest, AnHourCountsOnce) {
  read(shop_, "2027-01-15T08:00:00Z", {.storageBytes = 10, .vectors = 5, .realtimeConnections = 9});
  read(shop_, "2027-01-15T08:59:59Z", {.storageBytes = 3, .vectors = 0, .realtimeConnections = 0});
  EXPECT_EQ(days().front().connectionHours(), 9);
  EXPECT_EQ(days().front().vectors, 5);
  EXPECT_EQ(days().front().storageBytes, 3);
  read(shop_, "2027-01-15T09:00:00Z", {.storageBytes = 3, .vectors = 1, .realtimeConnections = 0});
  EXPECT_EQ(days().front().connectionHours(), 9);
  EXPECT_EQ(days().front().connections.size(), 2u);
  EXPECT_EQ(days().front().vectors, 1);
}

TEST_F(HistoryTest, RunsAfterTheLastReadingOfAMonthAreItsOwn) {
  const store::ProjectNo number = numberOf(shop_);
  read(shop_, "2027-01-31T23:00:00Z", {.functionRuns = 100});
  months_[{number, "2027-01"}] = 130;
  read(shop_, "2027-02-01T00:05:00Z", {.functionRuns = 2});
  ASSERT_EQ(days().size(), 2u);
  EXPECT_EQ(days()[0].functionRuns, 130);
  EXPECT_EQ(days()[1].functionRuns, 2);
  // Of a run that began before the end of the month.
  months_[{number, "2027-01"}] = 131;
  read(shop_, "2027-02-01T01:05:00Z", {.functionRuns = 3});
  EXPECT_EQ(days()[0].functionRuns, 131);
  read(shop_, "2027-02-02T00:05:00Z", {.functionRuns = 4});
  EXPECT_EQ(days()[0].functionRuns, 131);
  EXPECT_EQ(days()[1].functionRuns, 3);
}

TEST_F(HistoryTest, AMonthThatEndedDuringAPauseIsClosedToo) {
  read(shop_, "2027-01-20T10:00:00Z", {.functionRuns = 100});
  months_[{numberOf(shop_), "2027-01"}] = 150;
  read(shop_, "2027-03-05T10:00:00Z", {.functionRuns = 1});
  ASSERT_EQ(days().size(), 2u);
  EXPECT_EQ(days()[0].functionRuns, 150);
}

TEST_F(HistoryTest, TheCountOfAMonthNeverFalls) {
  read(shop_, "2027-01-31T23:59:00Z", {.functionRuns = 100});
  // Read a moment later, when the next month had begun.
  read(shop_, "2027-01-31T23:59:30Z", {.functionRuns = 0});
  EXPECT_EQ(days().front().functionRuns, 100);
}

TEST_F(HistoryTest, AClockThatJumpsAMonthLosesAndDoublesNothing) {
  const store::ProjectNo number = numberOf(shop_);
  const int64_t gib = int64_t{1} << 30;
  read(shop_, "2026-12-01T08:00:00Z", {.storageBytes = gib, .functionRuns = 4});
  read(shop_, "2027-01-15T08:00:00Z", {.storageBytes = gib, .functionRuns = 10, .realtimeConnections = 1000});
  months_[{number, "2027-01"}] = 10;
  read(shop_, "2027-02-15T08:00:00Z", {.storageBytes = gib, .functionRuns = 3, .realtimeConnections = 1000});
  ASSERT_TRUE(run(history_.prune(clock_.now())));
  months_[{number, "2027-02"}] = 3;
  read(shop_, "2027-01-15T09:00:00Z", {.storageBytes = gib, .functionRuns = 20, .realtimeConnections = 1000});
  EXPECT_EQ(days().size(), 3u);
  const CostReport report = reported("2027-01-01", "2027-02-28");
  ASSERT_EQ(report.projects.size(), 1u);
  const CostUnits units = report.projects.front().units;
  EXPECT_DOUBLE_EQ(units.millionFunctionRuns, 20e-6);
  EXPECT_DOUBLE_EQ(units.thousandConnectionHours, 2);
  EXPECT_NEAR(units.storageGiBMonth, 1.0 / 31, 1e-9);
  // Once February is really there, what ran while the clock was fast is in its count.
  read(shop_, "2027-02-01T08:00:00Z", {.storageBytes = gib, .functionRuns = 5});
  EXPECT_DOUBLE_EQ(reported("2027-02-01", "2027-02-10").projects.front().units.millionFunctionRuns, 5e-6);
}

TEST_F(HistoryTest, OldDaysAreRemoved) {
  for (const char* day : {"2026-06-01", "2026-08-16", "2026-08-17", "2027-01-01"}) {
    read(shop_, std::string(day) + "T08:00:00Z", {.storageBytes = 1});
  }
  // 152 days after 2026-08-16.
  EXPECT_EQ(run(history_.prune(at("2027-01-15T12:00:00Z"))).value(), 1u);
  EXPECT_EQ(days().front().day, "2026-08-16");
  EXPECT_EQ(run(history_.prune(at("2027-01-16T12:00:00Z"))).value(), 1u);
  EXPECT_EQ(days().front().day, "2026-08-17");
  EXPECT_EQ(run(history_.prune(at("2027-01-16T12:00:00Z"))).value(), 0u);
}

TEST_F(HistoryTest, PagesHoldTheDaysOfTheRange) {
  const projects::ProjectView blog = made(ann_, "Blog");
  for (const char* day : {"2027-01-01", "2027-01-02", "2027-01-03", "2027-01-04"}) {
    read(shop_, std::string(day) + "T08:00:00Z", {});
    read(blog, std::string(day) + "T08:00:00Z", {});
  }
  const auto page = run(history_.page(day("2027-01-02"), day("2027-01-03"), "", soon()));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->days.size(), 4u);
  EXPECT_EQ(page->days.front().day, "2027-01-02");
  EXPECT_EQ(page->days.back().day, "2027-01-03");
  EXPECT_EQ(page->next, "");
  const auto rest = run(history_.page(day("2027-01-02"), day("2027-01-03"), page->days[2].id, soon()));
  ASSERT_EQ(rest->days.size(), 1u);
  EXPECT_EQ(rest->days.front().id, page->days[3].id);
}

TEST_F(HistoryTest, ManyProjectsAreRecordedInOneCall) {
  std::vector<projects::ProjectRecord> records;
  std::vector<ProjectUsage> usages;
  for (int i = 0; i < 230; ++i) {
    projects::ProjectRecord record = recordOf(shop_.id);
    record.id = ProjectId(fmt::format("proj_{:020}", i));
    records.push_back(record);
    usages.push_back({.storageBytes = i});
  }
  ASSERT_TRUE(run(history_.record(records, usages, clock_.now())));
  ASSERT_EQ(days().size(), 230u);
  EXPECT_EQ(days()[229].storageBytes, 229);
}

TEST(HistoryCollections, ArePurgedWithTheirProject) {
  size_t found = 0;
  for (const store::SystemCollection& each : systemCollections()) {
    if (each.number != kUsageDays && each.number != kLimitMails) continue;
    ++found;
    EXPECT_EQ(each.projectField, "projectId");
    EXPECT_EQ(each.indexes.front().keys.front().path, "projectId");
  }
  EXPECT_EQ(found, 2u);
}

}  // namespace
}  // namespace mb::billing
