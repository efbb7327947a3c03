#include "billing/costs.h"

#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

DayRecord dayOfRuns(std::string day, int64_t runs) {
  return {.id = "", .projectId = "proj_a", .day = std::move(day), .functionRuns = runs};
}

int64_t runsOf(const std::vector<DayRecord>& days, std::string_view from, std::string_view to) {
  UnitSum sum;
  for (const DayRecord& each : days) sum.add(each, {*parseDay(from), *parseDay(to)});
  return std::llround(sum.units().millionFunctionRuns * 1e6);
}

TEST(UnitSum, RunsBetweenTwoDaysFollowFromTheCountsOfMonths) {
  const std::vector<DayRecord> days = {
      dayOfRuns("2027-01-30", 100), dayOfRuns("2027-01-31", 150), dayOfRuns("2027-02-01", 10),
      dayOfRuns("2027-02-02", 30),  dayOfRuns("2027-04-10", 7),
  };
  EXPECT_EQ(runsOf(days, "2027-01-30", "2027-01-30"), 100);
  EXPECT_EQ(runsOf(days, "2027-01-31", "2027-01-31"), 50);
  EXPECT_EQ(runsOf(days, "2027-01-31", "2027-02-01"), 60);
  EXPECT_EQ(runsOf(days, "2027-02-02", "2027-02-02"), 20);
  EXPECT_EQ(runsOf(days, "2027-02-03", "2027-02-28"), 0);
  EXPECT_EQ(runsOf(days, "2027-01-01", "2027-03-31"), 180);
  EXPECT_EQ(runsOf(days, "2027-02-02", "2027-04-30"), 27);
}

TEST(UnitSum, AdjacentRangesAddUpWhereADayWasReadAgain) {
  // The clock was set back to the 10th for a while, so its count is that of the 20th and more.
  const std::vector<DayRecord> days = {dayOfRuns("2027-01-05", 10), dayOfRuns("2027-01-10", 45),
                                       dayOfRuns("2027-01-15", 30), dayOfRuns("2027-01-25", 60)};
  EXPECT_EQ(runsOf(days, "2027-01-01", "2027-01-31"), 60);
  EXPECT_EQ(runsOf(days, "2027-01-01", "2027-01-12"), 45);
  EXPECT_EQ(runsOf(days, "2027-01-13", "2027-01-20"), 0);
  EXPECT_EQ(runsOf(days, "2027-01-21", "2027-01-31"), 15);
}

TEST(UnitSum, DaysOutsideTheRangeAreNotInIt) {
  UnitSum sum;
  const CostRange range{*parseDay("2027-01-10"), *parseDay("2027-01-20")};
  sum.add(dayOfRuns("2027-01-09", 5), range);
  sum.add(dayOfRuns("2027-01-21", 9), range);
  EXPECT_FALSE(sum.any());
  EXPECT_EQ(sum.units().millionFunctionRuns, 0);
}

TEST(CostRange, OnlyDaysOfAShortRange) {
  EXPECT_TRUE(costRangeOf("2027-01-01", "2027-01-01"));
  EXPECT_TRUE(costRangeOf("2027-01-01", "2027-03-31"));  // 90 days
  const auto message = [](std::optional<std::string_view> from, std::optional<std::string_view> to) -> std::string {
    const auto made = costRangeOf(from, to);
    if (made) return "";
    EXPECT_EQ(made.error().code(), ErrorCode::invalidParam);
    return made.error().message();
  };
  EXPECT_EQ(message("2027-01-01", "2027-04-01"), "from and to must be at most 90 days");
  EXPECT_EQ(message("2027-01-02", "2027-01-01"), "from must not be after to");
  EXPECT_EQ(message(std::nullopt, "2027-01-01"), "from must be a day such as 2026-01-31");
  EXPECT_EQ(message("2027-01-01", std::nullopt), "to must be a day such as 2026-01-31");
  for (const char* wrong : {"", "2027-02-30", "yesterday", "2027-01-01T00:00:00Z", "01/02/2027", "2027-1-1"}) {
    EXPECT_EQ(message(wrong, "2027-01-01"), "from must be a day such as 2026-01-31") << wrong;
    EXPECT_EQ(message("2027-01-01", wrong), "to must be a day such as 2026-01-31") << wrong;
  }
}

TEST(Csv, CellsAreQuotedAndNeverFormulas) {
  CostReport report{.currency = "EUR"};
  for (const char* name : {"Shop", "a \"b\", c", "=HYPERLINK(1)", "+1", "-1", "@a", "two\nlines"}) {
    report.projects.push_back({.id = "proj_1", .name = name, .ownerId = {"user_1"}});
  }
  report.projects[0].units = {1.5, 0.0003, 0, 1e-9};
  report.projects[0].cost = 0.1;
  report.projects[0].price = 1e6;
  report.projects[0].ownerId = {};
  const std::string zeros = ",user_1,0,0,0,0,0,0,EUR\r\n";
  EXPECT_EQ(
      csvOf(report),
      "id,name,ownerId,storageGiBMonth,millionFunctionRuns,millionVectorsMonth,thousandConnectionHours,cost,price,"
      "currency\r\n"
      "proj_1,Shop,,1.5,0.0003,0,0.000000001,0.1,1000000,EUR\r\n"
      "proj_1,\"a \"\"b\"\", c\"" +
          zeros + "proj_1,'=HYPERLINK(1)" + zeros + "proj_1,'+1" + zeros + "proj_1,'-1" + zeros + "proj_1,'@a" + zeros +
          "proj_1,\"two\nlines\"" + zeros);
}

