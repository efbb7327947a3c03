#include "functions/run_months.h"

#include <set>

#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

class RunMonthsTest : public RunningFixture {
 protected:
  void save(const doc::Document& row) {
    EXPECT_TRUE(run(store::testing::put(store_, {shop_, kStats, 0}, std::string(row.view().stringOr("id")), row)));
  }
  void add(std::string month, int row, int64_t runs) {
    const ProjectMonth of{shop_, std::move(month)};
    const store::WriteTarget target = monthRow(of, row);
    const auto stored = run(store_.get(target.collection, target.id, {}));
    ASSERT_TRUE(stored);
    save(withRuns(of, row, *stored, runs));
  }
  // A row of a version without the counter.
  void addSingle(std::string_view month, int64_t runs) {
    save(json(fmt::format(R"({{"id":"month/{}","runs":{}}})", month, runs)));
  }
  int64_t runs(std::string month) { return *run(storedRuns(store_, {shop_, std::move(month)})); }
  std::string ids() const {
    std::string all;
    for (const doc::Document& each : memory_.all({shop_, kStats, 0})) {
      all += std::string(each.view().stringOr("id")) + " ";
    }
    return all;
  }
};

TEST_F(RunMonthsTest, TheRunsOfJobsAreSpreadOverTheirRows) {
  std::set<int> rows;
  for (int i = 0; i < 1000; ++i) {
    const int row = rowOfJob(fmt::format("function/7/fn_a/{}", i));
    EXPECT_NE(kWrittenBehind, row);
    EXPECT_EQ(row, rowOfJob(fmt::format("function/7/fn_a/{}", i)));
    rows.insert(row);
  }
  EXPECT_EQ(kJobRows, std::ssize(rows));
  EXPECT_EQ(1, *rows.begin());
  EXPECT_EQ(kJobRows, *rows.rbegin());
}

TEST_F(RunMonthsTest, AMonthIsTheSumOfItsRows) {
  EXPECT_EQ(0, runs("2026-11"));
  add("2026-11", kWrittenBehind, 5);
  add("2026-11", 3, 1);
  add("2026-11", 3, 1);
  add("2026-11", kJobRows, 10);
  add("2026-10", 3, 100);
  EXPECT_EQ(17, runs("2026-11"));
  EXPECT_EQ(100, runs("2026-10"));
  EXPECT_EQ("month/2026-10/03 month/2026-11/00 month/2026-11/03 month/2026-11/16 ", ids());
}

TEST_F(RunMonthsTest, TheSingleRowOfEarlierVersionsIsIncluded) {
  addSingle("2026-11", 40);
  EXPECT_EQ(40, runs("2026-11"));
  add("2026-11", kWrittenBehind, 2);
  EXPECT_EQ(42, runs("2026-11"));
  // A limit meets it too.
  clock_.set(parseRfc3339("2026-11-27T00:00:00Z")->ms);
  EXPECT_EQ(42, run(running_.log().take(shop_, clock_.now(), 0))->use);
}

TEST_F(RunMonthsTest, StatisticsOfFunctionsAreNotCounted) {
  save(json(R"({"id":"fn_hello","runs":7})"));
  EXPECT_EQ(0, runs("2026-11"));
}

TEST_F(RunMonthsTest, ARowThatIsNotANumberCountsAsNone) {
  save(json(R"({"id":"month/2026-11/01","month":"2026-11","runs":"many"})"));
  EXPECT_EQ(0, runs("2026-11"));
  add("2026-11", 1, 1);
  EXPECT_EQ(1, runs("2026-11"));
}

TEST_F(RunMonthsTest, OldMonthsAreRemoved) {
  for (const char* month : {"2025-12", "2026-04", "2026-05", "2026-06", "2026-10", "2026-11", "2027-01"}) {
    add(month, kWrittenBehind, 1);
    add(month, 7, 1);
  }
  addSingle("2026-01", 1);
  save(json(R"({"id":"fn_hello","runs":7})"));
  // 152 days before the first of November are in June.
  ASSERT_TRUE(run(pruneMonths(store_, {shop_, "2026-11"})));
  EXPECT_EQ(
      "fn_hello month/2026-06/00 month/2026-06/07 month/2026-10/00 month/2026-10/07 month/2026-11/00 "
      "month/2026-11/07 month/2027-01/00 month/2027-01/07 ",
      ids());
  EXPECT_EQ(0, runs("2026-05"));
  EXPECT_EQ(2, runs("2026-06"));
}

TEST_F(RunMonthsTest, OneCallRemovesABoundedNumber) {
  for (uint64_t i = 0; i < kMaxPrunedRows + 5; ++i) add(fmt::format("{:04}-01", 1000 + i), 1, 1);
  ASSERT_TRUE(run(pruneMonths(store_, {shop_, "2026-11"})));
  EXPECT_EQ(5, memory_.all({shop_, kStats, 0}).size());
  ASSERT_TRUE(run(pruneMonths(store_, {shop_, "2026-11"})));
  EXPECT_EQ("", ids());
}

TEST_F(RunMonthsTest, TheFirstRunOfAMonthRemovesOldOnes) {
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  clock_.set(parseRfc3339("2026-11-27T00:00:00Z")->ms);
  add("2026-01", 1, 1);
  invoke("hello");
  ASSERT_TRUE(run(running_.log().flush()));
  EXPECT_EQ(0, runs("2026-01"));
  // Not each run of it.
  add("2026-02", 1, 1);
  invoke("hello");
  ASSERT_TRUE(run(running_.log().flush()));
  EXPECT_EQ(1, runs("2026-02"));
}

TEST_F(RunMonthsTest, TheFirstRunThatIsTakenRemovesOldOnes) {
  clock_.set(parseRfc3339("2026-11-27T00:00:00Z")->ms);
  add("2026-01", 1, 1);
  ASSERT_TRUE(run(running_.log().take(shop_, clock_.now(), 1)));
  EXPECT_EQ(0, runs("2026-01"));
}

}  // namespace
}  // namespace mb::functions