class CostsTest : public UsageFixture {
 protected:
  const policy::Caller ann_ = person("ann@example.com");
  const projects::ProjectView shop_ = made(ann_, "Shop");
};

TEST_F(CostsTest, AWholeMonthOfEachUnit) {
  for (int day = 1; day <= 30; ++day) {
    read(shop_, fmt::format("2027-04-{:02}T08:00:00Z", day),
         {.storageBytes = kGiB, .functionRuns = 10 * day, .vectors = 1'000'000, .realtimeConnections = 10});
  }
  const CostReport report = reported("2027-04-01", "2027-04-30");
  EXPECT_EQ(report.currency, "USD");
  ASSERT_EQ(report.projects.size(), 1u);
  const ProjectCosts& costs = report.projects.front();
  EXPECT_EQ(costs.id, shop_.id.str());
  EXPECT_EQ(costs.name, "Shop");
  EXPECT_EQ(costs.ownerId.value, ann_.id);
  EXPECT_EQ(costs.units.storageGiBMonth, 1);
  EXPECT_EQ(costs.units.millionFunctionRuns, 0.0003);
  EXPECT_EQ(costs.units.millionVectorsMonth, 1);
  EXPECT_EQ(costs.units.thousandConnectionHours, 0.3);
  // 0.025 + 0.4 * 0.0003 + 2.5 + 0.05 * 0.3, and a fifth more
  EXPECT_EQ(costs.cost, 2.54012);
  EXPECT_EQ(costs.price, 3.048144);
  EXPECT_EQ(report.total, 3.048144);
  // Half of the month's days are half of its GiB.
  EXPECT_EQ(reported("2027-04-16", "2027-04-30").projects.front().units.storageGiBMonth, 0.5);
  EXPECT_EQ(reported("2027-04-16", "2027-04-30").projects.front().units.millionFunctionRuns, 0.00015);
}

TEST_F(CostsTest, TheOperatorsModelDecides) {
  read(shop_, "2027-04-01T08:00:00Z", {.storageBytes = 30 * kGiB});
  const CostModel model{.currency = "EUR", .unitCosts = {2, 0, 0, 0}, .margin = 0.5};
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
  doc::BsonWriter record;
  record.appendString("id", kCostModelId);
  doc::encodeFields(record, model);
  write.insert({.collection = billingCollection(kCostModel), .document = record.finish()});
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  const CostReport report = reported("2027-04-01", "2027-04-01");
  EXPECT_EQ(report.currency, "EUR");
  EXPECT_EQ(report.projects.front().cost, 2);
  EXPECT_EQ(report.projects.front().price, 3);
}

TEST_F(CostsTest, EachProjectHasItsRow) {
  const policy::Caller bob = person("bob@example.com");
  const projects::ProjectView blog = made(bob, "Blog");
  const projects::ProjectView stage = environment(ann_, shop_, "stage");
  made(ann_, "Unused");
  for (const projects::ProjectView& each : {shop_, blog, stage}) {
    read(each, "2027-01-16T08:00:00Z", {.storageBytes = kGiB});
  }
  const CostReport report = reported("2027-01-16", "2027-01-16");
  ASSERT_EQ(report.projects.size(), 3u);
  std::map<std::string, std::string> owners;
  double prices = 0;
  for (const ProjectCosts& each : report.projects) {
    owners[each.id] = each.ownerId.value.value_or("");
    prices += each.price;
  }
  EXPECT_EQ(owners[shop_.id.str()], ann_.id);
  EXPECT_EQ(owners[stage.id.str()], ann_.id);
  EXPECT_EQ(owners[blog.id.str()], bob.id);
  EXPECT_NEAR(report.total, prices, 1e-9);
}

TEST_F(CostsTest, ADeletedProjectStaysWithItsHistory) {
  read(shop_, "2027-01-16T08:00:00Z", {.storageBytes = kGiB});
  ASSERT_TRUE(run(projects_->remove(by(ann_), shop_.id.str())));
  clock_.set(at("2027-02-16T08:00:00Z").ms);
  const CostReport report = reported("2027-01-01", "2027-02-16");
  ASSERT_EQ(report.projects.size(), 1u);
  EXPECT_EQ(report.projects.front().name, "Shop");
  EXPECT_GT(report.projects.front().cost, 0);
}

TEST_F(CostsTest, WithoutReadingsThereAreNoRows) {
  read(shop_, "2027-01-16T08:00:00Z", {.storageBytes = kGiB});
  EXPECT_TRUE(reported("2027-01-01", "2027-01-15").projects.empty());
  EXPECT_TRUE(reported("2027-01-17", "2027-01-31").projects.empty());
  EXPECT_EQ(reported("2027-01-17", "2027-01-31").total, 0);
}

}  // namespace
}  // namespace mb::billing
